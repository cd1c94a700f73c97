//! Scopes: every list answers exactly what lies inside, and pages of it are whole.

use model::access::scope::Scope;
use model::entry::{EntryKey, EntryKind};
use model::event::{Event, EventKind, NewEvent};
use model::run::Run;
use proptest::collection::vec;
use proptest::prelude::Strategy;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use store::testing::TestDatabase;
use store::{ChangesetFilter, EntryPage, RunFilter};

use crate::runs::run;
use crate::world::{World, changeset, event, key, name, names, put, put_calling};

/// All that means something to a pattern of any kind, in any of the databases, and letters in two sizes.
const TEXTS: &str = r#"[ab A.*?\[\]^%_\\'"ü計{}$0-]{0,6}"#;

fn any<T>(runner: &mut TestRunner, strategy: &impl Strategy<Value = T>) -> T {
    strategy.new_tree(runner).unwrap().current()
}

/// A text with wildcards in the place of some of its characters, so that it covers that text and perhaps others.
fn any_pattern(runner: &mut TestRunner, text: &str) -> String {
    let kept = |c: char| [c.to_string(), c.to_string(), "?".to_owned(), "*".to_owned()];
    text.chars().map(|c| any(runner, &proptest::sample::select(kept(c).to_vec()))).collect()
}

/// Patterns of any kind, and one that covers one of these.
fn any_scope(runner: &mut TestRunner, facts: &[NewEvent]) -> Scope {
    let mut patterns = any(runner, &vec(TEXTS, 0..3));
    let fact = any(runner, &(0..facts.len()));
    patterns.push(any_pattern(runner, &facts[fact].source));
    Scope::Names(patterns)
}

/// A fact of any kind about something of any name.
fn any_fact(runner: &mut TestRunner) -> NewEvent {
    let mut kinds = EventKind::fixed();
    kinds.push(EventKind::Custom("mail.arrived".to_owned()));
    NewEvent { kind: any(runner, &proptest::sample::select(kinds)), ..event(&any(runner, &TEXTS)) }
}

fn seqs(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}

/// Names that patterns tell apart, and patterns.
const NAMES: [&str; 7] = ["add", "mail.send", "web", "web.get", "web.get_all", "web_x", "größe"];
const PATTERNS: [&[&str]; 8] =
    [&[], &["web.*"], &["web", "add"], &["*.get*"], &["w?b*", "mail.send"], &["WEB.*"], &["gr??e"], &["*"]];

fn covered<'a>(scope: &Scope, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> =
        names.into_iter().filter(|name| scope.covers(name)).map(str::to_owned).collect();
    names.sort();
    names
}

/// Entries of which every tenth is covered by `mine.*`, in an order that has nothing to do with it.
fn thousand() -> Vec<String> {
    (0..1_000).map(|n| if n % 10 == 3 { format!("mine.f{n}") } else { format!("out.f{n}") }).collect()
}

store::on_both! {
    async fn a_statement_covers_what_the_rule_covers(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut runner = TestRunner::default();
        let facts: Vec<NewEvent> = (0..400).map(|_| any_fact(&mut runner)).collect();
        world.store.append_events(&facts).await.unwrap();
        let mut events = world.store.events_after(0, 1_000).await.unwrap();
        events.reverse();
        let mut seen = 0;
        for _ in 0..200 {
            let scope = any_scope(&mut runner, &facts);
            let visible = events.iter().filter(|event| event.is_visible_to(&scope));
            let visible: Vec<Event> = visible.cloned().collect();
            let found = world.store.events_before(u64::MAX >> 1, None, 1_000, &scope).await.unwrap();
            assert_eq!(found, visible, "{scope:?}");
            let kind = EventKind::RunFinished;
            let found = world.store.events_before(u64::MAX >> 1, Some(&kind), 2, &scope).await.unwrap();
            let of_kind = visible.iter().filter(|event| event.fact.kind == kind).take(2).cloned();
            assert_eq!(seqs(&found), seqs(&of_kind.collect::<Vec<_>>()), "{scope:?}");
            seen += visible.len();
        }
        assert!(seen > 100, "the patterns cover nothing");
        let all = world.store.events_before(u64::MAX >> 1, None, 1_000, &Scope::All).await.unwrap();
        assert_eq!(all, events);
    }

    async fn lists_of_entries_answer_what_is_covered(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(NAMES.iter().map(|text| put(text, 1)).collect()).await;
        let revision = world.store.revision().await.unwrap();
        for patterns in PATTERNS {
            let scope = names(patterns);
            let expected = covered(&scope, NAMES);
            let page = EntryPage { kind: EntryKind::Function, scope: scope.clone(), pack: None, after: None, limit: 100 };
            let listed = world.store.entries(&page).await.unwrap();
            let past = world.store.entries_as_of(revision, &page).await.unwrap();
            let told = |key: &EntryKey| key.name.to_string();
            assert_eq!(listed.iter().map(|entry| told(&entry.key)).collect::<Vec<_>>(), expected, "{scope:?}");
            assert_eq!(past, listed);
            assert_eq!(world.store.entry_names(EntryKind::Function, &scope).await.unwrap(), expected);
            let count = world.store.entry_count(EntryKind::Function, &scope).await.unwrap();
            assert_eq!(count, expected.len() as u64);
            let live = world.store.live_versions(EntryKind::Function, None, 100, &scope).await.unwrap();
            assert_eq!(live.iter().map(|version| told(&version.head.key)).collect::<Vec<_>>(), expected);
        }
    }

    async fn referrers_are_those_of_the_scope(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut changes = vec![put("dep", 1), put("other", 1)];
        changes.extend(NAMES.iter().map(|text| put_calling(text, &[("dep", None)])));
        changes.push(put_calling("mail.other", &[("other", None)]));
        world.apply(changes).await;
        let callers = |found: Vec<(EntryKey, _, EntryKey)>| -> Vec<String> {
            found.into_iter().map(|(_, _, who)| who.name.to_string()).collect()
        };
        let dep = ["dep".to_owned()];
        for patterns in PATTERNS {
            let scope = names(patterns);
            let inside = world.store.referrers(EntryKind::Function, &dep, &scope).await.unwrap();
            assert_eq!(callers(inside), covered(&scope, NAMES), "{scope:?}");
        }
        let both = ["other".to_owned(), "dep".to_owned()];
        let mail = world.store.referrers(EntryKind::Function, &both, &names(&["mail.*"])).await.unwrap();
        assert_eq!(callers(mail), ["mail.send", "mail.other"]);
    }

    async fn packs_are_those_that_brought_something_covered(database: &TestDatabase) {
        let world = World::open(database).await;
        for (pack, brought) in [("web", vec!["web.get", "web.put"]), ("mixed", vec!["web.x", "mail.send"]), ("mail", vec!["mail.read"])] {
            let changes = brought.into_iter().map(|text| put(text, 1)).collect();
            world.try_apply(changeset(changes), Some(&crate::world::pack(pack))).await.unwrap();
        }
        let found = world.store.packs(&names(&["web.*"])).await.unwrap();
        let counts: Vec<_> = found.iter().map(|pack| (pack.name.as_str(), pack.live_entries)).collect();
        assert_eq!(counts, [("mixed", 1), ("web", 2)]);
        assert_eq!(world.store.packs(&Scope::none()).await.unwrap(), []);
        assert_eq!(world.store.packs(&Scope::All).await.unwrap().len(), 3);
    }

    async fn a_changeset_is_listed_if_all_of_its_changes_are_covered(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut recorded = Vec::new();
        for changed in [&["web.get"][..], &["web.get", "web"], &["mail.send", "web.get"], &["add"], &[]] {
            let one = changeset(changed.iter().map(|text| put(text, 1)).collect());
            let number = world.store.record_changeset(&one).await.unwrap();
            recorded.insert(0, (number, one));
        }
        for scope in PATTERNS.map(names).into_iter().chain([Scope::All]) {
            let filter = ChangesetFilter { scope: scope.clone(), ..ChangesetFilter::default() };
            let found = world.store.changesets(&filter, 10).await.unwrap();
            let visible = recorded.iter().filter(|(_, one)| one.is_visible_to(&scope));
            let visible: Vec<u64> = visible.map(|(number, _)| *number).collect();
            assert_eq!(found.iter().map(|one| one.number).collect::<Vec<_>>(), visible, "{scope:?}");
            let first: Vec<u64> =
                world.store.changesets(&filter, 1).await.unwrap().iter().map(|one| one.number).collect();
            assert_eq!(first, visible.into_iter().take(1).collect::<Vec<_>>());
        }
    }

    async fn names_and_ids_of_runs_are_those_that_are_covered(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut runs: Vec<Run> = NAMES.iter().chain(&NAMES).map(|text| run(key(text))).collect();
        // So many that they are looked for among all runs.
        runs.extend((0..120).map(|n| run(key(&format!("many.f{n}")))));
        world.store.record_runs(&runs).await.unwrap();
        runs.reverse();
        for scope in PATTERNS.map(names).into_iter().chain([names(&["many.*", "add"]), Scope::All]) {
            let inside: Vec<&Run> = runs.iter().filter(|run| scope.covers(run.key.name.as_str())).collect();
            let mut expected: Vec<&str> = inside.iter().map(|run| run.key.name.as_str()).collect();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(world.store.run_names(1_000, &scope).await.unwrap(), expected, "{scope:?}");
            let few = world.store.run_names(2, &scope).await.unwrap();
            assert_eq!(few, expected.into_iter().take(2).collect::<Vec<_>>(), "{scope:?}");
            let ids = |limit: usize| inside.iter().take(limit).map(|run| run.run_id).collect::<Vec<_>>();
            assert_eq!(world.store.run_ids("00000000", 1_000, &scope).await.unwrap(), ids(1_000), "{scope:?}");
            assert_eq!(world.store.run_ids("00000000", 3, &scope).await.unwrap(), ids(3), "{scope:?}");
            for run in runs.iter().step_by(9) {
                let end = &run.run_id.0.simple().to_string()[1..];
                let found = world.store.run_ids(end, 9, &scope).await.unwrap();
                assert_eq!(found.contains(&run.run_id), scope.covers(run.key.name.as_str()), "{scope:?}");
            }
        }
    }

    async fn what_lies_below_a_run_that_is_not_covered_is_not_told(database: &TestDatabase) {
        let world = World::open(database).await;
        let below = |parent: &Run, text| Run { parent: Some(parent.run_id), ..run(key(text)) };
        let root = run(key("web.root"));
        let (inside, outside) = (below(&root, "web.a"), below(&root, "mail.b"));
        let (reached, hidden) = (below(&inside, "web.c"), below(&outside, "web.d"));
        let all = [root.clone(), inside.clone(), outside.clone(), reached.clone(), hidden.clone()];
        world.store.record_runs(&all).await.unwrap();
        let tree = async |run: &Run, scope: Scope| world.store.run_tree(run.run_id, &scope).await.unwrap();
        assert_eq!(tree(&root, names(&["web.*"])).await, [root.clone(), inside, reached]);
        assert_eq!(tree(&outside, names(&["web.*"])).await, []);
        assert_eq!(tree(&outside, names(&["mail.*"])).await, [outside]);
        assert_eq!(tree(&root, Scope::All).await, all);
    }

    async fn pages_of_entries_are_whole(database: &TestDatabase) {
        let world = World::open(database).await;
        let all = thousand();
        world.apply(all.iter().map(|text| put(text, 1)).collect()).await;
        let scope = names(&["m?ne.f*3"]);
        let expected = covered(&scope, all.iter().map(String::as_str));
        assert_eq!(expected.len(), 100);
        let mut page = EntryPage { kind: EntryKind::Function, scope, pack: None, after: None, limit: 7 };
        let mut paged = Vec::new();
        while paged.len() < expected.len() {
            let found = world.store.entries(&page).await.unwrap();
            assert_eq!(found.len(), 7.min(expected.len() - paged.len()));
            paged.extend(found.iter().map(|entry| entry.key.name.to_string()));
            page.after = paged.last().cloned();
        }
        assert_eq!(paged, expected);
        assert_eq!(world.store.entries(&page).await.unwrap(), []);
    }

    async fn pages_of_runs_are_whole(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut runs: Vec<Run> = thousand().iter().map(|text| run(key(text))).collect();
        // The covered ones of the first have a name each, those of the second share a few.
        runs.extend((0..1_000).map(|n| run(EntryKey::function(name(if n % 10 == 3 { "few.a" } else { "out.b" })))));
        world.store.record_runs(&runs).await.unwrap();
        for scope in [names(&["mine.*"]), names(&["few.*"]), names(&["mine.*", "few.*"])] {
            let mut expected: Vec<&Run> = runs.iter().filter(|run| scope.covers(run.key.name.as_str())).collect();
            expected.reverse();
            assert!(expected.len() >= 100);
            let mut filter = RunFilter { scope, ..RunFilter::default() };
            let mut paged: Vec<Run> = Vec::new();
            while paged.len() < expected.len() {
                let found = world.store.runs(&filter, 7).await.unwrap();
                assert_eq!(found.len(), 7.min(expected.len() - paged.len()));
                paged.extend(found);
                filter.before = paged.last().map(|run| run.run_id);
            }
            assert!(paged.iter().eq(expected));
            assert_eq!(world.store.runs(&filter, 7).await.unwrap(), []);
        }
    }
}
