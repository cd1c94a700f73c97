-- What may be spent, and what is. `account` is `run:ID` for a run with all that it starts, `own:ID` for the run alone, `agent:DAY:NAME` and
-- `brain:DAY` for a day. Money is in millionths of a dollar.
create table budgets (
    account text primary key,
    run_id blob,
    tokens_limit integer,
    money_limit integer,
    turns_limit integer,
    functions_limit integer,
    seconds_limit integer,
    depth_limit integer,
    deadline integer,
    tokens_spent integer not null default 0,
    money_spent integer not null default 0,
    turns_spent integer not null default 0,
    functions_spent integer not null default 0,
    tokens_reserved integer not null default 0,
    money_reserved integer not null default 0,
    turns_reserved integer not null default 0,
    functions_reserved integer not null default 0,
    input_tokens integer not null default 0,
    cached_tokens integer not null default 0,
    output_tokens integer not null default 0,
    told_at integer
) strict;

create index budgets_run on budgets (run_id) where run_id is not null;

-- What a step has reserved in each account of its chain, until it is journaled or its run ends.
create table reservations (
    run_id blob not null,
    lane text not null,
    number integer not null,
    account text not null,
    reservation_id blob not null,
    tokens integer not null,
    money integer not null,
    turns integer not null,
    functions integer not null,
    primary key (run_id, lane, number, account)
) strict;
