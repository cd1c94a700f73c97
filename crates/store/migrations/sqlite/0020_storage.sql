-- Values that functions keep beyond their runs. `owner` is `function:NAME`, `graph:NAME` or `brain`; `run_id` wrote the value.
create table storage (
    owner text not null,
    key text not null,
    value text not null,
    run_id blob not null,
    updated_at integer not null,
    primary key (owner, key)
) strict;
