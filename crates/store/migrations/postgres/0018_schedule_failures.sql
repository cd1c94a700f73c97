-- How often a Schedule has failed since a Run of it succeeded; without a row, never.
create table schedule_failures (
    entry_id uuid primary key references entries (entry_id),
    failures bigint not null
);
