//! What a batch changes that somebody may wait for. Only a hint: whoever is woken by it reads the database.

use model::ids::RunId;
use uuid::Uuid;

/// So many Runs are named one by one; if there are more, all Runs are meant. It keeps a notification far below the 8,000 bytes that
/// PostgreSQL allows.
const MOST_RUNS: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A Run was queued, or one that is queued may have become claimable.
    Queue,
    Events,
    /// A Changeset was applied.
    Brain,
    /// A Run that is being executed was asked to end.
    Cancels,
}

impl Topic {
    pub const ALL: [Topic; 4] = [Topic::Queue, Topic::Events, Topic::Brain, Topic::Cancels];

    fn letter(self) -> char {
        match self {
            Topic::Queue => 'q',
            Topic::Events => 'e',
            Topic::Brain => 'b',
            Topic::Cancels => 'c',
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Which Runs ended or began to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedRuns {
    These(Vec<RunId>),
    /// More than can be named, or nobody knows which.
    Any,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    topics: u8,
    changed_runs: ChangedRuns,
}

impl Default for Changes {
    fn default() -> Changes {
        Changes { topics: 0, changed_runs: ChangedRuns::These(Vec::new()) }
    }
}

impl Changes {
    /// For those who may have missed something.
    pub fn everything() -> Changes {
        let topics = Topic::ALL.into_iter().fold(0, |topics, topic| topics | topic.bit());
        Changes { topics, changed_runs: ChangedRuns::Any }
    }

    pub fn has(&self, topic: Topic) -> bool {
        self.topics & topic.bit() != 0
    }

    pub fn changed_runs(&self) -> &ChangedRuns {
        &self.changed_runs
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.topics == 0 && matches!(&self.changed_runs, ChangedRuns::These(runs) if runs.is_empty())
    }

    pub(crate) fn add(&mut self, topic: Topic) {
        self.topics |= topic.bit();
    }

    pub(crate) fn add_run(&mut self, run: RunId) {
        match &mut self.changed_runs {
            ChangedRuns::These(runs) if runs.contains(&run) => {}
            ChangedRuns::These(runs) if runs.len() < MOST_RUNS => runs.push(run),
            changed_runs => *changed_runs = ChangedRuns::Any,
        }
    }

    pub(crate) fn merge(&mut self, other: &Changes) {
        self.topics |= other.topics;
        match &other.changed_runs {
            ChangedRuns::These(runs) => runs.iter().for_each(|run| self.add_run(*run)),
            ChangedRuns::Any => self.changed_runs = ChangedRuns::Any,
        }
    }

    /// As other processes are told: a letter for each topic, `*` for any Run, then the Runs.
    pub(crate) fn to_text(&self) -> String {
        let mut text: String =
            Topic::ALL.iter().filter(|topic| self.has(**topic)).map(|topic| topic.letter()).collect();
        match &self.changed_runs {
            ChangedRuns::Any => text.push('*'),
            ChangedRuns::These(runs) => {
                for run in runs {
                    text.push(' ');
                    text.push_str(&run.0.simple().to_string());
                }
            }
        }
        text
    }

    /// What cannot be read may be of a newer selfmade, and may mean anything.
    pub(crate) fn from_text(text: &str) -> Changes {
        Changes::parse(text).unwrap_or_else(Changes::everything)
    }

    fn parse(text: &str) -> Option<Changes> {
        let mut changes = Changes::default();
        let mut words = text.split(' ');
        for letter in words.next()?.chars() {
            match Topic::ALL.into_iter().find(|topic| topic.letter() == letter) {
                Some(topic) => changes.add(topic),
                None if letter == '*' => changes.changed_runs = ChangedRuns::Any,
                None => return None,
            }
        }
        for word in words {
            changes.add_run(RunId(Uuid::try_parse(word).ok()?));
        }
        Some(changes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(number: u128) -> RunId {
        RunId(Uuid::from_u128(number))
    }

    #[test]
    fn what_is_told_is_what_is_heard() {
        let mut changes = Changes::default();
        assert_eq!(Changes::from_text(&changes.to_text()), changes);
        changes.add(Topic::Queue);
        changes.add(Topic::Cancels);
        changes.add_run(run(7));
        changes.add_run(run(8));
        changes.add_run(run(7));
        let text = changes.to_text();
        assert_eq!(text, "qc 00000000000000000000000000000007 00000000000000000000000000000008");
        assert_eq!(Changes::from_text(&text), changes);
        assert_eq!(Changes::from_text(&Changes::everything().to_text()), Changes::everything());
    }

    #[test]
    fn what_cannot_be_read_means_everything() {
        for text in ["x", "q 12", "q é"] {
            assert_eq!(Changes::from_text(text), Changes::everything(), "{text}");
        }
    }

    #[test]
    fn too_many_runs_to_name_mean_any_run_and_fit_a_notification() {
        let (mut some, mut more) = (Changes::default(), Changes::default());
        (0..MOST_RUNS as u128).for_each(|number| some.add_run(run(number)));
        assert!(matches!(some.changed_runs(), ChangedRuns::These(runs) if runs.len() == MOST_RUNS));
        assert!(some.to_text().len() < 7_000, "{}", some.to_text().len());
        more.add_run(run(1_000));
        some.merge(&more);
        assert_eq!(some.changed_runs(), &ChangedRuns::Any);
    }
}
