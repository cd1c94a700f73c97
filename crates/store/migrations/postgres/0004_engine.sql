-- Runs that are carried out here: how, by whom, what became of them. Names and actors sort by code point, as in SQLite,
-- because ranges of them are asked for.
alter table runs
    alter column name type text collate "C",
    alter column actor type text collate "C",
    add column attempt              bigint not null default 1,
    add column waited               boolean not null default false,
    -- Of one that is or was queued.
    add column priority             bigint not null default 0,
    add column due_at               bigint,
    add column idempotency_key      text,
    add column concurrency_key      text collate "C",
    add column concurrency_limit    bigint,
    add column resumable            boolean not null default false,
    add column closure_hash         bytea,
    -- What led to it.
    add column event_seq            bigint,
    add column chain_root           uuid,
    -- Of one that waits for a person or a time.
    add column wake_at              bigint,
    add column waiting              text,
    -- Who carries it out. The fence counts the claims.
    add column node_id              uuid,
    add column fence                bigint not null default 0,
    add column lease_until          bigint,
    add column cancelled_by         text,
    add column cancelled_at         bigint,
    add column wall_us              bigint,
    add column cpu_us               bigint,
    add column peak_memory_bytes    bigint,
    add column cold                 boolean,
    add column output_dropped_bytes bigint,
    add column calls_dropped        bigint,
    -- About what the record and all that belongs to it take.
    add column bytes                bigint not null default 0,
    -- What no statement asks for: the rest of how it is carried out, the triggers that led to it.
    add column how                  text,
    add column chain                text;
update runs
    set bytes = 300 + octet_length(input) + coalesce(octet_length(output), 0) + coalesce(octet_length(error), 0);

-- `runs_name`, `runs_state` and `runs_actor` cost something with every Run, because lists are asked for by name, by state
-- and by who started it. The one by state also finds the few that run. All others hold only the Runs they are for.
drop index runs_parent;
drop index runs_version;
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
    closure_hash bytea primary key,
    members      text not null
);

-- The Calls of a Run, many in one row: a JSON array.
create table call_chunks (
    run_id         uuid not null references runs (run_id),
    first_position bigint not null,
    body           text not null,
    primary key (run_id, first_position)
);
insert into call_chunks (run_id, first_position, body)
    select run_id, position, '[{"position":' || position
        || case when parent is null then '' else ',"parent":' || parent end
        || ',"function":' || to_json(function)
        || case when version_id is null then '' else ',"version_id":"' || version_id || '"' end
        || ',"input":' || input
        || case when output is null then '' else ',"output":' || output end
        || case when error is null then '' else ',"error":' || error end
        || ',"started_us":' || started_at
        || case when duration_us is null then '' else ',"duration_us":' || duration_us end || '}]'
    from calls;
drop table calls;

-- What a Run printed.
create table run_output (
    run_id   uuid not null references runs (run_id),
    position bigint not null,
    stream   text not null,
    text     text not null,
    primary key (run_id, position)
);

alter table steps add column child_run_id uuid, add column answered_by text;

-- How far readers of the Events are.
create table cursors (
    cursor text primary key,
    seq    bigint not null
);

-- What a Trigger did about an Event. Runs may be pruned, what happened stays.
create table firings (
    entry_id uuid not null references entries (entry_id),
    seq      bigint not null,
    run_id   uuid,
    stopped  text,
    at       bigint not null,
    primary key (entry_id, seq)
);
create index firings_at on firings (entry_id, at);

-- What became of a Schedule's time; one row each, whoever came first.
create table ticks (
    entry_id uuid not null references entries (entry_id),
    at       bigint not null,
    run_id   uuid,
    skipped  text,
    primary key (entry_id, at)
);

-- Server processes.
create table nodes (
    node_id    uuid primary key,
    name       text not null,
    started_at bigint not null,
    seen_at    bigint not null
);
