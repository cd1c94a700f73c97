//! What is spent: amounts of everything that is counted up, and tokens as models count them.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use super::money::Money;

/// What can be limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Of language models, read and written.
    Tokens,
    Money,
    /// Requests to language models.
    Turns,
    /// New functions that are proposed.
    Functions,
    /// From the start of the Run.
    Seconds,
    /// Levels of Runs below the Run.
    Depth,
}

/// What is spent by spending it: not time, which passes, and not depth, which is given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Amounts {
    pub tokens: u64,
    /// In dollars.
    #[schema(value_type = f64)]
    pub money: Money,
    pub turns: u64,
    pub functions: u64,
}

/// As a model counts them. What it read from its cache is part of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct TokenUsage {
    pub input: u64,
    pub cached: u64,
    pub output: u64,
}

/// What something turned out to cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    pub amounts: Amounts,
    pub tokens: TokenUsage,
}

impl Dimension {
    /// Those of [`Amounts`].
    pub const SPENT: [Dimension; 4] =
        [Dimension::Tokens, Dimension::Money, Dimension::Turns, Dimension::Functions];

    pub fn as_str(self) -> &'static str {
        match self {
            Dimension::Tokens => "tokens",
            Dimension::Money => "money",
            Dimension::Turns => "turns",
            Dimension::Functions => "functions",
            Dimension::Seconds => "seconds",
            Dimension::Depth => "depth",
        }
    }

    /// An amount of it, for people. Money is counted in micro-dollars.
    pub fn shown(self, amount: u64) -> String {
        let counted = |one: &str, many: &str| {
            if amount == 1 { format!("1 {one}") } else { format!("{amount} {many}") }
        };
        match self {
            Dimension::Money => Money(amount).to_string(),
            Dimension::Tokens => counted("token", "tokens"),
            Dimension::Turns => counted("turn", "turns"),
            Dimension::Functions => counted("new function", "new functions"),
            Dimension::Seconds => counted("second", "seconds"),
            Dimension::Depth => counted("level", "levels"),
        }
    }
}

impl Amounts {
    pub fn of(self, dimension: Dimension) -> u64 {
        match dimension {
            Dimension::Tokens => self.tokens,
            Dimension::Money => self.money.0,
            Dimension::Turns => self.turns,
            Dimension::Functions => self.functions,
            Dimension::Seconds | Dimension::Depth => 0,
        }
    }

    pub fn functions(count: u64) -> Amounts {
        Amounts { functions: count, ..Amounts::default() }
    }

    #[must_use]
    pub fn less(self, other: Amounts) -> Amounts {
        Amounts {
            tokens: self.tokens.saturating_sub(other.tokens),
            money: Money(self.money.0.saturating_sub(other.money.0)),
            turns: self.turns.saturating_sub(other.turns),
            functions: self.functions.saturating_sub(other.functions),
        }
    }
}

impl Add for Amounts {
    type Output = Amounts;

    fn add(self, other: Amounts) -> Amounts {
        Amounts {
            tokens: self.tokens.saturating_add(other.tokens),
            money: Money(self.money.0.saturating_add(other.money.0)),
            turns: self.turns.saturating_add(other.turns),
            functions: self.functions.saturating_add(other.functions),
        }
    }
}

impl AddAssign for Amounts {
    fn add_assign(&mut self, other: Amounts) {
        *self = *self + other;
    }
}

impl TokenUsage {
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl Spending {
    /// What is counted as spent without being measured: of a request whose answer was lost.
    pub fn unmeasured(amounts: Amounts) -> Spending {
        Spending { amounts, tokens: TokenUsage::default() }
    }
}
