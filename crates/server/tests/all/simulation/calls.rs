//! What servers ask of the database that a fault is worth aiming at: one of these is a call in twenty or in a hundred, so that faults
//! which are drawn evenly hardly ever meet it twice in a row, or just then.

/// A method of the store that moves a Run, a Step or a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    Start,
    Claim,
    Step,
    GraphTurn,
    Suspend,
    Requeue,
    Finish,
    Cancel,
    Answer,
    Wake,
    Extend,
    Held,
    Read,
    Fire,
    Tick,
}

/// How a statement begins that only this method has, the more telling ones first.
const BEGINNINGS: [(&str, Call); 18] = [
    ("insert into cursors (cursor, seq) values ($1, 0)", Call::Fire),
    ("insert into ticks", Call::Tick),
    ("insert into runs", Call::Start),
    ("with recursive levels", Call::Claim),
    ("update runs set state = 'running', node_id", Call::Claim),
    ("insert into graph_journal", Call::GraphTurn),
    ("insert into steps", Call::Step),
    ("update steps set result = $3, error", Call::Step),
    ("update runs set state = 'waiting'", Call::Suspend),
    ("update runs set state = 'queued', due_at = $4, attempt", Call::Requeue),
    ("update runs set state = $4, ending", Call::Finish),
    ("update runs set state = $3, cancelled_by", Call::Cancel),
    ("update runs set state = 'queued', due_at = $3", Call::Answer),
    ("update runs set state = 'queued', due_at = wake_at", Call::Wake),
    ("update nodes set seen_at", Call::Extend),
    ("select run_id, fence, cancelled_at is not null from runs", Call::Held),
    ("select 1 from runs where run_id = $1 and state = 'running' and cancelled_at is null", Call::Start),
    ("select run_id, kind, name, version_id, revision, state", Call::Read),
];

impl Call {
    pub(super) const ALL: [Call; 15] = [
        Call::Start,
        Call::Claim,
        Call::Step,
        Call::GraphTurn,
        Call::Suspend,
        Call::Requeue,
        Call::Finish,
        Call::Cancel,
        Call::Answer,
        Call::Wake,
        Call::Extend,
        Call::Held,
        Call::Read,
        Call::Fire,
        Call::Tick,
    ];

    /// Most of what is asked is none of these.
    pub(super) fn of(statements: &[&str]) -> Option<Call> {
        let is_in = |beginning: &str| statements.iter().any(|statement| statement.starts_with(beginning));
        BEGINNINGS.iter().find(|(beginning, _)| is_in(beginning)).map(|(_, call)| *call)
    }
}
