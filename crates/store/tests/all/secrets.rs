//! Secrets: one of a name, replaced in place, gone when removed.

use std::collections::BTreeSet;

use model::access::actor::Actor;
use model::access::secret::Secret;
use model::event::{EventKind, NewEvent};
use model::ids::SecretId;
use store::testing::TestDatabase;
use store::{SealedSecret, SecretChange};

use crate::world::{World, at, audit, event, id};

pub(crate) fn sealed(text: &str, value: &[u8]) -> SecretChange {
    SecretChange {
        secret_id: SecretId(id()),
        name: text.to_owned(),
        sealed: value.to_vec(),
        hosts: None,
        at: at(1),
        by: Actor::CommandLine,
    }
}

fn hosts(hosts: &[&str]) -> BTreeSet<String> {
    hosts.iter().map(|host| (*host).to_owned()).collect()
}

store::on_both! {
    async fn a_secret_is_replaced_in_place(database: &TestDatabase) {
        let world = World::open(database).await;
        let first = sealed("k", b"\0one\xff");
        world.store.put_secret(&first, &event("k"), &audit("secret.set")).await.unwrap();
        let secret = Secret {
            secret_id: first.secret_id,
            name: "k".to_owned(),
            hosts: hosts(&[]),
            created_at: at(1),
            updated_at: at(1),
            updated_by: Actor::CommandLine,
        };
        let stored = SealedSecret { secret: secret.clone(), sealed: first.sealed };
        assert_eq!(world.store.sealed_secret("k").await.unwrap(), Some(stored));
        let second = SecretChange { at: at(9), ..sealed("k", b"two") };
        world.store.put_secret(&second, &event("k"), &audit("secret.set")).await.unwrap();
        let stored = world.store.sealed_secret("k").await.unwrap().unwrap();
        assert_eq!(stored.sealed, b"two");
        assert_eq!(stored.secret, Secret { updated_at: at(9), ..secret });
    }

    async fn a_new_value_is_for_the_same_hosts_unless_others_are_named(database: &TestDatabase) {
        let world = World::open(database).await;
        let own = hosts(&["*.b.example:8443", "a.example"]);
        for (named, kept) in
            [(None, hosts(&[])), (Some(own.clone()), own.clone()), (None, own), (Some(hosts(&[])), hosts(&[]))]
        {
            let change = SecretChange { hosts: named, ..sealed("k", b"x") };
            world.store.put_secret(&change, &event("k"), &audit("secret.set")).await.unwrap();
            assert_eq!(world.store.secrets().await.unwrap()[0].hosts, kept);
        }
    }

    async fn the_stamp_differs_after_each_change_whatever_the_clock_says(database: &TestDatabase) {
        let world = World::open(database).await;
        let changed = NewEvent { kind: EventKind::SecretChanged, ..event("k") };
        let mut stamps = vec![world.store.secrets_stamp().await.unwrap()];
        for value in [b"one", b"two"] {
            world.store.put_secret(&sealed("k", value), &changed, &audit("secret.set")).await.unwrap();
            stamps.push(world.store.secrets_stamp().await.unwrap());
        }
        world.store.remove_secret("k", &changed, &audit("secret.remove")).await.unwrap();
        stamps.push(world.store.secrets_stamp().await.unwrap());
        assert!((1..stamps.len()).all(|n| !stamps[..n].contains(&stamps[n])), "{stamps:?}");
        assert_eq!(world.store.secrets_stamp().await.unwrap(), stamps[3]);
    }

    async fn names_are_listed_in_order_and_told_apart_by_case(database: &TestDatabase) {
        let world = World::open(database).await;
        for text in ["b", "a", "B", "_", "ä"] {
            world.store.put_secret(&sealed(text, b"x"), &event(text), &audit("secret.set")).await.unwrap();
        }
        let names: Vec<String> = world.store.secrets().await.unwrap().into_iter().map(|secret| secret.name).collect();
        assert_eq!(names, ["B", "_", "a", "b", "ä"]);
    }

    async fn a_removed_secret_is_gone_and_the_deed_is_reported(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.put_secret(&sealed("k", b"x"), &event("set"), &audit("secret.set")).await.unwrap();
        assert!(world.store.remove_secret("k", &event("removed"), &audit("secret.remove")).await.unwrap());
        assert_eq!(world.store.sealed_secret("k").await.unwrap(), None);
        assert_eq!(world.store.events_after(1, 10).await.unwrap()[0].fact.source, "removed");

        let before = database.dump().await;
        assert!(!world.store.remove_secret("k", &event("again"), &audit("secret.remove")).await.unwrap());
        assert_eq!(database.dump().await, before);
    }
}
