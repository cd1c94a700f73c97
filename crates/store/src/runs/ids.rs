//! Ids of Runs as people type them: by their beginning, which an index finds, or by their end, which can be shorter, because
//! the beginning is the time and is shared by all Runs of a minute.

use model::access::scope::Scope;
use model::ids::RunId;
use uuid::Uuid;

use crate::access::scope::{NameRange, in_scope, scope_value};
use crate::db::{Read, Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// Ends are looked for among this many of the newest Runs, by walking over their ids: an index by end would be written to
/// with every Run, at a place that is not in memory.
const NEWEST: u32 = 1_000_000;

const DIGITS: usize = 32;

macro_rules! beginning {
    ($bound:expr) => {
        concat!(
            "select run_id from runs where run_id >= $1 and run_id <= $2",
            $bound,
            " order by run_id desc limit $3"
        )
    };
}

macro_rules! end {
    (sqlite, $bound:expr) => {
        end!($bound, "substr(hex(run_id), -length($1)) = upper($1)")
    };
    (postgres, $bound:expr) => {
        end!($bound, "right(replace(run_id::text, '-', ''), length($1)) = lower($1)")
    };
    ($bound:expr, $ending:literal) => {
        concat!(
            "select run_id from (select run_id from runs",
            $bound,
            " order by run_id desc limit $3) as newest where ",
            $ending,
            " order by run_id desc limit $2"
        )
    };
}

/// Where ids that begin or end with given digits are looked for.
struct Among {
    beginning: Sql,
    end: Sql,
}

/// All Runs; it says nothing of names, so that nothing but ids has to be read.
const ALL: Among = Among {
    beginning: Sql { sqlite: beginning!(""), postgres: beginning!("") },
    end: Sql { sqlite: end!(sqlite, ""), postgres: end!(postgres, "") },
};
const OF_NAME: Among = Among {
    beginning: Sql { sqlite: beginning!(" and name = $4"), postgres: beginning!(" and name = $4") },
    end: Sql { sqlite: end!(sqlite, " where name = $4"), postgres: end!(postgres, " where name = $4") },
};
const OF_SCOPE: Among = Among {
    beginning: Sql {
        sqlite: beginning!(concat!(" and ", in_scope!(sqlite, "name", "$4"))),
        postgres: beginning!(concat!(" and ", in_scope!(postgres, "name", "$4"))),
    },
    end: Sql {
        sqlite: end!(sqlite, concat!(" where ", in_scope!(sqlite, "name", "$4"))),
        postgres: end!(postgres, concat!(" where ", in_scope!(postgres, "name", "$4"))),
    },
};

impl Store {
    /// Runs whose id begins or ends with these hexadecimal digits, at most this many of each, newest first.
    pub async fn run_ids(&self, digits: &str, limit: u32, scope: &Scope) -> Result<Vec<RunId>, Error> {
        let Some((first, last)) = range(digits) else { return Ok(Vec::new()) };
        let (among, bounds) = self.among(scope).await?;
        let read = |sql: Sql, values: [Value; 3]| {
            let bounded =
                bounds.iter().map(move |bound| (sql, values.iter().chain(bound).cloned().collect()));
            bounded.collect::<Vec<Read>>()
        };
        let beginnings = read(among.beginning, [first.into(), last.into(), limit.into()]);
        let ends = read(among.end, [digits.into(), limit.into(), NEWEST.into()]);
        let answers = self.db.read([beginnings, ends].concat()).await?;
        let (beginnings, ends) = answers.split_at(bounds.len());
        Ok(newest([newest(ids(beginnings)?, limit), newest(ids(ends)?, limit)].concat(), u32::MAX))
    }

    /// Where to look for what a scope covers, once with each of these values.
    async fn among(&self, scope: &Scope) -> Result<(Among, Vec<Option<Value>>), Error> {
        if scope.is_all() {
            return Ok((ALL, vec![None]));
        }
        Ok(match self.few_names_of_runs(&NameRange::of_prefix(""), scope).await? {
            Some(names) => (OF_NAME, names.into_iter().map(|name| Some(name.into())).collect()),
            None => (OF_SCOPE, vec![Some(scope_value(scope)?)]),
        })
    }
}

fn ids(answers: &[Vec<Row>]) -> Result<Vec<RunId>, Error> {
    answers.iter().flatten().map(|row| row.uuid(0).map(RunId)).collect()
}

/// The first of them, each once.
fn newest(mut ids: Vec<RunId>, limit: u32) -> Vec<RunId> {
    ids.sort_by(|a, b| b.cmp(a));
    ids.dedup();
    ids.truncate(limit as usize);
    ids
}

/// All ids that begin with these digits.
fn range(digits: &str) -> Option<(Uuid, Uuid)> {
    if digits.is_empty() || digits.len() > DIGITS {
        return None;
    }
    let bound =
        |rest: &str| u128::from_str_radix(&format!("{digits}{}", rest.repeat(DIGITS - digits.len())), 16);
    Some((Uuid::from_u128(bound("0").ok()?), Uuid::from_u128(bound("f").ok()?)))
}
