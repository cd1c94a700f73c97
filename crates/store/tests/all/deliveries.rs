//! Deliveries: one event each, however often they are sent.

use model::event::{EventKind, NewEvent};
use store::Delivered;
use store::testing::TestDatabase;

use crate::world::{World, at, event};

fn sent(webhook: &str, second: i64) -> NewEvent {
    NewEvent { kind: EventKind::WebhookReceived, at: at(second), ..event(webhook) }
}

store::on_both! {
    async fn what_is_delivered_again_is_the_same_event(database: &TestDatabase) {
        let world = World::open(database).await;
        let deliver = async |webhook, delivery, second, since| {
            world.store.deliver(&sent(webhook, second), delivery, at(since)).await.unwrap()
        };
        assert_eq!(deliver("a", "1", 10, 0).await, Delivered { seq: 1, again: false });
        assert_eq!(deliver("a", "1", 11, 0).await, Delivered { seq: 1, again: true });
        assert_eq!(deliver("b", "1", 12, 0).await, Delivered { seq: 2, again: false }, "another webhook");
        assert_eq!(deliver("a", "2", 13, 0).await, Delivered { seq: 3, again: false });
        assert_eq!(world.store.newest_event().await.unwrap(), 3);
        assert_eq!(deliver("a", "1", 20, 15).await, Delivered { seq: 4, again: false }, "it is forgotten by now");
    }
}
