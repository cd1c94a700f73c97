-- What happened in a Run of a Graph, in order: applied in this order it makes the state of the Run again. `position` is that of the Step
-- it belongs to, if it belongs to one.
create table graph_journal (
    run_id   blob not null references runs (run_id),
    seq      integer not null,
    position integer,
    happened text not null,
    primary key (run_id, seq)
) strict, without rowid;
create index graph_journal_position on graph_journal (run_id, position);
