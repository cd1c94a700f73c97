//! A position in the stream of a Run, from which a follower can continue.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::output::OutputChunk;
use crate::run::RunState;

/// The most printed output in one message.
pub const MOST_PRINTED_BYTES: usize = 64 << 10;

/// A position in the stream of a Run. A retry starts from the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunPlace {
    pub attempt: u32,
    /// The last one that was told.
    pub state: Option<RunState>,
    /// The position of the last Step that was told; of a Graph, of the last node execution of which it was told that it began.
    pub steps: u32,
    /// Chunks of what it printed that were told whole.
    pub chunks: usize,
    /// What was told of the chunk after them.
    pub bytes: usize,
    /// All Calls up to this position were told with their ends.
    pub calls: u32,
    /// The last entry of the journal of a Graph that was told: outputs and ends of node executions.
    pub journal: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not a position in the stream of a run")]
pub struct RunPlaceError {
    text: String,
}

impl RunPlace {
    /// The next piece of what was printed, if there is more of it.
    pub fn print(&mut self, chunks: &[OutputChunk]) -> Option<OutputChunk> {
        while let Some(chunk) = chunks.get(self.chunks) {
            // Who passes in a place that is in the middle of a character gets what comes after the chunk.
            let rest = chunk.text.get(self.bytes..).unwrap_or_default();
            if !rest.is_empty() {
                let end = floor_char_boundary(rest, MOST_PRINTED_BYTES);
                self.bytes += end;
                return Some(OutputChunk { stream: chunk.stream, text: rest[..end].to_owned() });
            }
            // More may be printed to the last one.
            if self.chunks + 1 == chunks.len() {
                return None;
            }
            (self.chunks, self.bytes) = (self.chunks + 1, 0);
        }
        None
    }
}

fn floor_char_boundary(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0)
}

/// Numbers, and the state by its name, joined by dots.
impl fmt::Display for RunPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunPlace { attempt, state, steps, chunks, bytes, calls, journal } = self;
        let state = state.map_or("new", RunState::as_str);
        write!(f, "{attempt}.{state}.{steps}.{chunks}.{bytes}.{calls}.{journal}")
    }
}

impl FromStr for RunPlace {
    type Err = RunPlaceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || RunPlaceError { text: crate::phrase::cut(text, 100) };
        let parts: Vec<&str> = text.split('.').collect();
        let [attempt, state, steps, chunks, bytes, calls, journal] = parts[..] else { return Err(wrong()) };
        let state = match state {
            "new" => None,
            name => Some(RunState::ALL.into_iter().find(|state| state.as_str() == name).ok_or_else(wrong)?),
        };
        Ok(RunPlace {
            attempt: attempt.parse().map_err(|_| wrong())?,
            state,
            steps: steps.parse().map_err(|_| wrong())?,
            chunks: chunks.parse().map_err(|_| wrong())?,
            bytes: bytes.parse().map_err(|_| wrong())?,
            calls: calls.parse().map_err(|_| wrong())?,
            journal: journal.parse().map_err(|_| wrong())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::output::OutputStream::{Stderr, Stdout};

    fn chunk(stream: crate::run::output::OutputStream, text: &str) -> OutputChunk {
        OutputChunk { stream, text: text.to_owned() }
    }

    #[test]
    fn what_was_printed_is_reported_once_while_it_grows() {
        let mut place = RunPlace::default();
        let mut told = String::new();
        let mut tell = |chunks: &[OutputChunk]| {
            while let Some(chunk) = place.print(chunks) {
                told.push_str(&chunk.text);
            }
            place
        };
        tell(&[chunk(Stdout, "a")]);
        tell(&[chunk(Stdout, "ab")]);
        tell(&[chunk(Stdout, "abc"), chunk(Stderr, "d")]);
        let place = tell(&[chunk(Stdout, "abc"), chunk(Stderr, "de")]);
        assert_eq!((told.as_str(), place.chunks, place.bytes), ("abcde", 1, 2));
    }

    #[test]
    fn no_piece_is_too_long_or_ends_in_a_character() {
        let long = [chunk(Stdout, &"ä".repeat(MOST_PRINTED_BYTES))];
        let mut place = RunPlace { bytes: 1, ..RunPlace::default() };
        assert_eq!(place.print(&long), None, "in the middle of a character");
        let mut place = RunPlace::default();
        let pieces: Vec<usize> =
            std::iter::from_fn(|| place.print(&long)).map(|piece| piece.text.len()).collect();
        assert_eq!(pieces, [MOST_PRINTED_BYTES; 2]);
    }

    #[test]
    fn a_place_reads_back_as_it_was_written() {
        let place = RunPlace {
            attempt: 2,
            state: Some(RunState::Waiting),
            steps: 3,
            chunks: 4,
            bytes: 5,
            calls: 6,
            journal: 7,
        };
        for place in [place, RunPlace::default()] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for text in
            ["", "1", "1.done.1.1.1.1.1", "1.new.1.1.1.1.-1", "1.new.1.1.1.1", "99999999999.new.1.1.1.1.1"]
        {
            assert!(text.parse::<RunPlace>().is_err(), "{text}");
        }
    }
}
