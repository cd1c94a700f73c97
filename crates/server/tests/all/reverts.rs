//! Undoing an applied Changeset, by a new one.

use model::changeset::ChangesetState;
use server::app::changesets::Breakage;
use server::app::changesets::{find, revert};
use store::testing::TestDatabase;

use crate::world::{
    ME, World, answering, calling, delete, key, point, schedule, schedule_key, trigger, trigger_key,
};

store::on_both! {
    async fn additions_updates_and_deletions_are_undone_together(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("updated", 1), answering("deleted", 1), schedule("s", "deleted")]).await.unwrap();
        let intents = vec![answering("added", 1), answering("updated", 2), delete("deleted"), trigger("t", "x", "added")];
        let number = world.register(intents).await.unwrap().changeset.unwrap();
        assert_eq!(world.live_number(&schedule_key("s")).await, None);

        let applied = revert(&world.ctx, &ME, number, Breakage::Refused).await.unwrap();
        assert_eq!((applied.revision.0, applied.moves.len()), (3, 5));
        assert_eq!(world.live_number(&key("added")).await, None);
        assert_eq!(world.live_number(&key("updated")).await, Some(1));
        assert_eq!(world.live_number(&key("deleted")).await, Some(1));
        assert_eq!(world.live_number(&schedule_key("s")).await, Some(1));
        assert_eq!(world.live_number(&trigger_key("t")).await, None);
        assert_eq!(find(&world.ctx, &ME, number).await.unwrap().state, ChangesetState::Reverted);
        let undoing = find(&world.ctx, &ME, applied.changeset.unwrap()).await.unwrap();
        assert_eq!(undoing.reverts, Some(find(&world.ctx, &ME, number).await.unwrap().id));
    }

    async fn what_moved_since_is_not_undone_and_is_named(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1), answering("g", 1)]).await.unwrap();
        let number = world.register(vec![answering("f", 2), answering("g", 2)]).await.unwrap().changeset.unwrap();
        world.register(vec![answering("g", 3)]).await.unwrap();
        let before = database.dump().await;
        let error = revert(&world.ctx, &ME, number, Breakage::Refused).await.unwrap_err();
        let [conflict] = error.conflicts() else { panic!("{error:?}") };
        assert_eq!((&conflict.key, conflict.moved_at.0), (&key("g"), 3));
        assert_eq!(database.dump().await, before);
    }

    async fn what_moved_away_and_came_back_still_counts_as_moved(database: &TestDatabase) {
        let world = World::open(database).await;
        let number = world.register(vec![answering("f", 1)]).await.unwrap().changeset.unwrap();
        world.register(vec![answering("f", 2)]).await.unwrap();
        world.register(vec![point("f", 1)]).await.unwrap();
        assert_eq!(revert(&world.ctx, &ME, number, Breakage::Refused).await.unwrap_err().code(), "conflicted");
    }

    async fn an_addition_that_others_have_come_to_call_is_not_undone(database: &TestDatabase) {
        let world = World::open(database).await;
        let number = world.register(vec![answering("dep", 1)]).await.unwrap().changeset.unwrap();
        world.register(vec![calling("f", "dep")]).await.unwrap();
        let before = database.dump().await;
        assert_eq!(revert(&world.ctx, &ME, number, Breakage::Refused).await.unwrap_err().code(), "checks_failed");
        assert_eq!(database.dump().await, before);
    }

    async fn a_changeset_is_undone_once_and_undoing_can_be_undone(database: &TestDatabase) {
        let world = World::open(database).await;
        let number = world.register(vec![answering("f", 1)]).await.unwrap().changeset.unwrap();
        let undone = revert(&world.ctx, &ME, number, Breakage::Refused).await.unwrap().changeset.unwrap();
        assert_eq!(revert(&world.ctx, &ME, number, Breakage::Refused).await.unwrap_err().code(), "wrong_state");
        revert(&world.ctx, &ME, undone, Breakage::Refused).await.unwrap();
        assert_eq!(world.live_number(&key("f")).await, Some(1));
    }

    async fn of_many_who_undo_at_once_one_does(database: &TestDatabase) {
        let world = World::open(database).await;
        let number = world.register(vec![answering("f", 1)]).await.unwrap().changeset.unwrap();
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let ctx = world.ctx.clone();
                tokio::spawn(async move { revert(&ctx, &ME, number, Breakage::Refused).await.is_ok() })
            })
            .collect();
        let mut done = 0;
        for task in tasks {
            done += usize::from(task.await.unwrap());
        }
        assert_eq!((done, world.revision().await), (1, 2));
    }

    async fn undoing_never_overwrites_what_somebody_registers_meanwhile(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 0)]).await.unwrap();
        for round in 1..=10 {
            let number = world.register(vec![answering("f", round * 2)]).await.unwrap().changeset.unwrap();
            let (undoer, writer) = (world.reopened(database).await, world.ctx.clone());
            let undo = tokio::spawn(async move { revert(&undoer, &ME, number, Breakage::Refused).await.is_ok() });
            let write = tokio::spawn(async move {
                let proposal = server::app::changesets::drafts::Proposal::of("", vec![answering("f", round * 2 + 1)]);
                server::app::changesets::register(&writer, &ME, &proposal).await.unwrap().revision.0
            });
            let (undone, written) = (undo.await.unwrap(), write.await.unwrap());
            let live = world.live("f").await.unwrap().source;
            assert!(live.contains(&format!("return {}", round * 2 + 1)), "round {round}: {undone} {written} {live}");
        }
    }
}
