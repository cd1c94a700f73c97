-- The queue in one index, with and without a concurrency key.
drop index runs_queue;
drop index runs_queue_limited;
create index runs_queue on runs (concurrency_key, priority desc, due_at, run_id) where state = 'queued';

-- What a Run asked of the network.
create table egress (
    run_id   blob not null references runs (run_id),
    position integer not null,
    request  text not null,
    primary key (run_id, position)
) strict;
