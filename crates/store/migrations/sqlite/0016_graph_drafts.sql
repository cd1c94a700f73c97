-- Graphs under work. `edit` counts their edits; of those, the newest are kept to compare with and to repeat.
create table graph_drafts (
    name         text not null primary key,
    base_version integer,
    edit         integer not null,
    content      text not null,
    created_at   integer not null,
    updated_at   integer not null
) strict;
create table graph_draft_edits (
    name   text not null references graph_drafts (name),
    number integer not null,
    edit   text not null,
    primary key (name, number)
) strict, without rowid;
