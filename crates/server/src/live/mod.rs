//! What a server remembers of the database so that it reads only what has changed: the live entries of a kind, the Triggers that
//! listen to an Event, and how far the Events were read.

mod list;
mod progress;
mod triggers;

pub(crate) use self::list::{List, Live, LiveList};
pub(crate) use self::triggers::{LiveTrigger, Triggers};
