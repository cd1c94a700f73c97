//! Proposals: recorded, checked, applied or not, and what moved meanwhile.

use model::changeset::ChangesetState;
use model::changeset::check::{Gate, Verdict};
use model::event::EventKind;
use serde_json::json;
use server::Error;
use server::app::changesets::Breakage;
use server::app::changesets::{find, list, rebase, reject, show};
use store::ChangesetFilter;
use store::testing::TestDatabase;

use crate::world::{ME, World, answering, calling, decorated, delete, key, source, trigger, trigger_key};

async fn state(world: &World, number: u64) -> ChangesetState {
    find(&world.ctx, &ME, number).await.unwrap().state
}

store::on_both! {
    async fn a_proposal_changes_nothing_until_it_is_applied(database: &TestDatabase) {
        let world = World::open(database).await;
        let proposed = world.propose(vec![answering("f", 1)]).await.unwrap();
        assert_eq!((proposed.number, world.revision().await), (1, 0));
        assert_eq!(world.live_number(&key("f")).await, None);
        let told = world.ctx.store.events_after(0, 10).await.unwrap();
        let kinds: Vec<EventKind> = told.into_iter().map(|event| event.fact.kind).collect();
        assert_eq!(kinds, [EventKind::ChangesetProposed]);

        let applied = world.apply(1).await.unwrap();
        assert_eq!((applied.changeset, applied.revision.0), (Some(1), 1));
        assert_eq!(world.live_number(&key("f")).await, Some(1));
        let stored = find(&world.ctx, &ME, 1).await.unwrap();
        assert_eq!((stored.state, stored.decided_by), (ChangesetState::Applied, Some(ME.actor.clone())));
        let kinds: Vec<EventKind> =
            world.ctx.store.events_after(1, 10).await.unwrap().into_iter().map(|event| event.fact.kind).collect();
        assert_eq!(kinds, [EventKind::Added(model::entry::EntryKind::Function), EventKind::ChangesetApplied]);
    }

    async fn the_event_of_a_function_that_changed_tells_its_metadata_unless_they_are_large(database: &TestDatabase) {
        let world = World::open(database).await;
        let with = |owner: &str| decorated(&format!("@selfmade.function(metadata={{'owner': '{owner}'}})\ndef f(): return 1\n"));
        for owner in ["ada", &"x".repeat(5000)] {
            world.register(vec![with(owner)]).await.unwrap();
        }
        world.register(vec![answering("plain", 1)]).await.unwrap();
        let events = world.ctx.store.events_after(0, 100).await.unwrap();
        let changes = events.iter().filter(|event| event.fact.kind != EventKind::ChangesetApplied);
        let told: Vec<_> = changes.map(|event| event.fact.data.get("metadata").cloned()).collect();
        assert_eq!(told, [Some(json!({ "owner": "ada" })), None, None]);
    }

    async fn of_two_proposals_on_one_entry_the_first_applies_and_the_second_conflicts(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 0)]).await.unwrap();
        let one = world.propose(vec![answering("f", 1)]).await.unwrap().number;
        let two = world.propose(vec![answering("f", 2), answering("g", 2)]).await.unwrap().number;
        world.apply(one).await.unwrap();
        let before = world.ctx.store.events_after(0, 100).await.unwrap();
        let error = world.apply(two).await.unwrap_err();
        let [conflict] = error.conflicts() else { panic!("{error:?}") };
        assert_eq!((&conflict.key, conflict.moved_at.0, conflict.changed_here), (&key("f"), 2, true));
        assert_eq!(state(&world, two).await, ChangesetState::Conflicted);
        assert_eq!((world.live_number(&key("g")).await, world.revision().await), (None, 2));
        assert_eq!(world.ctx.store.events_after(0, 100).await.unwrap(), before);

        let error = world.apply(two).await.unwrap_err();
        assert!(matches!(error, Error::Transition { .. }), "{error:?}");
        let based = rebase(&world.ctx, &ME, two).await.unwrap();
        assert_eq!((based.base.0, based.state, based.conflicts.len()), (2, ChangesetState::Checked, 0));
        world.apply(two).await.unwrap();
        assert_eq!((world.live_number(&key("f")).await, world.live_number(&key("g")).await), (Some(3), Some(1)));
    }

    async fn a_proposal_conflicts_when_what_it_calls_has_moved(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("dep", 1), answering("stranger", 1)]).await.unwrap();
        let number = world.propose(vec![calling("f", "dep")]).await.unwrap().number;
        world.register(vec![answering("stranger", 2)]).await.unwrap();
        world.register(vec![answering("dep", 2)]).await.unwrap();
        let error = world.apply(number).await.unwrap_err();
        let [conflict] = error.conflicts() else { panic!("{error:?}") };
        assert_eq!((&conflict.key, conflict.changed_here), (&key("dep"), false));
        rebase(&world.ctx, &ME, number).await.unwrap();
        world.apply(number).await.unwrap();
    }

    async fn what_is_unrelated_may_move(database: &TestDatabase) {
        let world = World::open(database).await;
        let number = world.propose(vec![answering("f", 1)]).await.unwrap().number;
        world.register(vec![answering("stranger", 2)]).await.unwrap();
        world.apply(number).await.unwrap();
        assert_eq!(world.revision().await, 2);
    }

    async fn a_rejected_proposal_stays_rejected(database: &TestDatabase) {
        let world = World::open(database).await;
        let number = world.propose(vec![answering("f", 1)]).await.unwrap().number;
        reject(&world.ctx, &ME, number, None).await.unwrap();
        let before = database.dump().await;
        for error in [
            world.apply(number).await.unwrap_err(),
            reject(&world.ctx, &ME, number, None).await.unwrap_err(),
            rebase(&world.ctx, &ME, number).await.unwrap_err(),
            server::app::changesets::revert(&world.ctx, &ME, number, Breakage::Refused).await.unwrap_err(),
        ] {
            assert_eq!(error.code(), "wrong_state", "{error}");
        }
        assert_eq!(database.dump().await, before);
    }

    async fn a_proposal_that_fails_its_checks_is_recorded_and_cannot_be_applied(database: &TestDatabase) {
        let world = World::open(database).await;
        let number = world.propose(vec![calling("f", "helper")]).await.unwrap().number;
        let shown = show(&world.ctx, &ME, number).await.unwrap();
        let names = shown.checks.iter().find(|check| check.gate == Gate::Names).unwrap();
        assert_eq!((names.verdict, names.findings.len()), (Verdict::Failed, 1));
        let error = world.apply(number).await.unwrap_err();
        assert_eq!((error.code(), world.revision().await), ("checks_failed", 0));

        world.register(vec![answering("helper", 1)]).await.unwrap();
        rebase(&world.ctx, &ME, number).await.unwrap();
        world.apply(number).await.unwrap();
        assert_eq!(world.live_number(&key("f")).await, Some(1));
    }

    async fn a_failed_analysis_is_not_forgotten_when_the_proposal_is_applied_or_rebased(database: &TestDatabase) {
        let world = World::open(database).await;
        let number = world.propose(vec![source("def f(x: Nonsense):\n    return x\n")]).await.unwrap().number;
        assert_eq!(world.apply(number).await.unwrap_err().code(), "checks_failed");
        let based = rebase(&world.ctx, &ME, number).await.unwrap();
        assert_eq!(based.failed_checks().count(), 1);
        assert_eq!(world.apply(number).await.unwrap_err().code(), "checks_failed");
        assert_eq!(world.live_number(&key("f")).await, None);
    }

    async fn a_proposal_that_would_change_nothing_is_refused(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        let before = database.dump().await;
        assert_eq!(world.propose(vec![answering("f", 1)]).await.unwrap_err().code(), "bad_input");
        assert_eq!(database.dump().await, before);
    }

    async fn a_caller_that_came_after_the_proposal_keeps_a_function_from_being_deleted(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        let number = world.propose(vec![delete("f")]).await.unwrap().number;
        world.register(vec![calling("late", "f")]).await.unwrap();
        assert_eq!(world.apply(number).await.unwrap_err().code(), "checks_failed");
        assert_eq!(world.live_number(&key("f")).await, Some(1));
    }

    async fn a_trigger_that_came_after_the_proposal_still_dies_with_its_target(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        let number = world.propose(vec![delete("f")]).await.unwrap().number;
        world.register(vec![trigger("late", "x", "f")]).await.unwrap();
        let applied = world.apply(number).await.unwrap();
        assert_eq!(applied.moves.len(), 2);
        assert_eq!(world.live_number(&trigger_key("late")).await, None);
        let shown = show(&world.ctx, &ME, number).await.unwrap();
        assert_eq!(shown.changes.len(), 1, "the record is what was proposed");
    }

    async fn a_changeset_is_shown_with_its_differences_before_and_after_it_is_applied(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1), answering("gone", 1)]).await.unwrap();
        let intents = vec![answering("f", 2), answering("new", 1), delete("gone")];
        let number = world.propose(intents).await.unwrap().number;
        let before = show(&world.ctx, &ME, number).await.unwrap();
        world.apply(number).await.unwrap();
        world.register(vec![answering("f", 3)]).await.unwrap();
        let after = show(&world.ctx, &ME, number).await.unwrap();
        for shown in [before, after] {
            let mut lines: Vec<_> = shown
                .changes
                .iter()
                .map(|change| (change.key.name.to_string(), change.action.as_str(), change.diff.counts()))
                .collect();
            lines.sort();
            assert_eq!(lines[0], ("f".to_owned(), "update", (1, 1)));
            assert_eq!((lines[1].1, lines[1].2.0), ("delete", 0));
            assert_eq!((lines[2].1, lines[2].2.1), ("add", 0));
        }
        assert_eq!(show(&world.ctx, &ME, 99).await.unwrap_err().code(), "changeset_not_found");
    }

    async fn the_log_has_every_changeset_newest_first(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        world.propose(vec![answering("f", 2)]).await.unwrap();
        world.register(vec![answering("g", 1)]).await.unwrap();
        let titles = async |filter: ChangesetFilter| -> Vec<String> {
            list(&world.ctx, &ME, filter, 10).await.unwrap().into_iter().map(|line| line.summary.title).collect()
        };
        assert_eq!(titles(ChangesetFilter::default()).await, ["add g", "update f", "add f"]);
        let applied = ChangesetFilter { applied: true, ..ChangesetFilter::default() };
        assert_eq!(titles(applied).await, ["add g", "add f"]);
    }

    async fn an_entry_is_changed_once_in_a_changeset(database: &TestDatabase) {
        let world = World::open(database).await;
        let before = database.dump().await;
        let error = world.register(vec![answering("f", 1), answering("f", 2)]).await.unwrap_err();
        assert_eq!(error.code(), "bad_changeset");
        assert_eq!(database.dump().await, before);
    }
}
