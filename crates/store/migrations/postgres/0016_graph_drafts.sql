-- Graphs under work. `edit` counts their edits; of those, the newest are kept to compare with and to repeat.
create table graph_drafts (
    name         text not null primary key,
    base_version bigint,
    edit         bigint not null,
    content      text not null,
    created_at   bigint not null,
    updated_at   bigint not null
);
create table graph_draft_edits (
    name   text not null references graph_drafts (name),
    number bigint not null,
    edit   text not null,
    primary key (name, number)
);
