//! Prices of language models.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::amounts::TokenUsage;
use super::money::Money;
use crate::llm;

/// For a million tokens of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Price {
    #[schema(value_type = f64)]
    pub input: Money,
    /// Of input that the model has in its cache.
    #[schema(value_type = f64)]
    pub cached: Money,
    #[schema(value_type = f64)]
    pub output: Money,
}

const MILLION: u128 = 1_000_000;

impl Price {
    /// Rounded up, so that many small requests cost no less than one large one.
    pub fn cost(&self, used: TokenUsage) -> Money {
        let cached = used.cached.min(used.input);
        let of = |tokens: u64, price: Money| u128::from(tokens) * u128::from(price.0);
        let sum =
            of(used.input - cached, self.input) + of(cached, self.cached) + of(used.output, self.output);
        Money(u64::try_from(sum.div_ceil(MILLION)).unwrap_or(u64::MAX))
    }

    /// What so many tokens may cost at most, whatever of the input is cached.
    pub fn most(&self, used: TokenUsage) -> Money {
        let dearest = Price { input: self.input.max(self.cached), ..*self };
        dearest.cost(TokenUsage { cached: 0, ..used })
    }

    /// How many tokens of output so much money buys.
    pub fn outputs(&self, money: Money) -> u64 {
        match self.output.0 {
            0 => u64::MAX,
            price => u64::try_from(u128::from(money.0) * MILLION / u128::from(price)).unwrap_or(u64::MAX),
        }
    }
}

/// Where writing to the cache is charged by itself, all input counts as the dearer of the two.
impl From<&llm::Price> for Price {
    fn from(price: &llm::Price) -> Price {
        let cached = price.cached.unwrap_or(price.input);
        let input = price.written.unwrap_or(price.input).max(price.input);
        Price { input: Money(input), cached: Money(cached), output: Money(price.output) }
    }
}

impl From<Price> for llm::Price {
    fn from(Price { input, cached, output }: Price) -> llm::Price {
        llm::Price { input: input.0, cached: Some(cached.0), written: None, output: output.0 }
    }
}

/// Dollars for a million tokens of input, of cached input and of output: `0.15/0.075/0.60`.
impl FromStr for Price {
    type Err = ();

    fn from_str(text: &str) -> Result<Price, ()> {
        let parts: Vec<Money> =
            text.split('/').map(|part| part.trim().parse()).collect::<Result<_, _>>().map_err(|_| ())?;
        match parts[..] {
            [input, cached, output] => Ok(Price { input, cached, output }),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_cached_has_its_own_price() {
        let price: Price = "2.50/0.25/10".parse().unwrap();
        let used = TokenUsage { input: 1_000, cached: 400, output: 100 };
        assert_eq!(price.cost(used), Money(600 * 5 / 2 + 400 / 4 + 1_000));
        assert_eq!(price.outputs(Money(1_000)), 100);
        assert_eq!("1/2".parse::<Price>(), Err(()));
    }

    proptest! {
        #[test]
        fn nothing_costs_more_than_the_most(
            input in 0_u64..10_000_000, cached in 0_u64..10_000_000, output in 0_u64..10_000_000,
            prices: [u32; 3],
        ) {
            let [a, b, c] = prices.map(|price| Money(price.into()));
            let price = Price { input: a, cached: b, output: c };
            let used = TokenUsage { input, cached: cached.min(input), output };
            prop_assert!(price.cost(used) <= price.most(used));
        }
    }
}
