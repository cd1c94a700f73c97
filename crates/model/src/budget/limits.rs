//! Limits: how much of each dimension may be spent. What is not limited is not bounded by this budget.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::amounts::Dimension;
use super::money::Money;
use crate::function::options::{OptionError, wrong};

/// More than this is a typing error, and sums of less never overflow.
const MOST: u64 = 1_000_000_000_000;
/// A year.
const MOST_SECONDS: u64 = 31_536_000;

const EXPECTED: &str = "a number of dollars, or a dict with `money` (dollars), `tokens`, `turns`, `functions`, `seconds` and `depth`";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = BudgetLimits)]
pub struct Limits {
    /// Of language models, read and written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// In dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    pub money: Option<Money>,
    /// Requests to language models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// New functions that are proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<u64>,
    /// From the start of the run to its end, whatever it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Levels of runs below the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
}

impl Limits {
    pub fn is_empty(&self) -> bool {
        *self == Limits::default()
    }

    pub fn of(&self, dimension: Dimension) -> Option<u64> {
        match dimension {
            Dimension::Tokens => self.tokens,
            Dimension::Money => self.money.map(|money| money.0),
            Dimension::Turns => self.turns,
            Dimension::Functions => self.functions,
            Dimension::Seconds => self.seconds,
            Dimension::Depth => self.depth,
        }
    }

    /// With what others state instead; what they do not state stays.
    #[must_use]
    pub fn stated_over(self, declared: Limits) -> Limits {
        Limits {
            tokens: self.tokens.or(declared.tokens),
            money: self.money.or(declared.money),
            turns: self.turns.or(declared.turns),
            functions: self.functions.or(declared.functions),
            seconds: self.seconds.or(declared.seconds),
            depth: self.depth.or(declared.depth),
        }
    }

    /// Raised by what is added; what has no limit gets none.
    #[must_use]
    pub fn raised(self, by: &Limits) -> Limits {
        let sum = |limit: Option<u64>, more: Option<u64>| limit.map(|limit| limit + more.unwrap_or_default());
        let micros = |money: Option<Money>| money.map(|money| money.0);
        Limits {
            tokens: sum(self.tokens, by.tokens),
            money: sum(micros(self.money), micros(by.money)).map(Money),
            turns: sum(self.turns, by.turns),
            functions: sum(self.functions, by.functions),
            seconds: sum(self.seconds, by.seconds),
            depth: sum(self.depth, by.depth),
        }
    }

    /// Whether something of this is bounded by what passes or nests, and not only by what is spent.
    pub fn bounds_runs(&self) -> bool {
        self.seconds.is_some() || self.depth.is_some()
    }

    /// As a function states it: a number of dollars, or a limit for each dimension.
    pub fn of_option(value: &Value) -> Result<Limits, OptionError> {
        let failed = || wrong("budget", EXPECTED, value);
        let limits = match value {
            Value::Number(_) => {
                let money = value.as_f64().and_then(|dollars| Money::of_dollars(dollars).ok());
                Limits { money: Some(money.ok_or_else(failed)?), ..Limits::default() }
            }
            Value::Object(_) => serde_json::from_value(value.clone()).map_err(|_| failed())?,
            _ => return Err(failed()),
        };
        limits.checked().ok_or_else(failed)
    }

    /// As the option that states it.
    pub fn option(&self) -> Value {
        match self {
            Limits { money: Some(money), .. }
                if *self == Limits { money: Some(*money), ..Limits::default() } =>
            {
                serde_json::to_value(money).unwrap_or_default()
            }
            limits => serde_json::to_value(limits).unwrap_or_default(),
        }
    }

    /// If every number is one that somebody may mean, and there is one.
    pub fn checked(self) -> Option<Limits> {
        let fits = |dimension: Dimension| {
            let most = if dimension == Dimension::Seconds { MOST_SECONDS } else { MOST };
            // Money is bounded where it is read.
            dimension == Dimension::Money || self.of(dimension).is_none_or(|limit| limit <= most)
        };
        let all = Dimension::SPENT.into_iter().chain([Dimension::Seconds, Dimension::Depth]);
        (!self.is_empty() && all.into_iter().all(fits)).then_some(self)
    }

    /// In words: `$0.50, 20 turns`.
    pub fn shown(&self) -> String {
        let all = Dimension::SPENT.into_iter().chain([Dimension::Seconds, Dimension::Depth]);
        let parts = all.filter_map(|dimension| Some(dimension.shown(self.of(dimension)?)));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// As settings have it: `money=5 tokens=2000000`.
impl FromStr for Limits {
    type Err = ();

    fn from_str(text: &str) -> Result<Limits, ()> {
        let mut limits = Limits::default();
        for part in text.split_whitespace() {
            let (name, number) = part.split_once('=').ok_or(())?;
            let whole = || number.parse::<u64>().map(Some).map_err(|_| ());
            match name {
                "money" => limits.money = Some(number.parse().map_err(|_| ())?),
                "tokens" => limits.tokens = whole()?,
                "turns" => limits.turns = whole()?,
                "functions" => limits.functions = whole()?,
                "seconds" => limits.seconds = whole()?,
                "depth" => limits.depth = whole()?,
                _ => return Err(()),
            }
        }
        limits.checked().ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn any_limits() -> impl Strategy<Value = Limits> {
        let number = || prop::option::of(0_u64..2_000_000);
        (number(), number(), number(), number(), number(), number()).prop_map(
            |(tokens, money, turns, functions, seconds, depth)| {
                let money = money.map(Money);
                Limits { tokens, money, turns, functions, seconds, depth }
            },
        )
    }

    #[test]
    fn a_number_is_a_number_of_dollars() {
        let half = Limits { money: Some(Money(500_000)), ..Limits::default() };
        assert_eq!(Limits::of_option(&json!(0.5)), Ok(half));
        assert_eq!(
            Limits::of_option(&json!({"money": 0.5, "tokens": 7})),
            Ok(Limits { tokens: Some(7), ..half })
        );
        for wrong in [
            json!(-1),
            json!({}),
            json!({"euros": 1}),
            json!("1"),
            json!({"tokens": -1}),
            json!({"seconds": 1e12}),
        ] {
            assert!(Limits::of_option(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn settings_name_each_dimension() {
        let read: Result<Limits, ()> = "money=5 tokens=2000000".parse();
        assert_eq!(read.unwrap().shown(), "2000000 tokens, $5.00");
        for wrong in ["", "money", "money=x", "cents=1", "tokens=-1"] {
            assert_eq!(wrong.parse::<Limits>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn what_has_no_limit_is_not_given_one_by_raising_it() {
        let one = Limits { turns: Some(1), ..Limits::default() };
        let more = Limits { turns: Some(2), tokens: Some(5), ..Limits::default() };
        assert_eq!(one.raised(&more), Limits { turns: Some(3), ..Limits::default() });
    }

    proptest! {
        #[test]
        fn what_is_exported_reads_back(limits in any_limits()) {
            prop_assume!(!limits.is_empty());
            prop_assert_eq!(Limits::of_option(&limits.option()), Ok(limits));
            let stored = serde_json::to_string(&limits).unwrap();
            prop_assert_eq!(serde_json::from_str::<Limits>(&stored).unwrap(), limits);
        }
    }
}
