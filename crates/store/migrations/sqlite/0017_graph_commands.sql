-- What people tell a Run of a Graph that stands at a breakpoint, until it has heard it.
create table graph_commands (
    run_id   blob not null references runs (run_id),
    number   integer not null,
    happened text not null,
    primary key (run_id, number)
) strict, without rowid;
