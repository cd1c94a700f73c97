//! Search: in step with the brain, whoever changed it and whatever became of the index.

use std::sync::Arc;

use model::access::actor::Actor;
use model::access::scope::Scope;
use model::access::{Access, Authority};
use server::Ctx;
use server::app::functions::search::{rebuild, search};
use store::Location;
use store::testing::TestDatabase;

use crate::world::{ME, World, delete, point, source};

async fn found(ctx: &Ctx, query: &str) -> Vec<String> {
    search(ctx, &ME, query, 10).await.unwrap().into_iter().map(|hit| hit.name).collect()
}

/// Runs SQL past the store.
async fn execute(database: &TestDatabase, sql: &str) {
    match database.location() {
        Location::Sqlite(path) => rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap(),
        Location::Postgres(_) => database.execute(&format!("set search_path = selfmade; {sql}")).await,
    }
}

const MAIL: &str =
    "def send_mail(recipient):\n    \"\"\"Delivers a letter electronically.\"\"\"\n    return recipient\n";
const SUM: &str = "def add_numbers(a, b):\n    \"\"\"Sums two figures.\"\"\"\n    return a + b\n";

/// Somebody who may do everything, to these names alone.
fn touching(patterns: &[&str]) -> Access {
    let only = Scope::Names(patterns.iter().map(ToString::to_string).collect());
    let authority = Authority { only, ..Authority::of_command_line() };
    Access { actor: Actor::CommandLine, authority: Arc::new(authority) }
}

fn saying(name: &str, description: &str) -> String {
    format!("def {name}():\n    \"\"\"{description}\"\"\"\n")
}

store::on_both! {
    async fn what_is_applied_is_found_and_what_is_deleted_is_not(database: &TestDatabase) {
        let world = World::open(database).await;
        assert_eq!(found(&world.ctx, "mail").await, [""; 0]);
        world.add(&[MAIL, SUM]).await;
        assert_eq!(found(&world.ctx, "mail").await, ["send_mail"]);
        assert_eq!(found(&world.ctx, "figures").await, ["add_numbers"]);
        assert_eq!(found(&world.ctx, "recipient").await, ["send_mail"]);
        world.add(&["def add_numbers(a, b):\n    \"\"\"Totals a pair.\"\"\"\n    return a + b\n"]).await;
        assert_eq!(found(&world.ctx, "figures").await, [""; 0]);
        assert_eq!(found(&world.ctx, "totals").await, ["add_numbers"]);
        world.register(vec![point("add_numbers", 1)]).await.unwrap();
        assert_eq!(found(&world.ctx, "figures").await, ["add_numbers"]);
        world.register(vec![delete("send_mail")]).await.unwrap();
        assert_eq!(found(&world.ctx, "mail").await, [""; 0]);
    }

    async fn beginnings_and_typos_are_forgiven(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&[MAIL, SUM]).await;
        for query in ["send_mail", "sendMail", "send ma", "mial", "SEND"] {
            assert_eq!(found(&world.ctx, query).await.first().map(String::as_str), Some("send_mail"), "{query}");
        }
    }

    async fn a_lost_or_spoilt_index_is_built_again(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&[MAIL]).await;
        assert_eq!(found(&world.ctx, "mail").await, ["send_mail"]);
        let folder = world.home.path().join("search");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found(&world.reopened(database).await, "mail").await, ["send_mail"]);

        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                std::fs::write(&path, b"rubbish").unwrap();
            }
        }
        let again = world.reopened(database).await;
        assert_eq!(found(&again, "mail").await, ["send_mail"]);
        rebuild(&again, &ME).await.unwrap();
        assert_eq!(found(&again, "mail").await, ["send_mail"]);
    }

    async fn a_build_that_breaks_off_is_not_taken_for_the_brain(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&[MAIL, SUM]).await;
        execute(database, "create table spare as select * from contents").await;
        execute(database, "update contents set body = 'rubbish' where description like 'Sums%'").await;
        assert_eq!(search(&world.ctx, &ME, "mail", 10).await.unwrap_err().code(), "database");
        execute(
            database,
            "update contents set body = (select body from spare where spare.content_hash = contents.content_hash)",
        )
        .await;
        assert_eq!(found(&world.ctx, "mail").await, ["send_mail"]);
        assert_eq!(found(&world.reopened(database).await, "figures").await, ["add_numbers"]);
    }

    async fn an_index_of_another_brain_is_not_believed(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&[MAIL]).await;
        found(&world.ctx, "mail").await;
        let other = TestDatabase::sqlite();
        let moved = world.reopened(&other).await;
        assert_eq!(found(&moved, "mail").await, [""; 0]);
    }

    async fn servers_with_indexes_of_their_own_see_each_other_s_changes(database: &TestDatabase) {
        let one = World::open(database).await;
        let two = World::open(database).await;
        one.add(&[MAIL]).await;
        assert_eq!(found(&two.ctx, "mail").await, ["send_mail"]);
        two.register(vec![source(SUM), delete("send_mail")]).await.unwrap();
        assert_eq!(found(&one.ctx, "mail").await, [""; 0]);
        assert_eq!(found(&one.ctx, "figures").await, ["add_numbers"]);
    }

    async fn two_who_share_an_index_see_each_other_s_changes(database: &TestDatabase) {
        let one = World::open(database).await;
        one.add(&[MAIL]).await;
        assert_eq!(found(&one.ctx, "mail").await, ["send_mail"]);
        let two = one.reopened(database).await;
        one.add(&[SUM]).await;
        assert_eq!(found(&two, "figures").await, ["add_numbers"]);
        assert_eq!(found(&one.ctx, "figures").await, ["add_numbers"]);
    }

    async fn what_lies_outside_its_patterns_changes_nothing_a_token_finds(database: &TestDatabase) {
        let other = database.another().await;
        let (one, two) = (World::open(database).await, World::open(&other).await);
        let narrow = touching(&["web_*", "send_mail"]);
        let inside = ["web_get", "web_put", "web_page", "web_mail"].map(|name| saying(name, "Reads a page of letters."));
        for world in [&one, &two] {
            world.add(&[&inside[..], &[MAIL.to_owned()]].concat().iter().map(String::as_str).collect::<Vec<_>>()).await;
        }
        let same = async || {
            for query in ["page", "read letters", "wbe_get", "latter", "mail", "web", "figures", "paeg"] {
                let found = async |world: &World| search(&world.ctx, &narrow, query, 10).await.unwrap();
                let (here, there) = (found(&one).await, found(&two).await);
                assert_eq!(here, there, "{query}");
                assert!(here.iter().all(|hit| narrow.covers(&hit.name)), "{query}: {here:?}");
            }
        };
        same().await;
        // Common words, names that typos are corrected to, and better hits than those inside.
        let outside: Vec<String> = (0..40).map(|n| saying(&format!("page_{n}"), "Reads a latter page, wbe and paeg.")).collect();
        two.add(&outside.iter().map(String::as_str).collect::<Vec<_>>()).await;
        two.add(&[SUM]).await;
        same().await;
        for world in [&one, &two] {
            world.add(&[&saying("web_get", "Fetches a page.")]).await;
            world.register(vec![delete("web_put")]).await.unwrap();
        }
        two.register(vec![delete("page_3")]).await.unwrap();
        same().await;
        assert_ne!(found(&one.ctx, "page").await, found(&two.ctx, "page").await);
    }

    async fn a_token_finds_what_its_patterns_cover_as_it_is_now(database: &TestDatabase) {
        let world = World::open(database).await;
        world.add(&[MAIL, SUM]).await;
        let narrow = touching(&["send_*"]);
        let seen = async |ctx: &Ctx, query: &str| -> Vec<String> {
            search(ctx, &narrow, query, 10).await.unwrap().into_iter().map(|hit| hit.name).collect()
        };
        assert_eq!(seen(&world.ctx, "mail figures").await, ["send_mail"]);
        world.add(&[&saying("send_fax", "Sends figures.")]).await;
        assert_eq!(seen(&world.ctx, "figures").await, ["send_fax"]);
        rebuild(&world.ctx, &ME).await.unwrap();
        assert!(!world.home.path().join("search/scopes").read_dir().unwrap().any(|_| true));
        assert_eq!(seen(&world.ctx, "figures").await, ["send_fax"]);
        let again = world.reopened(database).await;
        world.register(vec![delete("send_mail")]).await.unwrap();
        assert_eq!(seen(&again, "mail").await, [""; 0]);
        std::fs::remove_dir_all(world.home.path().join("search")).unwrap();
        assert_eq!(seen(&world.ctx, "figures").await, ["send_fax"], "made again when it is gone");
        assert_eq!(search(&world.ctx, &touching(&["nobody"]), "mail", 10).await.unwrap(), []);
    }
}
