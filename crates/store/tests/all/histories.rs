//! Any sequence of applications, compared after each step with a model that fits in a map: what is live, which
//! Versions there are, and what the brain was at every revision.

use std::collections::BTreeMap;

use model::access::scope::Scope;
use model::changeset::Change;
use model::entry::EntryKind;
use model::revision::Revision;
use model::version::VersionNumber;
use proptest::collection::vec;
use proptest::prelude::{Strategy, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use store::EntryPage;
use store::testing::TestDatabase;

use crate::world::{Refused, World, answering, changeset, delete, key, name, point, put};

/// Few, so that they meet often; in the order of code points.
const NAMES: [&str; 4] = ["B", "a", "a.b", "ä"];

#[derive(Clone, Debug)]
enum Deed {
    Put(usize, u32),
    Point(usize, u32),
    Delete(usize),
    /// Back to before the last application.
    Undo,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (0..NAMES.len(), 0..4_u32).prop_map(|(who, answer)| Deed::Put(who, answer)),
        2 => (0..NAMES.len(), 1..4_u32).prop_map(|(who, number)| Deed::Point(who, number)),
        2 => (0..NAMES.len()).prop_map(Deed::Delete),
        1 => proptest::strategy::Just(Deed::Undo),
    ]
}

#[derive(Clone, Debug, Default)]
struct Known {
    /// The answer of each Version.
    versions: Vec<u32>,
    live: Option<usize>,
}

/// What is live: the number of the Version and its answer, by name.
type Live = BTreeMap<&'static str, (u32, u32)>;

#[derive(Debug)]
struct Expected {
    known: BTreeMap<&'static str, Known>,
    /// What was live at each revision.
    past: Vec<Live>,
}

impl Expected {
    fn live(&self) -> Live {
        let line = |(text, known): (&&'static str, &Known)| {
            known.live.map(|place| (*text, (place as u32 + 1, known.versions[place])))
        };
        self.known.iter().filter_map(line).collect()
    }

    /// The change that a deed asks for, executed here; none if it cannot be.
    fn execute(&mut self, deed: &Deed) -> Option<Change> {
        match *deed {
            Deed::Put(who, answer) => {
                let known = self.known.entry(NAMES[who]).or_default();
                let place = known.versions.iter().position(|version| *version == answer);
                known.live = place.or_else(|| {
                    known.versions.push(answer);
                    Some(known.versions.len() - 1)
                });
                Some(put(NAMES[who], answer))
            }
            Deed::Point(who, number) => {
                let known = self.known.get_mut(NAMES[who])?;
                (number as usize <= known.versions.len()).then(|| {
                    known.live = Some(number as usize - 1);
                    point(NAMES[who], number)
                })
            }
            Deed::Delete(who) => {
                self.known.get_mut(NAMES[who])?.live = None;
                Some(delete(NAMES[who]))
            }
            Deed::Undo => None,
        }
    }

    /// The changes that lead back to the revision before this one.
    fn undo(&mut self) -> Vec<Change> {
        let Some(before) = self.past.len().checked_sub(2).map(|place| self.past[place].clone()) else {
            return vec![];
        };
        let now = self.live();
        let mut changes = Vec::new();
        for text in NAMES {
            if before.get(text) == now.get(text) {
                continue;
            }
            let number = before.get(text).map(|(number, _)| *number);
            self.known.get_mut(text).unwrap().live = number.map(|number| number as usize - 1);
            changes.push(number.map_or_else(|| delete(text), |number| point(text, number)));
        }
        changes
    }
}

fn target(deed: &Deed) -> Option<usize> {
    match deed {
        Deed::Put(who, _) | Deed::Point(who, _) | Deed::Delete(who) => Some(*who),
        Deed::Undo => None,
    }
}

async fn live_as_of(world: &World, revision: Option<Revision>) -> Live {
    let page =
        EntryPage { kind: EntryKind::Function, scope: Scope::All, pack: None, after: None, limit: 100 };
    let entries = match revision {
        None => world.store.entries(&page).await.unwrap(),
        Some(revision) => world.store.entries_as_of(revision, &page).await.unwrap(),
    };
    let order: Vec<_> = entries.iter().map(|entry| entry.key.name.to_string()).collect();
    assert!(order.is_sorted(), "{order:?}");
    let answer =
        |description: &str| description.trim_start_matches("Answers ").trim_end_matches('.').parse().unwrap();
    let text = |entry: &store::EntrySummary| {
        NAMES.into_iter().find(|text| *text == entry.key.name.as_str()).unwrap()
    };
    entries.iter().map(|entry| (text(entry), (entry.version.0, answer(&entry.description)))).collect()
}

async fn compare(world: &World, expected: &Expected) {
    assert_eq!(world.store.revision().await.unwrap().0 as usize, expected.past.len() - 1);
    assert_eq!(live_as_of(world, None).await, expected.live());
    for (past, revision) in expected.past.iter().zip(0..) {
        assert_eq!(&live_as_of(world, Some(Revision(revision))).await, past, "at revision {revision}");
        for text in NAMES {
            let version = world.store.version_as_of(&key(text), Revision(revision)).await.unwrap();
            let found = version.map(|version| (version.head.number.0, version.content));
            let wanted = past.get(text).map(|(number, answer)| (*number, answering(text, *answer)));
            assert_eq!(found, wanted, "`{text}` at revision {revision}");
        }
    }
    for (text, known) in &expected.known {
        let heads = world.store.versions(&key(text)).await.unwrap();
        assert_eq!(heads.len(), known.versions.len());
        for (answer, number) in known.versions.iter().zip(1..) {
            let version = world.store.version(&key(text), VersionNumber(number)).await.unwrap().unwrap();
            assert_eq!(version.content, answering(text, *answer));
        }
    }
}

async fn follow(database: &TestDatabase, steps: &[Vec<Deed>]) {
    let world = World::open(database).await;
    let mut expected = Expected { known: BTreeMap::new(), past: vec![Live::new()] };
    for step in steps {
        let before = expected.live();
        let changes = if step.iter().any(|deed| matches!(deed, Deed::Undo)) {
            expected.undo()
        } else {
            let mut seen = Vec::new();
            let first = step.iter().filter(|deed| {
                let who = target(deed);
                let new = !seen.contains(&who);
                seen.push(who);
                new
            });
            first.filter_map(|deed| expected.execute(deed)).collect()
        };
        let applied = world.try_apply(changeset(changes), None).await;
        if let Err(Refused::Plan(error)) = &applied {
            panic!("what the model can do is refused: {error}");
        }
        let (_, moves) = applied.unwrap();
        let moved: Vec<_> =
            moves.iter().filter(|moved| moved.from != moved.to.map(|(number, _)| number)).collect();
        let now = expected.live();
        let differs = NAMES.iter().filter(|text| before.get(*text) != now.get(*text)).count();
        assert_eq!(moved.len(), differs);
        expected.past.push(now);
        compare(&world, &expected).await;
    }
    assert_eq!(world.store.closure(&name("nobody")).await.unwrap().len(), 0);
    world.store.close().await;
}

fn check(cases: u32, database: impl AsyncFn() -> TestDatabase) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let steps = vec(vec(deed(), 1..4), 1..9);
    let result = TestRunner::new(config).run(&steps, |steps| {
        runtime.block_on(async { follow(&database().await, &steps).await });
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn any_history_can_be_looked_back_at_on_sqlite() {
    check(64, async || TestDatabase::sqlite());
}

#[test]
fn any_history_can_be_looked_back_at_on_postgres() {
    check(6, TestDatabase::postgres);
}
