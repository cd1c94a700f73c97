//! Accounts: what may be spent of one budget, what is spent, and what is reserved.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::amounts::{Amounts, Dimension, Spending, TokenUsage};
use super::limits::Limits;
use crate::ids::RunId;
use crate::name::EntryName;

/// Whose account it is. Written as text, the order of the variants is that of the alphabet; whoever writes into several takes them in that
/// order, so that no two wait for each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum AccountId {
    /// Of all Runs of a function, with what they start, in a day.
    Agent(Date, EntryName),
    /// Of everything, in a day.
    Brain(Date),
    /// Of a Run alone. It has no limits, and only says what the Run spent itself.
    Own(RunId),
    /// Of a Run with all that it starts.
    Run(RunId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    pub limits: Limits,
    /// Nothing is reserved at this time or later.
    pub deadline: Option<Timestamp>,
    pub spent: Amounts,
    pub reserved: Amounts,
    /// What was spent on models, as far as it was measured.
    pub tokens: TokenUsage,
    /// People were told that it is exhausted, and nobody has raised its limits since.
    pub is_told: bool,
}

/// Why an account refuses something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    pub dimension: Dimension,
    pub limit: u64,
    /// Spent and reserved.
    pub used: u64,
    pub asked: u64,
}

impl Account {
    /// One of which nothing is spent.
    pub fn new(id: AccountId, limits: Limits) -> Account {
        Account {
            id,
            limits,
            deadline: None,
            spent: Amounts::default(),
            reserved: Amounts::default(),
            tokens: TokenUsage::default(),
            is_told: false,
        }
    }

    /// What is spent, or may be by the time that all that is under way has ended.
    pub fn used(&self) -> Amounts {
        self.spent + self.reserved
    }

    /// How much more may be spent; none if there is no limit.
    pub fn room(&self, dimension: Dimension) -> Option<u64> {
        let limit = self.limits.of(dimension)?;
        Some(limit.saturating_sub(self.used().of(dimension)))
    }

    /// Why so much may not be reserved now. What is not asked for is not refused, even where more was spent than the limit.
    pub fn shortage(&self, asked: Amounts, now: Timestamp) -> Option<Shortage> {
        if let Some(deadline) = self.deadline
            && now >= deadline
        {
            let limit = self.limits.seconds.unwrap_or_default();
            let over = u64::try_from(now.duration_since(deadline).as_secs()).unwrap_or_default();
            return Some(Shortage { dimension: Dimension::Seconds, limit, used: limit + over, asked: 0 });
        }
        Dimension::SPENT.into_iter().find_map(|dimension| {
            let (asked, used) = (asked.of(dimension), self.used().of(dimension));
            let limit = self.limits.of(dimension)?;
            let is_short = asked > 0 && used.saturating_add(asked) > limit;
            is_short.then_some(Shortage { dimension, limit, used, asked })
        })
    }

    pub fn reserve(&mut self, amounts: Amounts, now: Timestamp) -> Result<(), Shortage> {
        match self.shortage(amounts, now) {
            Some(shortage) => Err(shortage),
            None => {
                self.reserved += amounts;
                Ok(())
            }
        }
    }

    /// What was reserved is spent, at what it cost.
    pub fn settle(&mut self, reserved: Amounts, spending: Spending) {
        self.reserved = self.reserved.less(reserved);
        self.spent += spending.amounts;
        self.tokens.input += spending.tokens.input;
        self.tokens.cached += spending.tokens.cached;
        self.tokens.output += spending.tokens.output;
    }

    /// With higher limits. More time counts from now if none was left.
    pub fn extend(&mut self, more: &Limits, now: Timestamp) {
        self.limits = self.limits.raised(more);
        self.is_told = false;
        let seconds = more.seconds.unwrap_or_default();
        if let Some(deadline) = self.deadline.filter(|_| seconds > 0) {
            self.deadline = Some(later(deadline.max(now), seconds));
        }
    }
}

/// So many seconds later, or the end of time.
pub(super) fn later(from: Timestamp, seconds: u64) -> Timestamp {
    from.checked_add(std::time::Duration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccountId::Agent(day, name) => write!(f, "agent:{day}:{name}"),
            AccountId::Brain(day) => write!(f, "brain:{day}"),
            AccountId::Own(run) => write!(f, "own:{run}"),
            AccountId::Run(run) => write!(f, "run:{run}"),
        }
    }
}

impl FromStr for AccountId {
    type Err = String;

    fn from_str(text: &str) -> Result<AccountId, String> {
        let wrong = || format!("`{text}` is not the account of a budget");
        let (kind, rest) = text.split_once(':').ok_or_else(wrong)?;
        let day = |text: &str| text.parse::<Date>().map_err(|_| wrong());
        let run = || rest.parse::<RunId>().map_err(|_| wrong());
        match kind {
            "agent" => {
                let (at, name) = rest.split_once(':').ok_or_else(wrong)?;
                Ok(AccountId::Agent(day(at)?, name.parse().map_err(|_| wrong())?))
            }
            "brain" => Ok(AccountId::Brain(day(rest)?)),
            "own" => Ok(AccountId::Own(run()?)),
            "run" => Ok(AccountId::Run(run()?)),
            _ => Err(wrong()),
        }
    }
}

impl TryFrom<String> for AccountId {
    type Error = String;

    fn try_from(text: String) -> Result<AccountId, String> {
        text.parse()
    }
}

impl From<AccountId> for String {
    fn from(id: AccountId) -> String {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::super::money::Money;
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn limited(limits: Limits) -> Account {
        Account::new(AccountId::Run(RunId(Uuid::from_u128(1))), limits)
    }

    #[test]
    fn an_account_is_written_and_read() {
        let day = jiff::civil::date(2026, 3, 1);
        let run = RunId(Uuid::from_u128(7));
        let mut ids = vec![
            AccountId::Run(run),
            AccountId::Own(run),
            AccountId::Brain(day),
            AccountId::Agent(day, "tools.build".parse().unwrap()),
        ];
        ids.sort();
        let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
        assert!(texts.is_sorted(), "{texts:?}");
        for (id, text) in ids.into_iter().zip(&texts) {
            assert_eq!(text.parse(), Ok(id));
        }
        assert!("run:x".parse::<AccountId>().is_err() && "x:1".parse::<AccountId>().is_err());
    }

    #[test]
    fn an_account_refuses_what_it_has_no_room_for_and_says_why() {
        let mut account = limited(Limits { turns: Some(2), ..Limits::default() });
        let turn = Amounts { turns: 1, tokens: 1_000_000, ..Amounts::default() };
        account.reserve(turn, NOW).unwrap();
        account.reserve(turn, NOW).unwrap();
        let shortage = Shortage { dimension: Dimension::Turns, limit: 2, used: 2, asked: 1 };
        assert_eq!(account.reserve(turn, NOW), Err(shortage));
        account.settle(turn, Spending::default());
        account.reserve(turn, NOW).unwrap();
    }

    #[test]
    fn more_time_counts_from_now_if_none_was_left() {
        let mut account = limited(Limits { seconds: Some(60), ..Limits::default() });
        account.deadline = Some(later(NOW, 60));
        let late = later(NOW, 100);
        let shortage = account.shortage(Amounts::default(), late).unwrap();
        assert_eq!((shortage.dimension, shortage.limit, shortage.used), (Dimension::Seconds, 60, 100));
        account.extend(&Limits { seconds: Some(10), ..Limits::default() }, late);
        assert_eq!((account.deadline, account.limits.seconds), (Some(later(NOW, 110)), Some(70)));
        assert_eq!(account.shortage(Amounts::default(), late), None);
    }

    /// What happens to an account: something is asked for, or one of the reservations that are there ends.
    #[derive(Clone, Debug)]
    enum Happening {
        Ask(Amounts),
        /// It cost this share of what was reserved.
        Settle(prop::sample::Index, u8),
        Lose(prop::sample::Index),
        Extend(Limits),
    }

    fn amounts() -> impl Strategy<Value = Amounts> {
        (0_u64..50, 0_u64..50, 0_u64..3, 0_u64..3).prop_map(|(tokens, money, turns, functions)| Amounts {
            tokens,
            money: Money(money),
            turns,
            functions,
        })
    }

    fn happening() -> impl Strategy<Value = Happening> {
        prop_oneof![
            4 => amounts().prop_map(Happening::Ask),
            2 => (any::<prop::sample::Index>(), 0_u8..=100).prop_map(|(which, share)| Happening::Settle(which, share)),
            1 => any::<prop::sample::Index>().prop_map(Happening::Lose),
            1 => (0_u64..20).prop_map(|more| Happening::Extend(Limits { tokens: Some(more), ..Limits::default() })),
        ]
    }

    proptest! {
        #[test]
        fn no_limit_is_exceeded_and_nothing_stays_reserved(
            tokens in 0_u64..200, money in 0_u64..200, turns in 0_u64..9,
            happenings in prop::collection::vec(happening(), 0..60),
        ) {
            let limits = Limits { tokens: Some(tokens), money: Some(Money(money)), turns: Some(turns), ..Limits::default() };
            let mut account = limited(limits);
            let mut open: Vec<Amounts> = Vec::new();
            for happened in happenings {
                match happened {
                    Happening::Ask(asked) => {
                        let before = account.clone();
                        match account.reserve(asked, NOW) {
                            Ok(()) => open.push(asked),
                            Err(shortage) => {
                                prop_assert_eq!(&account, &before);
                                prop_assert!(shortage.used + shortage.asked > shortage.limit);
                            }
                        }
                    }
                    Happening::Settle(which, share) if !open.is_empty() => {
                        let reserved = open.remove(which.index(open.len()));
                        let part = |amount: u64| amount * u64::from(share) / 100;
                        let cost = Amounts { tokens: part(reserved.tokens), money: Money(part(reserved.money.0)), ..reserved };
                        account.settle(reserved, Spending::unmeasured(cost));
                    }
                    Happening::Lose(which) if !open.is_empty() => {
                        let reserved = open.remove(which.index(open.len()));
                        account.settle(reserved, Spending::unmeasured(reserved));
                    }
                    Happening::Extend(more) => account.extend(&more, NOW),
                    Happening::Settle(..) | Happening::Lose(_) => {}
                }
                for dimension in Dimension::SPENT {
                    let limit = account.limits.of(dimension).unwrap_or(u64::MAX);
                    prop_assert!(account.used().of(dimension) <= limit, "{dimension:?}");
                }
            }
            for reserved in open {
                account.settle(reserved, Spending::unmeasured(reserved));
            }
            prop_assert_eq!(account.reserved, Amounts::default());
        }
    }
}
