-- Runs that are carried out here: how, by whom, what became of them. The table is made anew, so that what is asked of
-- every Run stands before the texts that may be long: SQLite reads a row from its start.
create table runs_with_engine (
    run_id               blob not null primary key,
    kind                 text not null,
    name                 text not null,
    version_id           blob references versions (version_id),
    revision             integer not null,
    state                text not null,
    ending               text,
    actor                text not null,
    parent_run_id        blob references runs (run_id),
    created_at           integer not null,
    started_at           integer,
    finished_at          integer,
    attempt              integer not null default 1,
    waited               integer not null default 0,
    -- Of one that is or was queued.
    priority             integer not null default 0,
    due_at               integer,
    idempotency_key      text,
    concurrency_key      text,
    concurrency_limit    integer,
    resumable            integer not null default 0,
    closure_hash         blob,
    -- What led to it.
    event_seq            integer,
    chain_root           blob,
    -- Of one that waits for a person or a time.
    wake_at              integer,
    waiting              text,
    -- Who carries it out. The fence counts the claims.
    node_id              blob,
    fence                integer not null default 0,
    lease_until          integer,
    cancelled_by         text,
    cancelled_at         integer,
    wall_us              integer,
    cpu_us               integer,
    peak_memory_bytes    integer,
    cold                 integer,
    output_dropped_bytes integer,
    calls_dropped        integer,
    -- About what the record and all that belongs to it take.
    bytes                integer not null default 0,
    -- What no statement asks for: the rest of how it is carried out, the triggers that led to it.
    how                  text,
    chain                text,
    error                text,
    input                text not null,
    output               text
) strict;
insert into runs_with_engine (run_id, kind, name, version_id, revision, state, ending, actor, parent_run_id, created_at,
        started_at, finished_at, bytes, error, input, output)
    select run_id, kind, name, version_id, revision, state, ending, actor, parent_run_id, created_at, started_at,
        finished_at, 300 + octet_length(input) + coalesce(octet_length(output), 0) + coalesce(octet_length(error), 0),
        error, input, output
    from runs;
drop table runs;
alter table runs_with_engine rename to runs;

-- Each of these three costs something with every Run, because lists are asked for by name, by state and by who started
-- it. The one by state also finds the few that run. All others hold only the Runs they are for.
create index runs_name on runs (name, run_id);
create index runs_state on runs (state, run_id);
create index runs_actor on runs (actor, run_id);
create index runs_failures on runs (name, run_id) where state in ('failed', 'cancelled');
create index runs_parent on runs (parent_run_id) where parent_run_id is not null;
create index runs_chain on runs (chain_root) where chain_root is not null;
create unique index runs_idempotency on runs (idempotency_key) where idempotency_key is not null;
create index runs_queue on runs (priority, due_at, run_id) where state = 'queued' and concurrency_key is null;
create index runs_queue_limited on runs (concurrency_key, priority desc, due_at, run_id)
    where state = 'queued' and concurrency_key is not null;
create index runs_running_limited on runs (concurrency_key) where state = 'running' and concurrency_key is not null;
create index runs_wake on runs (wake_at) where state = 'waiting' and wake_at is not null;
-- 'schedule;' is the first text after all that begin with 'schedule:'.
create index runs_scheduled on runs (actor)
    where actor >= 'schedule:' and actor < 'schedule;' and state in ('queued', 'running', 'waiting');

-- Which Versions a Run loaded; Runs that loaded the same share a row.
create table closures (
    closure_hash blob not null primary key,
    members      text not null
) strict;

-- The Calls of a Run, many in one row: a JSON array.
create table call_chunks (
    run_id         blob not null references runs (run_id),
    first_position integer not null,
    body           text not null,
    primary key (run_id, first_position)
) strict;
insert into call_chunks (run_id, first_position, body)
    select run_id, position, '[{"position":' || position
        || case when parent is null then '' else ',"parent":' || parent end
        || ',"function":' || json_quote(function)
        || case when version_id is null then '' else ',"version_id":"' || lower(
            substr(hex(version_id), 1, 8) || '-' || substr(hex(version_id), 9, 4) || '-'
            || substr(hex(version_id), 13, 4) || '-' || substr(hex(version_id), 17, 4) || '-'
            || substr(hex(version_id), 21)) || '"' end
        || ',"input":' || input
        || case when output is null then '' else ',"output":' || output end
        || case when error is null then '' else ',"error":' || error end
        || ',"started_us":' || started_at
        || case when duration_us is null then '' else ',"duration_us":' || duration_us end || '}]'
    from calls;
drop table calls;

-- What a Run printed.
create table run_output (
    run_id   blob not null references runs (run_id),
    position integer not null,
    stream   text not null,
    text     text not null,
    primary key (run_id, position)
) strict;

alter table steps add column child_run_id blob;
alter table steps add column answered_by text;

-- How far readers of the Events are.
create table cursors (
    cursor text not null primary key,
    seq    integer not null
) strict;

-- What a Trigger did about an Event. Runs may be pruned, what happened stays.
create table firings (
    entry_id blob not null references entries (entry_id),
    seq      integer not null,
    run_id   blob,
    stopped  text,
    at       integer not null,
    primary key (entry_id, seq)
) strict;
create index firings_at on firings (entry_id, at);

-- What became of a Schedule's time; one row each, whoever came first.
create table ticks (
    entry_id blob not null references entries (entry_id),
    at       integer not null,
    run_id   blob,
    skipped  text,
    primary key (entry_id, at)
) strict;

-- Server processes.
create table nodes (
    node_id    blob not null primary key,
    name       text not null,
    started_at integer not null,
    seen_at    integer not null
) strict;
