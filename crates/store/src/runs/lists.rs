//! Lists of Runs, newest first, by any filter. Each list uses the most selective index.

use std::cmp::Reverse;

use jiff::Timestamp;
use model::access::actor::Actor;
use model::access::scope::Scope;
use model::ids::RunId;
use model::run::{Run, RunState};
use uuid::Uuid;

use super::id_times::{SLACK, first_id_at};
use crate::access::scope::{NameRange, in_scope, name_ranges, scope_value};
use crate::db::{Read, Row, Sql, Value};
use crate::error::Error;
use crate::runs::{run_columns, run_from_row};
use crate::store::Store;

/// Which Runs are listed, newest first.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// A name, or a prefix followed by `*`.
    pub name: Option<String>,
    /// Any of these; none means any at all.
    pub states: Vec<RunState>,
    /// Who started it; a Trigger and a Schedule, too.
    pub actor: Option<Actor>,
    pub parent: Option<RunId>,
    /// Created at this time or later.
    pub since: Option<Timestamp>,
    /// Created before this time.
    pub until: Option<Timestamp>,
    /// A part of its error's type or of the beginning of its message, some 400 characters; capitals do not matter.
    pub error: Option<String>,
    /// Those older than this one.
    pub before: Option<RunId>,
    /// Those newer than this one.
    pub after: Option<RunId>,
    /// Those of these names.
    pub scope: Scope,
}

/// A prefix or a scope that more names fit than these is so common that walking all Runs finds them soon.
const FEW_NAMES: u32 = 100;

/// What walks an index, and everything that has to hold beside. The `+` keeps SQLite, which knows nothing about how the
/// values are spread, from walking another.
macro_rules! listed {
    ($walked:literal) => {
        Sql {
            sqlite: listed!(
                sqlite,
                $walked,
                "",
                "+",
                "(cast($16 as text) is null or instr(error_text, $16) > 0)"
            ),
            postgres: listed!(
                postgres,
                $walked,
                "",
                "",
                "(cast($16 as text) is null or strpos(substr(lower(error), 1, 500), $16) > 0)"
            ),
        }
    };
    ($database:ident, $walked:literal, $by:literal, $plus:literal, $found:literal) => {
        concat!(
            "select ",
            run_columns!(),
            " from runs",
            $by,
            " where ",
            $walked,
            "run_id < $1 and run_id > $2 and created_at >= $3 and created_at < $4 and ",
            $plus,
            "state in ($5, $6, $7, $8, $9, $10) and (cast($11 as text) is null or ",
            $plus,
            "name = $11) and (cast($12 as text) is null or (",
            $plus,
            "name >= $12 and ",
            $plus,
            "name < $13)) and (cast($14 as text) is null or ",
            $plus,
            "actor = $14) and (cast($15 as uuid) is null or ",
            $plus,
            "parent_run_id = $15) and ",
            $found,
            " and ",
            in_scope!($database, "name", "$18"),
            " order by run_id desc limit $17"
        )
    };
}

const BY_ID: Sql = listed!("");
const BY_PARENT: Sql = listed!("parent_run_id = $15 and ");
const BY_ACTOR: Sql = listed!("actor = $14 and ");
const BY_NAME: Sql = listed!("name = $11 and ");
const BY_STATE: Sql = listed!("state = $5 and ");
/// Looks at the text of every error there is, so nothing else is asked of each.
const BY_ERROR: Sql = Sql {
    sqlite: listed!(
        sqlite,
        "error is not null and ",
        " indexed by runs_errors",
        "+",
        "instr(error_text, $16) > 0"
    ),
    postgres: listed!(
        postgres,
        "error is not null and ",
        "",
        "",
        "strpos(substr(lower(error), 1, 500), $16) > 0"
    ),
};
const FAILURES_BY_NAME: Sql = listed!("name = $11 and state in ('failed', 'cancelled') and ");

macro_rules! names_in_range {
    ($database:ident) => {
        concat!(
            "with recursive names (found) as (
                select min(name) from runs where name >= $1 and name < $2
                union all
                select (select min(name) from runs where name > names.found and name < $2)
                from names where names.found is not null
             )
             select found from names where found is not null and ",
            in_scope!($database, "found", "$4"),
            " limit $3"
        )
    };
}

const NAMES_IN_RANGE: Sql = Sql { sqlite: names_in_range!(sqlite), postgres: names_in_range!(postgres) };

impl Store {
    pub async fn runs(&self, filter: &RunFilter, limit: u32) -> Result<Vec<Run>, Error> {
        let reads = self.reads(filter, limit).await?;
        let answers = self.db.read(reads).await?;
        newest(answers.into_iter().flatten().collect(), limit)
    }

    /// Several lists that together are the one asked for.
    async fn reads(&self, filter: &RunFilter, limit: u32) -> Result<Vec<Read>, Error> {
        let asked = RunQuery::of(filter, limit)?;
        if filter.parent.is_some() {
            return Ok(vec![(BY_PARENT, asked.values())]);
        }
        if let Some(Actor::Trigger(_) | Actor::Schedule(_) | Actor::Run(_)) = filter.actor {
            return Ok(vec![(BY_ACTOR, asked.values())]);
        }
        if let Some(name) = &asked.name {
            let is_covered = filter.scope.covers(name);
            return Ok(is_covered.then(|| asked.by_name()).into_iter().collect());
        }
        if asked.prefix.is_some() || !filter.scope.is_all() {
            let within = asked.prefix.clone().unwrap_or_else(|| NameRange::of_prefix(""));
            if let Some(names) = self.few_names_of_runs(&within, &filter.scope).await? {
                let of = |name| RunQuery { name: Some(name), ..asked.clone() }.by_name();
                return Ok(names.into_iter().map(of).collect());
            }
        }
        if filter.actor.is_some() {
            return Ok(vec![(BY_ACTOR, asked.values())]);
        }
        if asked.error.is_some() {
            return Ok(vec![(BY_ERROR, asked.values())]);
        }
        if asked.states.len() < RunState::ALL.len() {
            let of =
                |state: &RunState| (BY_STATE, RunQuery { states: vec![*state], ..asked.clone() }.values());
            return Ok(asked.states.iter().map(of).collect());
        }
        Ok(vec![(BY_ID, asked.values())])
    }

    /// The first names that Runs have, in order.
    pub async fn run_names(&self, limit: u32, scope: &Scope) -> Result<Vec<String>, Error> {
        self.names_of_runs(&NameRange::of_prefix(""), scope, limit).await
    }

    /// The names in a range and a scope that Runs have, unless they are many.
    pub(crate) async fn few_names_of_runs(
        &self,
        within: &NameRange,
        scope: &Scope,
    ) -> Result<Option<Vec<String>>, Error> {
        let names = self.names_of_runs(within, scope, FEW_NAMES + 1).await?;
        Ok((names.len() <= FEW_NAMES as usize).then_some(names))
    }

    /// The first names in a range and a scope that Runs have, each found by one look into the index.
    async fn names_of_runs(
        &self,
        within: &NameRange,
        scope: &Scope,
        limit: u32,
    ) -> Result<Vec<String>, Error> {
        let value = scope_value(scope)?;
        let read = |range: NameRange| {
            (NAMES_IN_RANGE, vec![range.from.into(), range.to.into(), limit.into(), value.clone()])
        };
        let reads = name_ranges(scope, within).into_iter().map(read).collect();
        let answers = self.db.read(reads).await?;
        answers.iter().flatten().take(limit as usize).map(|row| row.text(0)).collect()
    }
}

/// A filter on its way into a statement.
#[derive(Clone)]
struct RunQuery {
    before: Uuid,
    after: Uuid,
    since: Timestamp,
    until: Timestamp,
    states: Vec<RunState>,
    name: Option<String>,
    prefix: Option<NameRange>,
    actor: Option<String>,
    parent: Option<Uuid>,
    error: Option<String>,
    limit: u32,
    scope: Value,
}

impl RunQuery {
    fn of(filter: &RunFilter, limit: u32) -> Result<RunQuery, Error> {
        let (name, prefix) = match filter.name.as_deref().map(|name| (name, name.strip_suffix('*'))) {
            Some((_, Some(prefix))) => (None, Some(NameRange::of_prefix(prefix))),
            Some((name, None)) => (Some(name.to_owned()), None),
            None => (None, None),
        };
        let from = filter.since.map_or(Uuid::nil(), |since| first_id_at(minus_slack(since)));
        let to = filter.until.map_or(Uuid::max(), |until| first_id_at(plus_slack(until)));
        Ok(RunQuery {
            before: filter.before.map_or(to, |before| before.0.min(to)),
            after: filter.after.map_or(from, |after| after.0.max(from)),
            since: filter.since.unwrap_or(Timestamp::MIN),
            until: filter.until.unwrap_or(Timestamp::MAX),
            states: states(filter),
            name,
            prefix,
            actor: filter.actor.as_ref().map(ToString::to_string),
            parent: filter.parent.map(|parent| parent.0),
            error: filter.error.as_deref().map(as_stored),
            limit,
            scope: scope_value(&filter.scope)?,
        })
    }

    /// The Runs of its name.
    fn by_name(&self) -> Read {
        (if self.only_failures() { FAILURES_BY_NAME } else { BY_NAME }, self.values())
    }

    fn only_failures(&self) -> bool {
        self.states.iter().all(|state| matches!(state, RunState::Failed | RunState::Cancelled))
    }

    fn values(&self) -> Vec<Value> {
        let mut values: Vec<Value> =
            vec![self.before.into(), self.after.into(), self.since.into(), self.until.into()];
        // All six places are filled; the last state stands in the rest of them.
        let places = self.states.iter().chain(self.states.last().into_iter().cycle());
        values.extend(places.take(RunState::ALL.len()).map(|state| state.as_str().into()));
        let (from, to) = self.prefix.clone().map(|range| (range.from, range.to)).unzip();
        values.extend([
            self.name.clone().into(),
            from.into(),
            to.into(),
            self.actor.clone().into(),
            self.parent.into(),
            self.error.clone().into(),
            self.limit.into(),
            self.scope.clone(),
        ]);
        values
    }
}

/// Those with an error are looked for among all that can have one.
fn states(filter: &RunFilter) -> Vec<RunState> {
    let mut states = filter.states.clone();
    states.dedup();
    match (states.is_empty(), &filter.error) {
        (false, _) => states,
        (true, None) => RunState::ALL.to_vec(),
        (true, Some(_)) => RunState::ALL.into_iter().filter(|state| *state != RunState::Succeeded).collect(),
    }
}

/// As it stands in stored JSON, in small letters.
fn as_stored(text: &str) -> String {
    let json = serde_json::Value::from(text.to_ascii_lowercase()).to_string();
    json[1..json.len() - 1].to_owned()
}

fn minus_slack(time: Timestamp) -> Timestamp {
    time.checked_sub(SLACK).unwrap_or(Timestamp::MIN)
}

fn plus_slack(time: Timestamp) -> Timestamp {
    time.checked_add(SLACK).unwrap_or(Timestamp::MAX)
}

/// Only those that are wanted are read to their end.
fn newest(rows: Vec<Row>, limit: u32) -> Result<Vec<Run>, Error> {
    let mut rows = rows.into_iter().map(|row| Ok((row.uuid(0)?, row))).collect::<Result<Vec<_>, Error>>()?;
    rows.sort_by_key(|(id, _)| Reverse(*id));
    rows.iter().take(limit as usize).map(|(_, row)| run_from_row(row)).collect()
}
