-- Old firings and ticks are found by their time.
create index firings_time on firings (at);
create index ticks_time on ticks (at);

-- How many requests of a Run were only counted, because it made too many to record them all.
create table egress_left_out (
    run_id   blob not null primary key references runs (run_id),
    requests integer not null
) strict;
