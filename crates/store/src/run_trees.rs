//! Runs and what they started: by a call into another cell, which makes a parent, or by a trigger, which makes a chain.

use model::ids::RunId;
use model::run::Run;

use crate::db::{Sql, Value};
use crate::error::Error;
use crate::runs::{run_columns, run_from_row};
use crate::store::Store;

/// A larger tree is shown in part.
const MOST: u32 = 10_000;

/// The ids of a Run and all below it.
macro_rules! tree {
    (sqlite) => {
        "with recursive tree (id) as (
            select run_id from runs where run_id = $1
            union
            select runs.run_id from tree join runs on runs.parent_run_id = tree.id
            union
            select runs.run_id from tree join runs on runs.chain_root = tree.id
        ) "
    };
    (postgres) => {
        "with recursive tree (id) as (
            select run_id from runs where run_id = $1
            union
            select below.id from tree cross join lateral (
                select run_id as id from runs where parent_run_id = tree.id
                union all
                select run_id from runs where chain_root = tree.id) as below
        ) "
    };
}

/// Those below a Run that have not ended, itself included.
const OPEN: Sql = Sql {
    sqlite: concat!(
        tree!(sqlite),
        "select ",
        run_columns!(),
        " from tree cross join runs on run_id = tree.id where +state in ('queued', 'running', 'waiting')
          order by run_id"
    ),
    postgres: concat!(
        tree!(postgres),
        "select ",
        run_columns!(),
        " from tree join runs on run_id = tree.id where state in ('queued', 'running', 'waiting') order by run_id"
    ),
};

impl Store {
    /// A Run and all below it, in the order they were started; the first ten thousand.
    pub async fn run_tree(&self, run: RunId) -> Result<Vec<Run>, Error> {
        let sql = Sql {
            sqlite: concat!(
                tree!(sqlite),
                "select ",
                run_columns!(),
                " from tree cross join runs on run_id = tree.id order by run_id limit $2"
            ),
            postgres: concat!(
                tree!(postgres),
                "select ",
                run_columns!(),
                " from tree join runs on run_id = tree.id order by run_id limit $2"
            ),
        };
        self.db.query(sql, [run.0.into(), MOST.into()], run_from_row).await
    }

    /// How many Runs a chain has started so far.
    pub async fn chain_runs(&self, root: RunId) -> Result<u64, Error> {
        self.db
            .one("select count(*) from runs where chain_root = $1", [root.0.into()], |row| row.unsigned(0))
            .await
    }

    pub(crate) async fn open_tree(&self, run: RunId) -> Result<Vec<Run>, Error> {
        let values: [Value; 1] = [run.0.into()];
        self.db.query(OPEN, values, run_from_row).await
    }
}
