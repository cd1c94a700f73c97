//! Many at once: all land, none is lost, the revision counts them.

use std::collections::BTreeSet;

use server::app::changesets::drafts::Proposal;
use server::app::changesets::register;
use store::testing::TestDatabase;

use crate::world::{ME, World, answering, key};

const TASKS: u32 = 32;

store::on_both! {
    async fn what_many_register_at_once_all_lands(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut tasks = Vec::new();
        for n in 0..TASKS {
            let ctx = world.ctx.clone();
            tasks.push(tokio::spawn(async move {
                let proposal = Proposal::of("", vec![answering(&format!("f{n}"), n), answering("shared", n)]);
                register(&ctx, &ME, &proposal).await.unwrap()
            }));
        }
        let mut revisions = BTreeSet::new();
        for task in tasks {
            revisions.insert(task.await.unwrap().revision.0);
        }
        assert_eq!(revisions, (1..=u64::from(TASKS)).collect());
        assert_eq!(world.revision().await, u64::from(TASKS));
        assert_eq!(world.ctx.store.versions(&key("shared")).await.unwrap().len(), TASKS as usize);
        let names = world.ctx.store.entry_names(model::entry::EntryKind::Function, ME.only()).await.unwrap();
        assert_eq!(names.len(), TASKS as usize + 1);
        let events = world.ctx.store.events_after(0, 1_000).await.unwrap();
        assert_eq!(events.last().unwrap().seq, events.len() as u64);
    }

    async fn five_thousand_functions_are_one_changeset(database: &TestDatabase) {
        let world = World::open(database).await;
        let proposal = Proposal::of("", (0..5_000).map(|n| answering(&format!("f{n}"), n)).collect());
        let applied = register(&world.ctx, &ME, &proposal).await.unwrap();
        assert_eq!((applied.moves.len(), world.revision().await), (5_000, 1));
    }

    async fn servers_that_know_nothing_of_each_other_do_not_lose_each_other_s_work(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut tasks = Vec::new();
        for server in 0..4 {
            let ctx = world.reopened(database).await;
            tasks.push(tokio::spawn(async move {
                for n in 0..4 {
                    let proposal = Proposal::of("", vec![answering(&format!("f{server}_{n}"), n)]);
                    register(&ctx, &ME, &proposal).await.unwrap();
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(world.revision().await, 16);
        assert_eq!(world.ctx.store.entry_names(model::entry::EntryKind::Function, ME.only()).await.unwrap().len(), 16);
    }
}
