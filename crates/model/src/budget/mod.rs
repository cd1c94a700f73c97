//! Budgets: what a Run, with all that it starts, may spend, and what an agent and the whole brain may spend in a day.
//!
//! Every spending is *reserved* before and *settled* after, in each account of a [`chain`]: those of the Run, of the Runs above it, and of the
//! day. An account refuses what its limits have no room for, and what is reserved counts as if it were spent. So however many spend
//! at once, and whenever one of them is lost, no limit is exceeded. The store keeps the accounts and repeats the
//! rule of [`account`] in its statements.

pub mod account;
pub mod amounts;
pub mod chain;
pub mod estimate;
pub mod exhausted;
pub mod limits;
pub mod money;
pub mod price;
pub mod request;

pub use self::account::{Account, AccountId, Shortage};
pub use self::amounts::{Amounts, Dimension, Spending, TokenUsage};
pub use self::chain::{Chain, DayLimits, Link};
pub use self::exhausted::Exhausted;
pub use self::limits::Limits;
pub use self::money::Money;
pub use self::price::Price;
