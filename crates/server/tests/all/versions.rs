//! Making another Version live.

use model::version::VersionNumber;
use server::app::changesets::Breakage;
use server::app::functions::{point, versions};
use store::testing::TestDatabase;

use crate::world::{ME, World, answering, key};

store::on_both! {
    async fn an_older_version_is_made_live_by_a_changeset_of_its_own(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        world.register(vec![answering("f", 2)]).await.unwrap();
        let applied = point(&world.ctx, &ME, &key("f"), VersionNumber(1), Breakage::Refused).await.unwrap();
        assert_eq!((applied.changeset, applied.revision.0), (Some(3), 3));
        let live: Vec<bool> = versions(&world.ctx, &ME, &key("f")).await.unwrap().iter().map(|line| line.live).collect();
        assert_eq!(live, [true, false]);
    }

    // BabyAGI answers success, and the function disappears.
    async fn a_version_that_does_not_exist_is_refused_and_nothing_moves(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        let before = database.dump().await;
        let error = point(&world.ctx, &ME, &key("f"), VersionNumber(99), Breakage::Refused).await.unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), ("version_not_found", "function `f` has no version 99"));
        let error = point(&world.ctx, &ME, &key("nobody"), VersionNumber(1), Breakage::Refused).await.unwrap_err();
        assert_eq!(error.code(), "not_found");
        assert_eq!(database.dump().await, before);
        assert_eq!(world.live_number(&key("f")).await, Some(1));
    }
}
