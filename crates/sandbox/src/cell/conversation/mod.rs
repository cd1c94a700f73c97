//! A conversation without a cell: what one could say, as bytes in pieces, read as the supervisor reads it. For the fuzzer and
//! for properties; there is no process, no socket and no clock in it.

use std::sync::Arc;

use crate::cell::exchange::Exchange;
use crate::ending::Ending;
use crate::host::Host;
use crate::job::Job;
use crate::protocol::{Decoder, FrameLimits};

/// What resulted from it.
#[derive(Debug)]
pub struct Conversation {
    /// Absent if it had more to say.
    pub ending: Option<Ending>,
    /// The most that was kept at any time, in bytes on the wire: of unfinished frames, and for answers and results.
    pub most_held: u64,
}

/// Reads pieces until one ends the conversation. After each, verbs that can be answered are, and the cell takes as many bytes
/// of the answers as `taken` says. To be called on a runtime.
pub async fn converse<'a>(
    job: &Job,
    host: Arc<dyn Host>,
    limits: FrameLimits,
    pieces: impl Iterator<Item = &'a [u8]>,
    taken: usize,
) -> Conversation {
    let mut decoder = Decoder::new(limits);
    let mut exchange = Exchange::new(host, Vec::new());
    let mut most_held = 0;
    for piece in pieces {
        decoder.push(piece);
        let read = exchange.read(&mut decoder, job, || ());
        most_held = most_held.max(decoder.held() as u64 + exchange.held());
        let ending = match read {
            Ok(None) => None,
            Ok(Some(said)) => Some(Ending::from_cell(said.end, said.yielded)),
            Err(why) => Some(Ending::BrokeProtocol { why }),
        };
        if ending.is_some() {
            return Conversation { ending, most_held };
        }
        answer(&mut exchange, taken).await;
    }
    Conversation { ending: None, most_held }
}

async fn answer(exchange: &mut Exchange, taken: usize) {
    // Lets those finish that only wait to be run.
    tokio::task::yield_now().await;
    tokio::select! {
        biased;
        Some(answer) = exchange.answered(), if exchange.has_verbs() => exchange.queue(answer),
        () = std::future::ready(()) => {}
    }
    let size = taken.min(exchange.outgoing().len());
    exchange.was_sent(size);
}

#[cfg(test)]
mod tests;
