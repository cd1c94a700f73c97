//! Deliveries: Events sent from outside, stored once however often they are sent.

use jiff::Timestamp;
use model::event::NewEvent;

use crate::db::{Batch, Durability};
use crate::error::Error;
use crate::events::push_events;
use crate::store::Store;

/// The Event that something delivered has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    pub seq: u64,
    /// It had been delivered before.
    pub again: bool,
}

impl Store {
    /// Appends an Event, unless its source was sent the same delivery before. Those older than `since` are forgotten.
    pub async fn deliver(
        &self,
        event: &NewEvent,
        delivery: &str,
        since: Timestamp,
    ) -> Result<Delivered, Error> {
        let mut batch = Batch::new();
        batch.push("delete from deliveries where at < $1", [since.into()]);
        push_events(&mut batch, std::slice::from_ref(event));
        batch.push(
            "insert into deliveries (webhook, delivery, seq, at)
             select $1, $2, value, $3 from counters where counter = 'event'",
            [event.source.as_str().into(), delivery.into(), event.at.into()],
        );
        let again = match self.db.write(batch, Durability::Power).await {
            Ok(_) => false,
            Err(Error::Unique { .. }) => true,
            Err(error) => return Err(error),
        };
        let sql = "select seq from deliveries where webhook = $1 and delivery = $2";
        let values = [event.source.as_str().into(), delivery.into()];
        let seq = self.db.one(sql, values, |row| row.unsigned(0)).await?;
        Ok(Delivered { seq, again })
    }
}
