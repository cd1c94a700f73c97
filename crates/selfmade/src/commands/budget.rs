//! Flags that state budgets: of a run that is started, and of what is added to one.

use model::budget::{Limits, Money};

/// What a run may spend with all that it starts.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct BudgetArguments {
    /// The most money that the run may spend with all that it starts, in dollars
    #[arg(long, value_name = "DOLLARS")]
    budget: Option<Money>,
    /// The most tokens of language models, read and written
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// The most requests to language models
    #[arg(long, value_name = "N")]
    max_turns: Option<u64>,
    /// The most new functions that it may propose
    #[arg(long, value_name = "N")]
    max_functions: Option<u64>,
    /// The most seconds from its start to its end, with all that it starts and waits for
    #[arg(long, value_name = "SECONDS")]
    max_seconds: Option<u64>,
    /// The most levels of runs below it
    #[arg(long, value_name = "N")]
    max_depth: Option<u64>,
}

impl BudgetArguments {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            money: self.budget,
            tokens: self.max_tokens,
            turns: self.max_turns,
            functions: self.max_functions,
            seconds: self.max_seconds,
            depth: self.max_depth,
        }
    }
}

/// What is added to a budget.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(id = "added", required = true, multiple = true)]
pub(crate) struct AddedArguments {
    /// Dollars
    #[arg(long, value_name = "DOLLARS")]
    money: Option<Money>,
    /// Tokens of language models
    #[arg(long, value_name = "N")]
    tokens: Option<u64>,
    /// Requests to language models
    #[arg(long, value_name = "N")]
    turns: Option<u64>,
    /// New functions
    #[arg(long, value_name = "N")]
    functions: Option<u64>,
    /// Seconds; they count from now if none are left
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// Levels of runs below it
    #[arg(long, value_name = "N")]
    depth: Option<u64>,
}

impl AddedArguments {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            money: self.money,
            tokens: self.tokens,
            turns: self.turns,
            functions: self.functions,
            seconds: self.seconds,
            depth: self.depth,
        }
    }
}
