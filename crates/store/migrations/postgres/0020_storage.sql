-- Values that functions keep beyond their runs. `owner` is `function:NAME`, `graph:NAME` or `brain`; `run_id` wrote the value.
create table storage (
    owner text not null,
    key text collate "C" not null,
    value text not null,
    run_id uuid not null,
    updated_at bigint not null,
    primary key (owner, key)
);
