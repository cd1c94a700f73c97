//! That a budget has no room: as the code of a Run reads it, and as people are told.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::account::{AccountId, Shortage};
use super::amounts::Dimension;
use super::chain::Chain;
use super::money::Money;
use crate::access::Authority;
use crate::access::actor::Actor;
use crate::event::{EventKind, NewEvent};
use crate::ids::RunId;
use crate::name::EntryName;
use crate::run::Run;

/// The type of the error in a cell, and of Runs that end because of it.
pub const BUDGET_EXHAUSTED: &str = "selfmade.BudgetExhausted";

/// A budget that has no room for what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhausted {
    pub holder: Holder,
    pub shortage: Shortage,
}

/// Whose budget it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    Run {
        run: RunId,
        name: EntryName,
    },
    Agent {
        run: RunId,
        name: EntryName,
        day: Date,
    },
    Brain {
        day: Date,
    },
    /// One that whoever reads of it may not see.
    Hidden,
}

impl Exhausted {
    pub fn new(chain: &Chain, account: &AccountId, shortage: Shortage) -> Exhausted {
        let named = |name: &EntryName| chain.links.iter().find(|link| link.name == *name);
        let holder = match account {
            AccountId::Run(run) | AccountId::Own(run) => {
                let link = chain.links.iter().find(|link| link.run_id == *run);
                link.map(|link| Holder::Run { run: *run, name: link.name.clone() })
            }
            AccountId::Agent(day, name) => {
                named(name).map(|link| Holder::Agent { run: link.run_id, name: name.clone(), day: *day })
            }
            AccountId::Brain(day) => Some(Holder::Brain { day: *day }),
        };
        Exhausted { holder: holder.unwrap_or(Holder::Hidden), shortage }
    }

    /// As somebody with this authority may read it: what others spent is told by the accounts of Runs that it covers, and of the brain only to
    /// those who see all of it.
    #[must_use]
    pub fn seen_by(&self, authority: &Authority) -> Exhausted {
        let is_seen = match &self.holder {
            Holder::Run { name, .. } | Holder::Agent { name, .. } => authority.covers(name.as_str()),
            Holder::Brain { .. } => authority.only.is_all(),
            Holder::Hidden => false,
        };
        let holder = if is_seen { self.holder.clone() } else { Holder::Hidden };
        Exhausted { holder, shortage: self.shortage }
    }

    /// What people hear of it. Its source is whose budget it is, and it names no other Run, so that who may see the one sees all of it. Of
    /// the brain's day there are no amounts: its source is the Run that asked, and those who see that may not see what others spent.
    pub fn event(&self, asked_by: &Run, at: Timestamp) -> NewEvent {
        let Shortage { dimension, limit, used, asked } = self.shortage;
        let number = |amount: u64| match dimension {
            Dimension::Money => serde_json::to_value(Money(amount)).unwrap_or_default(),
            _ => Value::from(amount),
        };
        let (budget, run, name) = match &self.holder {
            Holder::Run { run, name } => ("run", *run, name),
            Holder::Agent { run, name, .. } => ("agent", *run, name),
            Holder::Brain { .. } | Holder::Hidden => ("brain", asked_by.run_id, &asked_by.key.name),
        };
        let mut data =
            json!({ "run_id": run, "budget": budget, "dimension": dimension, "chain": asked_by.chain });
        if budget == "brain" {
            data["message"] = format!(
                "`{name}` was refused: the brain's budget for the day has no room ({})",
                dimension.as_str()
            )
            .into();
        } else {
            data["limit"] = number(limit);
            data["spent"] = number(used);
            data["asked"] = number(asked);
            data["message"] = format!("{self}").into();
        }
        NewEvent {
            kind: EventKind::BudgetExhausted,
            source: name.to_string(),
            data,
            actor: Actor::Run(run),
            at,
        }
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shortage { dimension, limit, used, asked } = self.shortage;
        match &self.holder {
            Holder::Run { run, name } => write!(f, "the budget of run {run} of `{name}`")?,
            Holder::Agent { name, day, .. } => write!(f, "the budget of `{name}` for {day}")?,
            Holder::Brain { day } => write!(f, "the brain's budget for {day}")?,
            Holder::Hidden if dimension == Dimension::Seconds => {
                return write!(f, "a budget that this run shares has no time left");
            }
            Holder::Hidden => {
                return write!(f, "a budget that this run shares has no room for {}", dimension.shown(asked));
            }
        }
        let (limit, shown) = (dimension.shown(limit), |amount| dimension.shown(amount));
        match dimension {
            Dimension::Seconds => write!(f, " has no time left: its limit of {limit} was reached")?,
            Dimension::Depth => write!(f, " allows {limit} of runs below it, and that many are there")?,
            _ => write!(
                f,
                " has no room for {}: of {limit}, {} spent or reserved",
                shown(asked),
                if used == 1 { format!("{} is", shown(used)) } else { format!("{} are", shown(used)) }
            )?,
        }
        match &self.holder {
            Holder::Run { run, .. } => {
                let option = dimension.as_str();
                write!(
                    f,
                    "; `selfmade runs extend {run} --{option} …` raises it, `selfmade.ask_budget` asks for more"
                )
            }
            _ => write!(f, "; it begins anew at midnight UTC, and `[budget]` in `config.toml` sets it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use uuid::Uuid;

    use super::*;
    use crate::access::scope::Scope;

    const DAY: Date = date(2026, 3, 1);

    fn exhausted(holder: Holder, dimension: Dimension) -> Exhausted {
        Exhausted { holder, shortage: Shortage { dimension, limit: 500_000, used: 480_000, asked: 50_000 } }
    }

    fn of_run(dimension: Dimension) -> Exhausted {
        let run = RunId(Uuid::from_u128(7));
        exhausted(Holder::Run { run, name: "build".parse().unwrap() }, dimension)
    }

    #[test]
    fn it_says_whose_budget_has_no_room_and_what_to_do() {
        insta::assert_snapshot!(of_run(Dimension::Money), @"the budget of run 00000000-0000-0000-0000-000000000007 of `build` has no room for $0.05: of $0.50, $0.48 are spent or reserved; `selfmade runs extend 00000000-0000-0000-0000-000000000007 --money …` raises it, `selfmade.ask_budget` asks for more");
        insta::assert_snapshot!(exhausted(Holder::Brain { day: DAY }, Dimension::Tokens), @"the brain's budget for 2026-03-01 has no room for 50000 tokens: of 500000 tokens, 480000 tokens are spent or reserved; it begins anew at midnight UTC, and `[budget]` in `config.toml` sets it");
        insta::assert_snapshot!(exhausted(Holder::Hidden, Dimension::Turns), @"a budget that this run shares has no room for 50000 turns");
        insta::assert_snapshot!(exhausted(Holder::Hidden, Dimension::Seconds), @"a budget that this run shares has no time left");
    }

    #[test]
    fn a_narrow_reader_sees_what_it_covers_and_nothing_of_the_brain() {
        let narrow =
            Authority { only: Scope::Names(vec!["build".to_owned()]), ..Authority::of_command_line() };
        let brain = exhausted(Holder::Brain { day: DAY }, Dimension::Money);
        assert_eq!(brain.seen_by(&narrow).holder, Holder::Hidden);
        assert_eq!(brain.seen_by(&Authority::of_command_line()), brain);
        assert_eq!(of_run(Dimension::Money).seen_by(&narrow), of_run(Dimension::Money));
        let other = Authority { only: Scope::Names(vec!["x".to_owned()]), ..narrow };
        assert_eq!(of_run(Dimension::Money).seen_by(&other).holder, Holder::Hidden);
    }

    #[test]
    fn an_event_about_the_brain_has_no_amounts() {
        let run = crate::run::tests::run();
        let told = exhausted(Holder::Brain { day: DAY }, Dimension::Money).event(&run, Timestamp::UNIX_EPOCH);
        assert_eq!((told.source.as_str(), told.data.get("limit")), ("f", None));
        assert!(!told.data.to_string().contains("0.5"), "{}", told.data);
        let told = of_run(Dimension::Money).event(&run, Timestamp::UNIX_EPOCH);
        assert_eq!(
            (told.source.as_str(), &told.data["limit"], &told.data["spent"]),
            ("build", &0.5.into(), &0.48.into())
        );
    }
}
