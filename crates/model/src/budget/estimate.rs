//! Estimates: what a request to a language model may cost at most, before it is made.

use serde_json::Value;

use super::amounts::{Amounts, Dimension, TokenUsage};
use super::chain::Chain;
use super::money::Money;
use super::price::Price;

/// What a model may write at most if the request does not say. It is part of the request then, where a budget limits it.
pub const USUAL_OUTPUT: u64 = 4_096;
/// Fewer are no answer.
const LEAST_OUTPUT: u64 = 16;

/// What a request is known to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// At most: no token is shorter than a byte, and what is not text, such as an image, is longer as JSON than in tokens.
    pub input: u64,
    pub output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// There is none, as of embeddings.
    None,
    /// As the request says.
    Stated(u64),
    /// The request does not say.
    Open,
}

/// What is reserved for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserved {
    pub amounts: Amounts,
    /// What the request has to say that the model may write, because something limits it and the request does not.
    pub most_output: Option<u64>,
}

impl From<Amounts> for Reserved {
    fn from(amounts: Amounts) -> Reserved {
        Reserved { amounts, most_output: None }
    }
}

/// Names by which requests say how much may be written.
const OUTPUT_FIELDS: [&str; 3] = ["max_completion_tokens", "max_output_tokens", "max_tokens"];

impl Estimate {
    /// Of a chat.
    pub fn of_chat(request: &Value) -> Estimate {
        let stated = OUTPUT_FIELDS.iter().find_map(|field| request[field].as_u64());
        let answers = request["n"].as_u64().unwrap_or(1).max(1);
        let output = stated.map_or(Output::Open, |most| Output::Stated(most.saturating_mul(answers)));
        Estimate { input: bytes(request), output }
    }

    pub fn of_embeddings(request: &Value) -> Estimate {
        Estimate { input: bytes(request), output: Output::None }
    }

    /// What to reserve. Where the request leaves open how much is written, that is what there is room for, up to the usual.
    pub fn reserve(&self, price: &Price, chain: &Chain) -> Reserved {
        let (output, most_output) = match self.output {
            Output::None => (0, None),
            Output::Stated(most) => (most, None),
            Output::Open => self.open_output(price, chain),
        };
        let used = TokenUsage { input: self.input, cached: 0, output };
        let amounts = Amounts { tokens: used.total(), money: price.most(used), turns: 1, functions: 0 };
        Reserved { amounts, most_output }
    }

    fn open_output(&self, price: &Price, chain: &Chain) -> (u64, Option<u64>) {
        let tokens = chain.room(Dimension::Tokens).map(|room| room.saturating_sub(self.input));
        let input = price.most(TokenUsage { input: self.input, ..TokenUsage::default() });
        // A micro-dollar less, for what is rounded up.
        let money = |room: u64| price.outputs(Money(room.saturating_sub(input.0).saturating_sub(1)));
        let money = chain.room(Dimension::Money).map(money);
        let room = tokens.into_iter().chain(money).min();
        match room {
            None => (USUAL_OUTPUT, None),
            Some(room) => {
                let most = room.clamp(LEAST_OUTPUT, USUAL_OUTPUT);
                (most, Some(most))
            }
        }
    }
}

fn bytes(request: &Value) -> u64 {
    request.to_string().len() as u64
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::chain::DayLimits;
    use super::super::chain::tests::link;
    use super::super::limits::Limits;
    use super::*;

    fn chain(limits: Limits) -> Chain {
        Chain::new(vec![link(1, "a", 0, limits)], &DayLimits::default(), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_request_says_how_much_may_be_written() {
        let stated = |request: Value| Estimate::of_chat(&request).output;
        assert_eq!(stated(json!({"max_tokens": 5})), Output::Stated(5));
        assert_eq!(stated(json!({"max_completion_tokens": 5, "n": 3})), Output::Stated(15));
        assert_eq!(stated(json!({"messages": []})), Output::Open);
    }

    #[test]
    fn without_a_limit_nothing_is_added_to_a_request() {
        let estimate = Estimate { input: 10, output: Output::Open };
        let reserved = estimate.reserve(&Price::default(), &chain(Limits::default()));
        assert_eq!((reserved.amounts.tokens, reserved.most_output), (10 + USUAL_OUTPUT, None));
        let within =
            estimate.reserve(&Price::default(), &chain(Limits { tokens: Some(110), ..Limits::default() }));
        assert_eq!((within.amounts.tokens, within.most_output), (110, Some(100)));
    }

    proptest! {
        /// What is left open is made to fit, if anything fits.
        #[test]
        fn what_is_left_open_fits_into_what_is_left(
            input in 0_u64..5_000, tokens in 0_u64..20_000, money in 0_u64..100_000, prices: [u16; 2],
        ) {
            let [a, b] = prices.map(|price| Money(u64::from(price) * 100));
            let price = Price { input: a, cached: a, output: b };
            let chain = chain(Limits { tokens: Some(tokens), money: Some(Money(money)), ..Limits::default() });
            let reserved = Estimate { input, output: Output::Open }.reserve(&price, &chain);
            let output = reserved.most_output.unwrap();
            if output > LEAST_OUTPUT {
                prop_assert_eq!(chain.shortage(reserved.amounts, Timestamp::UNIX_EPOCH), None);
            }
        }
    }
}
