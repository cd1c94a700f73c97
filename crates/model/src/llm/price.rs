//! What an exchange took: tokens, and money in micro-dollars.

use serde::{Deserialize, Serialize};

/// Tokens of one exchange. The kinds do not overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Usage {
    /// Of the prompt, neither read from the server's cache nor written to it.
    pub input: u64,
    /// Of the prompt, read from the server's cache.
    pub cached: u64,
    /// Of the prompt, written to the server's cache, where that is charged by itself.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub written: u64,
    /// Of the reply, with what the model thought.
    pub output: u64,
    /// Whether it is a guess, because the server did not say.
    #[serde(skip)]
    pub is_estimated: bool,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    pub fn total(&self) -> u64 {
        [self.cached, self.written, self.output]
            .iter()
            .fold(self.input, |sum, more| sum.saturating_add(*more))
    }

    /// What is assumed where a server does not say: a token has about four bytes of English, and fewer of code.
    pub fn estimated(sent_bytes: usize, received_bytes: usize) -> Usage {
        let tokens = |bytes: usize| (bytes as u64).div_ceil(3);
        let (input, output) = (tokens(sent_bytes), tokens(received_bytes));
        Usage { input, output, is_estimated: true, ..Usage::default() }
    }
}

/// Micro-dollars for a million tokens: 3 dollars are 3,000,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    #[serde(default)]
    pub input: u64,
    /// As input if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// As input if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    #[serde(default)]
    pub output: u64,
}

const MILLION: u128 = 1_000_000;

impl Price {
    /// In micro-dollars, rounded up, so that many small exchanges are not free.
    pub fn cost(&self, usage: &Usage) -> u64 {
        let of = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let sum = of(usage.input, self.input)
            .saturating_add(of(usage.cached, self.cached.unwrap_or(self.input)))
            .saturating_add(of(usage.written, self.written.unwrap_or(self.input)))
            .saturating_add(of(usage.output, self.output));
        u64::try_from(sum.div_ceil(MILLION)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_token_has_its_price_and_the_sum_is_rounded_up() {
        let price = Price { input: 3_000_000, cached: Some(300_000), written: None, output: 15_000_000 };
        let usage = Usage { input: 1_000, cached: 10_000, written: 100, output: 200, ..Usage::default() };
        assert_eq!(price.cost(&usage), 3_000 + 3_000 + 300 + 3_000);
        assert_eq!(Price { input: 1, ..Price::default() }.cost(&Usage { input: 1, ..Usage::default() }), 1);
        assert_eq!(Price::default().cost(&usage), 0);
        assert_eq!(usage.total(), 11_300);
    }
}
