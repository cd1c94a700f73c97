create table runs (
    run_id        blob not null primary key,
    kind          text not null,
    name          text not null,
    version_id    blob references versions (version_id),
    revision      integer not null,
    state         text not null,
    ending        text,
    input         text not null,
    output        text,
    error         text,
    actor         text not null,
    parent_run_id blob references runs (run_id),
    created_at    integer not null,
    started_at    integer,
    finished_at   integer
) strict;
create index runs_name on runs (name, run_id);
create index runs_state on runs (state, run_id);
create index runs_parent on runs (parent_run_id);
create index runs_version on runs (version_id);

create table calls (
    run_id      blob not null references runs (run_id),
    position    integer not null,
    parent      integer,
    function    text not null,
    version_id  blob references versions (version_id),
    input       text not null,
    output      text,
    error       text,
    started_at  integer not null,
    duration_us integer,
    primary key (run_id, position)
) strict;
create index calls_version on calls (version_id);

create table steps (
    run_id      blob not null references runs (run_id),
    position    integer not null,
    verb        text not null,
    request     text not null,
    result      text,
    error       text,
    started_at  integer not null,
    finished_at integer,
    primary key (run_id, position)
) strict;
