create table runs (
    run_id        uuid primary key,
    kind          text not null,
    name          text not null,
    version_id    uuid references versions (version_id),
    revision      bigint not null,
    state         text not null,
    ending        text,
    input         text not null,
    output        text,
    error         text,
    actor         text not null,
    parent_run_id uuid references runs (run_id),
    created_at    bigint not null,
    started_at    bigint,
    finished_at   bigint
);
create index runs_name on runs (name, run_id);
create index runs_state on runs (state, run_id);
create index runs_parent on runs (parent_run_id);
create index runs_version on runs (version_id);

create table calls (
    run_id      uuid not null references runs (run_id),
    position    bigint not null,
    parent      bigint,
    function    text not null,
    version_id  uuid references versions (version_id),
    input       text not null,
    output      text,
    error       text,
    started_at  bigint not null,
    duration_us bigint,
    primary key (run_id, position)
);
create index calls_version on calls (version_id);

create table steps (
    run_id      uuid not null references runs (run_id),
    position    bigint not null,
    verb        text not null,
    request     text not null,
    result      text,
    error       text,
    started_at  bigint not null,
    finished_at bigint,
    primary key (run_id, position)
);
