//! Lists: newest first, by any filter and any two of them, compared with what a plain filter over all runs gives.

use model::access::actor::Actor;
use model::ids::{EntryId, RunId, TokenId};
use model::run::{Run, RunError, RunState};
use store::RunFilter;
use store::testing::TestDatabase;

use crate::runs::{ids, run};
use crate::world::{World, at, id, id_at, key, names};

const NAMES: [&str; 4] = ["a", "a.b", "a.bc", "b"];

/// Runs of all names and states, by several actors, one a second.
fn many(trigger: EntryId, token: TokenId) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for n in 0..120_usize {
        let error = |message: &str| RunError {
            type_name: "ValueError".to_owned(),
            message: message.to_owned(),
            traceback: None,
            hint: None,
        };
        let state = RunState::ALL[n * 7 % 6];
        runs.push(Run {
            run_id: RunId(id_at(n as i64)),
            created_at: at(n as i64),
            state,
            actor: match n % 5 {
                0 => Actor::Trigger(trigger),
                1 => Actor::Token(token),
                _ => Actor::CommandLine,
            },
            parent: (n % 4 == 3).then(|| runs[n - 3].run_id),
            error: (state != RunState::Succeeded)
                .then(|| error(if n % 2 == 0 { "no \"Such\" file" } else { "Zeit" })),
            ..run(key(NAMES[n / 2 % 4]))
        });
    }
    runs
}

/// What the filter means.
fn fits(filter: &RunFilter, run: &Run) -> bool {
    let name = run.key.name.as_str();
    let named = |wanted: &String| match wanted.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == wanted,
    };
    let tells = |text: &String| {
        let message = run.error.as_ref().map(|error| error.message.to_lowercase());
        message.is_some_and(|message| message.contains(&text.to_lowercase()))
    };
    filter.scope.covers(name)
        && filter.name.as_ref().is_none_or(named)
        && (filter.states.is_empty() || filter.states.contains(&run.state))
        && filter.actor.as_ref().is_none_or(|actor| *actor == run.actor)
        && filter.parent.is_none_or(|parent| Some(parent) == run.parent)
        && filter.since.is_none_or(|since| run.created_at >= since)
        && filter.until.is_none_or(|until| run.created_at < until)
        && filter.error.as_ref().is_none_or(tells)
        && filter.before.is_none_or(|before| run.run_id < before)
        && filter.after.is_none_or(|after| run.run_id > after)
}

/// One value each of everything that can be asked for.
fn single_filters(runs: &[Run], trigger: EntryId, token: TokenId) -> Vec<RunFilter> {
    let none = RunFilter::default;
    let named = |name: &str| RunFilter { name: Some(name.to_owned()), ..none() };
    let by = |actor| RunFilter { actor: Some(actor), ..none() };
    let of = |states: &[RunState]| RunFilter { states: states.to_vec(), ..none() };
    let within = |patterns: &[&str]| RunFilter { scope: names(patterns), ..none() };
    vec![
        none(),
        named("a"),
        named("a*"),
        named("a.b*"),
        named("*"),
        named("nobody"),
        named("nobody*"),
        of(&[RunState::Failed]),
        of(&[RunState::Succeeded]),
        of(&[RunState::Queued, RunState::Cancelled]),
        of(&[RunState::Cancelled, RunState::Failed]),
        by(Actor::Trigger(trigger)),
        by(Actor::Token(token)),
        by(Actor::CommandLine),
        by(Actor::Run(RunId(id()))),
        RunFilter { parent: Some(runs[60].run_id), ..none() },
        RunFilter { since: Some(at(40)), ..none() },
        RunFilter { until: Some(at(41)), ..none() },
        RunFilter { error: Some("No \"such".to_owned()), ..none() },
        RunFilter { error: Some("zeit".to_owned()), ..none() },
        RunFilter { before: Some(runs[90].run_id), ..none() },
        RunFilter { after: Some(runs[30].run_id), ..none() },
        within(&["a"]),
        within(&["a.*", "b"]),
        within(&["?.b", "nobody*"]),
        within(&[]),
    ]
}

/// Both must hold; what both ask for is asked by the first.
fn both(one: &RunFilter, two: &RunFilter) -> RunFilter {
    RunFilter {
        name: one.name.clone().or(two.name.clone()),
        states: if one.states.is_empty() { two.states.clone() } else { one.states.clone() },
        actor: one.actor.clone().or(two.actor.clone()),
        parent: one.parent.or(two.parent),
        since: one.since.or(two.since),
        until: one.until.or(two.until),
        error: one.error.clone().or(two.error.clone()),
        before: one.before.or(two.before),
        after: one.after.or(two.after),
        scope: if one.scope.is_all() { two.scope.clone() } else { one.scope.clone() },
    }
}

store::on_both! {
    async fn every_filter_and_every_two_of_them_list_what_they_mean(database: &TestDatabase) {
        let world = World::open(database).await;
        let (trigger, token) = (EntryId(id()), TokenId(id()));
        let mut runs = many(trigger, token);
        world.store.record_runs(&runs).await.unwrap();
        let singles = single_filters(&runs, trigger, token);
        runs.sort_by_key(|run| std::cmp::Reverse(run.run_id));
        for one in &singles {
            for two in &singles {
                let filter = both(one, two);
                let meant: Vec<&Run> = runs.iter().filter(|run| fits(&filter, run)).collect();
                let found = world.store.runs(&filter, 1_000).await.unwrap();
                assert_eq!(ids(&found), ids(meant.iter().copied()), "{filter:?}");
                assert!(found.iter().eq(meant.iter().copied()), "{filter:?}");
                let first = world.store.runs(&filter, 3).await.unwrap();
                assert_eq!(ids(&first), ids(meant.into_iter().take(3)), "{filter:?}");
            }
        }
    }

    async fn a_start_that_very_many_names_have_is_found_among_all_runs(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut runs: Vec<Run> = (0..120).map(|n| run(key(&format!("many.f{n}")))).collect();
        runs.push(run(key("other")));
        world.store.record_runs(&runs).await.unwrap();
        let named = RunFilter { name: Some("many.*".to_owned()), ..RunFilter::default() };
        let within = RunFilter { scope: names(&["many.*"]), ..RunFilter::default() };
        let both = RunFilter { name: Some("many.*".to_owned()), ..within.clone() };
        let by_state = RunFilter { states: vec![RunState::Succeeded], ..within.clone() };
        let by_actor = RunFilter { actor: Some(Actor::CommandLine), ..within.clone() };
        for filter in [named, within, both, by_state, by_actor] {
            let found = world.store.runs(&filter, 1_000).await.unwrap();
            assert!(found.iter().eq(runs[..120].iter().rev()), "{filter:?}");
        }
    }

    async fn pages_follow_each_other_without_gap_or_repetition(database: &TestDatabase) {
        let world = World::open(database).await;
        let runs = many(EntryId(id()), TokenId(id()));
        world.store.record_runs(&runs).await.unwrap();
        for states in [vec![], vec![RunState::Failed, RunState::Running, RunState::Queued]] {
            let mut filter = RunFilter { states, ..RunFilter::default() };
            let whole = world.store.runs(&filter, 1_000).await.unwrap();
            let mut paged = Vec::new();
            while paged.len() < whole.len() {
                let page = world.store.runs(&filter, 7).await.unwrap();
                filter.before = page.last().map(|run| run.run_id);
                paged.extend(page);
            }
            assert_eq!(paged, whole);
        }
    }
}
