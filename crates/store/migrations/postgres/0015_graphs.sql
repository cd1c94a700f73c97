-- What happened in a Run of a Graph, in order: applied in this order it makes the state of the Run again. `position` is that of the Step
-- it belongs to, if it belongs to one.
create table graph_journal (
    run_id   uuid not null references runs (run_id),
    seq      bigint not null,
    position bigint,
    happened text not null,
    primary key (run_id, seq)
);
create index graph_journal_position on graph_journal (run_id, position);
