//! Chains: the accounts that a Run spends from. Its own, those of all Runs above it, of the agents among them for the day, and of the
//! brain for the day. One of these that has no room is enough to refuse.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::account::{Account, AccountId, Shortage, later};
use super::amounts::{Amounts, Dimension};
use super::limits::Limits;
use crate::ids::RunId;
use crate::name::EntryName;

/// What may be spent in a day, from midnight to midnight UTC, as the server is configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DayLimits {
    pub brain: Limits,
    pub agents: Vec<(EntryName, Limits)>,
}

/// One of the Runs of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub run_id: RunId,
    pub name: EntryName,
    pub created_at: Timestamp,
    /// How deep it is nested.
    pub depth: u32,
    /// What it was started with.
    pub limits: Limits,
}

/// The Run that spends, and those above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    pub links: Vec<Link>,
    /// In the order of their ids.
    pub accounts: Vec<Account>,
}

impl Link {
    /// Its account before anything is spent.
    pub fn account(&self) -> Account {
        let deadline = self.limits.seconds.map(|seconds| later(self.created_at, seconds));
        Account { deadline, ..Account::new(AccountId::Run(self.run_id), self.limits) }
    }
}

impl Chain {
    /// With accounts of which nothing is spent.
    pub fn new(links: Vec<Link>, days: &DayLimits, now: Timestamp) -> Chain {
        let day = now.to_zoned(TimeZone::UTC).date();
        let mut accounts = vec![Account::new(AccountId::Brain(day), days.brain)];
        for (agent, limits) in &days.agents {
            if links.iter().any(|link| link.name == *agent) {
                accounts.push(Account::new(AccountId::Agent(day, agent.clone()), *limits));
            }
        }
        accounts.extend(links.iter().map(Link::account));
        accounts
            .extend(links.first().map(|link| Account::new(AccountId::Own(link.run_id), Limits::default())));
        accounts.sort_by(|one, other| one.id.cmp(&other.id));
        accounts.dedup_by(|one, other| one.id == other.id);
        Chain { links, accounts }
    }

    /// With what is stored of the accounts. The limits of a Run may have been raised since it was started; those of a day are as the
    /// server is configured now.
    #[must_use]
    pub fn with(mut self, stored: Vec<Account>) -> Chain {
        for found in stored {
            let Some(account) = self.accounts.iter_mut().find(|account| account.id == found.id) else {
                continue;
            };
            let limits = if matches!(found.id, AccountId::Run(_)) { found.limits } else { account.limits };
            *account = Account { limits, ..found };
        }
        self
    }

    /// The first account that has no room for it, and why.
    pub fn shortage(&self, asked: Amounts, now: Timestamp) -> Option<(AccountId, Shortage)> {
        let short = |account: &Account| Some((account.id.clone(), account.shortage(asked, now)?));
        self.accounts.iter().find_map(short)
    }

    /// How much of a dimension may be spent; none if nothing limits it.
    pub fn room(&self, dimension: Dimension) -> Option<u64> {
        self.accounts.iter().filter_map(|account| account.room(dimension)).min()
    }

    /// When the first of them has no more time.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.accounts.iter().filter_map(|account| account.deadline).min()
    }

    /// How long may pass until then.
    pub fn time_left(&self, now: Timestamp) -> Option<Duration> {
        let left = self.deadline()?.duration_since(now);
        Some(Duration::try_from(left).unwrap_or(Duration::ZERO))
    }

    /// Why the Run may start none that is nested so deep.
    pub fn too_deep(&self, depth: u32) -> Option<(AccountId, Shortage)> {
        self.links.iter().find_map(|link| {
            let account = self.run_account(link.run_id)?;
            let limit = account.limits.depth?;
            let used = u64::from(depth.saturating_sub(link.depth));
            let shortage =
                Shortage { dimension: Dimension::Depth, limit, used: used.saturating_sub(1), asked: 1 };
            (used > limit).then(|| (account.id.clone(), shortage))
        })
    }

    pub fn run_account(&self, run: RunId) -> Option<&Account> {
        self.accounts.iter().find(|account| account.id == AccountId::Run(run))
    }

    /// Of whom a Run's account is.
    pub fn link(&self, account: &AccountId) -> Option<&Link> {
        self.links.iter().find(|link| AccountId::Run(link.run_id) == *account)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::super::amounts::Spending;
    use super::super::money::Money;
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    pub(crate) fn link(id: u128, name: &str, depth: u32, limits: Limits) -> Link {
        let run_id = RunId(Uuid::from_u128(id));
        Link { run_id, name: name.parse().unwrap(), created_at: NOW, depth, limits }
    }

    fn seconds(seconds: u64) -> Limits {
        Limits { seconds: Some(seconds), ..Limits::default() }
    }

    #[test]
    fn a_run_spends_from_its_own_account_those_above_and_those_of_the_day() {
        let links = vec![link(2, "helper", 1, Limits::default()), link(1, "build", 0, Limits::default())];
        let agents = ["build", "helper", "other"].map(|name| (name.parse().unwrap(), Limits::default()));
        let days = DayLimits { agents: agents.to_vec(), ..DayLimits::default() };
        let chain = Chain::new(links, &days, NOW);
        let ids: Vec<String> = chain.accounts.iter().map(|account| account.id.to_string()).collect();
        assert!(ids.is_sorted());
        assert_eq!(
            ids,
            [
                "agent:1970-01-01:build",
                "agent:1970-01-01:helper",
                "brain:1970-01-01",
                "own:00000000-0000-0000-0000-000000000002",
                "run:00000000-0000-0000-0000-000000000001",
                "run:00000000-0000-0000-0000-000000000002",
            ]
        );
    }

    #[test]
    fn the_earliest_deadline_above_is_the_deadline() {
        let chain = Chain::new(
            vec![link(2, "b", 1, seconds(90)), link(1, "a", 0, seconds(60))],
            &DayLimits::default(),
            NOW,
        );
        assert_eq!(chain.deadline(), Some(later(NOW, 60)));
        assert_eq!(chain.time_left(later(NOW, 20)), Some(Duration::from_secs(40)));
        assert_eq!(chain.time_left(later(NOW, 70)), Some(Duration::ZERO));
        let (account, _) = chain.shortage(Amounts::default(), later(NOW, 60)).unwrap();
        assert_eq!(account, AccountId::Run(RunId(Uuid::from_u128(1))));
    }

    #[test]
    fn depth_is_counted_from_the_run_that_has_the_limit() {
        let one = Limits { depth: Some(1), ..Limits::default() };
        let chain = Chain::new(
            vec![link(2, "b", 4, Limits::default()), link(1, "a", 3, one)],
            &DayLimits::default(),
            NOW,
        );
        assert_eq!(chain.too_deep(4), None);
        let (account, shortage) = chain.too_deep(5).unwrap();
        assert_eq!(account, AccountId::Run(RunId(Uuid::from_u128(1))));
        assert_eq!((shortage.limit, shortage.used, shortage.asked), (1, 1, 1));
    }

    #[test]
    fn limits_of_a_run_are_as_stored_and_those_of_a_day_as_configured() {
        let tokens = |tokens| Limits { tokens: Some(tokens), ..Limits::default() };
        let days = DayLimits { brain: tokens(50), ..DayLimits::default() };
        let chain = Chain::new(vec![link(1, "a", 0, tokens(10))], &days, NOW);
        let stored = chain.accounts.iter().map(|account| Account {
            limits: tokens(99),
            spent: Amounts { tokens: 7, ..Amounts::default() },
            ..account.clone()
        });
        let chain = chain.clone().with(stored.collect());
        assert_eq!(chain.room(Dimension::Tokens), Some(43));
        assert_eq!(chain.run_account(RunId(Uuid::from_u128(1))).unwrap().limits, tokens(99));
        assert_eq!(chain.room(Dimension::Money), None);
    }

    proptest! {
        /// Children share what their parent has: whatever they were given themselves, together they spend no more.
        #[test]
        fn children_together_spend_no_more_than_their_parent_has(
            cap in 0_u64..100, asked in prop::collection::vec((0_usize..5, 1_u64..30, prop::option::of(0_u64..200)), 0..40),
        ) {
            let tokens = |tokens: Option<u64>| Limits { tokens, ..Limits::default() };
            let mut stored: Vec<Account> = Vec::new();
            let mut total = 0;
            for (child, amount, own) in asked {
                let links = vec![link(10 + child as u128, "child", 1, tokens(own)), link(1, "parent", 0, tokens(Some(cap)))];
                let mut chain = Chain::new(links, &DayLimits::default(), NOW).with(stored.clone());
                let amounts = Amounts { tokens: amount, money: Money(0), turns: 1, functions: 0 };
                if chain.shortage(amounts, NOW).is_some() {
                    continue;
                }
                for account in &mut chain.accounts {
                    account.reserve(amounts, NOW).unwrap();
                    account.settle(amounts, Spending::unmeasured(amounts));
                }
                total += amount;
                stored.retain(|account| chain.accounts.iter().all(|one| one.id != account.id));
                stored.extend(chain.accounts);
            }
            prop_assert!(total <= cap);
        }
    }
}
