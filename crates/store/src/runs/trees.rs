//! Runs and what they started: by a call into another cell, which makes a parent, or by a trigger, which makes a chain.

use model::access::scope::Scope;
use model::ids::RunId;
use model::run::Run;

use crate::access::scope::{in_scope, scope_value};
use crate::db::{Sql, Value};
use crate::error::Error;
use crate::runs::{run_columns, run_from_row};
use crate::store::Store;

/// A larger tree is shown in part.
const MOST: u32 = 10_000;

/// The ids of a Run and all below it that fit a condition. What lies below one that does not is left out: that it is there
/// is told by that one alone.
macro_rules! tree {
    (sqlite, $fitting:expr, $chained:expr) => {
        concat!(
            "with recursive tree (id) as (
                select run_id from runs where run_id = $1",
            $fitting,
            " union
                select runs.run_id from tree join runs on runs.parent_run_id = tree.id",
            $fitting,
            " union
                select runs.run_id from tree join runs on runs.chain_root = tree.id",
            $chained,
            ") "
        )
    };
    (postgres, $fitting:expr, $chained:expr) => {
        concat!(
            "with recursive tree (id) as (
                select run_id from runs where run_id = $1",
            $fitting,
            " union
                select below.id from tree cross join lateral (
                    select run_id as id from runs where parent_run_id = tree.id",
            $fitting,
            " union all
                    select run_id from runs where chain_root = tree.id",
            $chained,
            ") as below) "
        )
    };
}

/// Those below a Run that have not ended, itself included.
const OPEN: Sql = Sql {
    sqlite: concat!(
        tree!(sqlite, "", concat!(" and ", in_scope!(sqlite, "runs.name", "$2"))),
        "select ",
        run_columns!(),
        " from tree cross join runs on run_id = tree.id where +state in ('queued', 'running', 'waiting')
          order by run_id"
    ),
    postgres: concat!(
        tree!(postgres, "", concat!(" and ", in_scope!(postgres, "runs.name", "$2"))),
        "select ",
        run_columns!(),
        " from tree join runs on run_id = tree.id where state in ('queued', 'running', 'waiting') order by run_id"
    ),
};

const TREE: Sql = Sql {
    sqlite: concat!(
        tree!(
            sqlite,
            concat!(" and ", in_scope!(sqlite, "runs.name", "$3")),
            concat!(" and ", in_scope!(sqlite, "runs.name", "$3"))
        ),
        "select ",
        run_columns!(),
        " from tree cross join runs on run_id = tree.id order by run_id limit $2"
    ),
    postgres: concat!(
        tree!(
            postgres,
            concat!(" and ", in_scope!(postgres, "runs.name", "$3")),
            concat!(" and ", in_scope!(postgres, "runs.name", "$3"))
        ),
        "select ",
        run_columns!(),
        " from tree join runs on run_id = tree.id order by run_id limit $2"
    ),
};

impl Store {
    /// A Run and all below it, in the order they were started; the first ten thousand. Of a scope, only what is reached
    /// through Runs of that scope.
    pub async fn run_tree(&self, run: RunId, scope: &Scope) -> Result<Vec<Run>, Error> {
        self.db.query(TREE, [run.0.into(), MOST.into(), scope_value(scope)?], run_from_row).await
    }

    /// How many Runs a chain has started so far.
    pub async fn chain_runs(&self, root: RunId) -> Result<u64, Error> {
        self.db
            .one("select count(*) from runs where chain_root = $1", [root.0.into()], |row| row.unsigned(0))
            .await
    }

    /// A Run and all below it that have not ended; of what triggers started, only what is in the scope.
    pub(crate) async fn open_tree(&self, run: RunId, scope: &Scope) -> Result<Vec<Run>, Error> {
        let values: [Value; 2] = [run.0.into(), scope_value(scope)?];
        self.db.query(OPEN, values, run_from_row).await
    }
}
