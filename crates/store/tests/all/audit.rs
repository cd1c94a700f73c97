//! The audit trail: newest first, a page at a time.

use store::testing::TestDatabase;

use crate::world::{World, audit, event, put};

store::on_both! {
    async fn deeds_are_listed_newest_first_in_pages(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1)]).await;
        let removals = [audit("secret.remove"), audit("token.remove")];
        assert!(!world.store.remove_secret("x", &event("x"), &removals[0]).await.unwrap());
        assert!(!world.store.remove_token("x", &removals[1]).await.unwrap());
        assert_eq!(world.store.audit(None, 10).await.unwrap().len(), 1, "what was not done is no deed");
        for n in 2..=5 {
            world.apply(vec![put("a", n)]).await;
        }
        let all = world.store.audit(None, 10).await.unwrap();
        assert_eq!(all.len(), 5);
        assert!(all.is_sorted_by(|newer, older| newer.audit_id > older.audit_id));
        let first = world.store.audit(None, 2).await.unwrap();
        let second = world.store.audit(Some(first[1].audit_id), 2).await.unwrap();
        let third = world.store.audit(Some(second[1].audit_id), 2).await.unwrap();
        assert_eq!([first, second, third].concat(), all);
    }

    async fn a_deed_reads_back_as_it_was_written(database: &TestDatabase) {
        let world = World::open(database).await;
        let deed = audit("secret.set");
        let secret = crate::secrets::sealed("k", b"sealed");
        world.store.put_secret(&secret, &event("k"), &deed).await.unwrap();
        assert_eq!(world.store.audit(None, 1).await.unwrap(), [deed]);
    }
}
