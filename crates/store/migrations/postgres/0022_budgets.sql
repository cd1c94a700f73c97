-- What may be spent, and what is. `account` is `run:ID` for a run with all that it starts, `own:ID` for the run alone, `agent:DAY:NAME` and
-- `brain:DAY` for a day. Money is in millionths of a dollar.
create table budgets (
    account text collate "C" primary key,
    run_id uuid,
    tokens_limit bigint,
    money_limit bigint,
    turns_limit bigint,
    functions_limit bigint,
    seconds_limit bigint,
    depth_limit bigint,
    deadline bigint,
    tokens_spent bigint not null default 0,
    money_spent bigint not null default 0,
    turns_spent bigint not null default 0,
    functions_spent bigint not null default 0,
    tokens_reserved bigint not null default 0,
    money_reserved bigint not null default 0,
    turns_reserved bigint not null default 0,
    functions_reserved bigint not null default 0,
    input_tokens bigint not null default 0,
    cached_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    told_at bigint
);

create index budgets_run on budgets (run_id) where run_id is not null;

-- What a step has reserved in each account of its chain, until it is journaled or its run ends.
create table reservations (
    run_id uuid not null,
    lane text not null,
    number bigint not null,
    account text collate "C" not null,
    reservation_id uuid not null,
    tokens bigint not null,
    money bigint not null,
    turns bigint not null,
    functions bigint not null,
    primary key (run_id, lane, number, account)
);
