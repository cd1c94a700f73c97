//! Money: micro-dollars, written as dollars.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// More than this is a typing error, and sums of less never overflow.
const MOST_MICROS: u64 = 1_000_000_000_000_000;

const MICROS: f64 = 1_000_000.0;

/// In micro-dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(pub u64);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("an amount of money is a number of dollars, such as 0.50, up to a billion")]
pub struct MoneyError;

impl Money {
    pub fn of_dollars(dollars: f64) -> Result<Money, MoneyError> {
        let micros = (dollars * MICROS).round();
        let fits = micros.is_finite() && (0.0..=MOST_MICROS as f64).contains(&micros);
        if fits { Ok(Money(micros as u64)) } else { Err(MoneyError) }
    }

    pub fn dollars(self) -> f64 {
        self.0 as f64 / MICROS
    }
}

impl FromStr for Money {
    type Err = MoneyError;

    fn from_str(text: &str) -> Result<Money, MoneyError> {
        let text = text.strip_prefix('$').unwrap_or(text);
        text.parse().map_err(|_| MoneyError).and_then(Money::of_dollars)
    }
}

/// With cents, and more places where there are less than cents.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, micros) = (self.0 / 1_000_000, self.0 % 1_000_000);
        let places = format!("{micros:06}");
        let places = places.trim_end_matches('0');
        write!(f, "${whole}.{places:0<2}")
    }
}

/// A number of dollars, without a fraction where there is none.
impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_multiple_of(1_000_000) {
            true => serializer.serialize_u64(self.0 / 1_000_000),
            false => serializer.serialize_f64(self.dollars()),
        }
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Money, D::Error> {
        Money::of_dollars(f64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn money_is_shown_as_dollars() {
        let shown = |micros| Money(micros).to_string();
        assert_eq!(
            [0, 500_000, 1_000_000, 1_234, 12_345_670].map(shown),
            ["$0.00", "$0.50", "$1.00", "$0.001234", "$12.34567"]
        );
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for wrong in ["", "-1", "NaN", "inf", "1e30", "fifty"] {
            assert_eq!(wrong.parse::<Money>(), Err(MoneyError), "{wrong}");
        }
        assert_eq!("$0.50".parse(), Ok(Money(500_000)));
        assert!(serde_json::from_value::<Money>(json!(-0.5)).is_err());
    }

    proptest! {
        #[test]
        fn money_reads_back_as_it_was_written(micros in 0..=MOST_MICROS) {
            let written = serde_json::to_string(&Money(micros)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Money>(&written).unwrap(), Money(micros));
            prop_assert_eq!(Money(micros).to_string().parse(), Ok(Money(micros)));
        }
    }
}
