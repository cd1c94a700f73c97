//! Events: appended in the same transaction as the fact they describe, numbered without gaps.

pub(crate) mod deliveries;
pub(crate) mod failures;
pub(crate) mod pruning;
pub(crate) mod ticks;
pub(crate) mod triggers;

use model::access::scope::Scope;
use model::event::{Event, EventKind, NewEvent};

use crate::access::scope::{in_scope, scope_value};
use crate::changes::Topic;
use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// So many are read by a look-up.
const FEW: u32 = 16;

/// What the data of Events that are read at once may take, 8 MB; the first is read however large it is.
macro_rules! most_bytes {
    () => {
        "8388608"
    };
}

/// The first of these Events, as many as are asked for and as take no more than [`most_bytes`]. Which those are is found without
/// reading their data.
macro_rules! first_events {
    ($condition:expr, $order:literal) => {
        concat!(
            "select seq, kind, source, data, actor, at from events where seq in (
                select seq from (
                    select seq, bytes, sum(bytes) over (order by ",
            $order,
            ") as total from (
                        select seq, octet_length(data) as bytes from events where ",
            $condition,
            " order by ",
            $order,
            " limit $2) as candidates) as sized
                where total - bytes < ",
            most_bytes!(),
            ") order by ",
            $order
        )
    };
}

/// Events that a scope may know of, as [`Event::is_visible_to`] decides it, the newest first.
macro_rules! visible {
    ($condition:literal) => {
        Sql { sqlite: visible!(sqlite, $condition), postgres: visible!(postgres, $condition) }
    };
    ($database:ident, $condition:literal) => {
        first_events!(
            concat!(
                $condition,
                " and (cast($3 as text) is null or kind not in ('changeset.applied', 'changeset.proposed', 'changeset.rejected', 'secret.changed', 'model.changed')) and ",
                in_scope!($database, "source", "$3")
            ),
            "seq desc"
        )
    };
}

impl Store {
    /// Facts that stand for themselves, such as a custom Event.
    pub async fn append_events(&self, events: &[NewEvent]) -> Result<(), Error> {
        let mut batch = Batch::new();
        push_events(&mut batch, events);
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    /// The last Event of all, which may be pruned; 0 if there was none.
    pub async fn newest_event(&self) -> Result<u64, Error> {
        self.db.one("select value from counters where counter = 'event'", [], |row| row.unsigned(0)).await
    }

    /// The last Event of a kind that is kept; 0 if there is none.
    pub async fn last_event(&self, kind: &EventKind) -> Result<u64, Error> {
        let sql = "select coalesce(max(seq), 0) from events where kind = $1";
        self.db.one(sql, [kind.to_string().into()], |row| row.unsigned(0)).await
    }

    /// What happened before a sequence number and is visible to a scope, the newest first; of one kind if one is named. There may
    /// be more although fewer than asked for are answered, because what is read at once is bounded by size, too.
    pub async fn events_before(
        &self,
        seq: u64,
        kind: Option<&EventKind>,
        limit: u32,
        scope: &Scope,
    ) -> Result<Vec<Event>, Error> {
        let mut values = vec![seq.into(), limit.into(), scope_value(scope)?];
        let Some(kind) = kind else {
            let sql = visible!("seq < $1");
            return self.db.query(sql, values, event_from_row).await;
        };
        values.push(kind.to_string().into());
        let sql = visible!("seq < $1 and kind = $4");
        self.db.query(sql, values, event_from_row).await
    }

    /// What happened after a sequence number, in order. Bounded by size as [`events_before`](Store::events_before), unless few are
    /// asked for.
    pub async fn events_after(&self, seq: u64, limit: u32) -> Result<Vec<Event>, Error> {
        let values = [seq.into(), limit.into()];
        if limit <= FEW {
            let sql =
                "select seq, kind, source, data, actor, at from events where seq > $1 order by seq limit $2";
            return self.db.few(sql, values, event_from_row).await;
        }
        self.db.query(first_events!("seq > $1", "seq"), values, event_from_row).await
    }
}

/// Last in a batch: from here to its end, others who append events wait.
pub(crate) fn push_events(batch: &mut Batch, events: &[NewEvent]) {
    if events.is_empty() {
        return;
    }
    batch.changes(Topic::Events);
    batch.push("update counters set value = value + $1 where counter = 'event'", [events.len().into()]);
    let rows = events.iter().zip(1..).map(|(event, nth)| {
        vec![
            (events.len() - nth).into(),
            event.kind.to_string().into(),
            event.source.as_str().into(),
            Value::from(&event.data),
            event.actor.to_string().into(),
            event.at.into(),
        ]
    });
    batch.bulk(
        Sql {
            sqlite: "insert into events (seq, kind, source, data, actor, at)
                select value - $1, $2, $3, $4, $5, $6 from counters where counter = 'event'",
            postgres: "insert into events (seq, kind, source, data, actor, at)
                select value - new.back, new.kind, new.source, new.data, new.actor, new.at
                from counters, unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
                    as new (back, kind, source, data, actor, at)
                where counter = 'event'",
        },
        rows.collect(),
    );
}

fn event_from_row(row: &Row) -> Result<Event, Error> {
    Ok(Event {
        seq: row.unsigned(0)?,
        fact: NewEvent {
            kind: row.word(1)?,
            source: row.text(2)?,
            data: row.json(3)?,
            actor: row.word(4)?,
            at: row.timestamp(5)?,
        },
    })
}
