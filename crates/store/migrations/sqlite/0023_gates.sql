-- What whoever decided about a changeset has to say about it.
alter table changesets add column comment text;

-- Runs that wait for a decision about what they proposed; emptied by the decision.
create table changeset_waits (
    changeset_number integer not null,
    run_id blob not null,
    primary key (changeset_number, run_id)
) strict, without rowid;
