//! What language models are writing, for those who follow. It is in no record: the result of the Step has it when it is done.

use model::run::lane::Lane;
use model::run::step::Step;
use sandbox::Stream;
use serde::Serialize;

use super::output::Held;
use crate::secrets::redaction::Redaction;

/// More text that a model wrote for a Step that goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Written {
    /// The lane and the number of the Step.
    pub lane: Lane,
    pub number: u32,
    pub text: String,
}

/// The Steps of one Run whose models are writing now.
#[derive(Default)]
pub(crate) struct Writing(Vec<Piece>);

struct Piece {
    held: Held,
    written: Written,
}

/// Up to where someone has read what each Step has.
pub(crate) type WritingPlaces = Vec<(Lane, u32, usize)>;

impl Writing {
    /// Adds text; gives what of it can be shown.
    pub(crate) fn push(&mut self, step: &Step, text: &str, redaction: &Redaction) -> Option<Written> {
        let (lane, number) = (&step.lane, step.number);
        let place = self.0.iter().position(|piece| piece.written.is_of(lane, number));
        let place = place.unwrap_or_else(|| {
            let written = Written { lane: lane.clone(), number, text: String::new() };
            self.0.push(Piece { held: Held::default(), written });
            self.0.len() - 1
        });
        let Piece { held, written } = &mut self.0[place];
        let text = held.push(Stream::Stdout, text.as_bytes(), redaction)?;
        written.text.push_str(&text);
        Some(Written { text, ..written.clone() })
    }

    /// Its result is told from now on.
    pub(crate) fn end(&mut self, step: &Step) {
        self.0.retain(|piece| !piece.written.is_of(&step.lane, step.number));
    }

    /// What somebody has not read.
    pub(crate) fn read(&self, places: &mut WritingPlaces) -> Vec<Written> {
        places.retain(|(lane, number, _)| self.0.iter().any(|piece| piece.written.is_of(lane, *number)));
        let mut news = Vec::new();
        for Piece { written, .. } in &self.0 {
            let known = places.iter_mut().find(|(lane, number, _)| written.is_of(lane, *number));
            let from = known.as_ref().map_or(0, |known| known.2);
            let (text, end) = (&written.text[from..], written.text.len());
            match known {
                Some(known) => known.2 = end,
                None => places.push((written.lane.clone(), written.number, end)),
            }
            if !text.is_empty() {
                news.push(Written { text: text.to_owned(), ..written.clone() });
            }
        }
        news
    }
}

impl Written {
    fn is_of(&self, lane: &Lane, number: u32) -> bool {
        self.lane == *lane && self.number == number
    }
}

#[cfg(test)]
mod tests {
    use model::ids::RunId;
    use serde_json::Value;
    use uuid::Uuid;

    use super::*;

    fn step(number: u32) -> Step {
        Step {
            run_id: RunId(Uuid::nil()),
            lane: "main".parse().unwrap(),
            number,
            position: number,
            verb: "model.chat".to_owned(),
            request: Value::Null,
            result: None,
            error: None,
            child: None,
            answered_by: None,
            started_at: jiff::Timestamp::UNIX_EPOCH,
            finished_at: None,
        }
    }

    fn texts(written: Vec<Written>) -> Vec<(u32, String)> {
        written.into_iter().map(|one| (one.number, one.text)).collect()
    }

    #[test]
    fn each_reader_reads_from_its_own_place_and_nothing_of_what_has_ended() {
        let (mut writing, none) = (Writing::default(), Redaction::default());
        let (mut early, mut late) = (WritingPlaces::new(), WritingPlaces::new());
        writing.push(&step(1), "a", &none);
        assert_eq!(texts(writing.read(&mut early)), [(1, "a".to_owned())]);
        writing.push(&step(1), "b", &none);
        writing.push(&step(2), "x", &none);
        assert_eq!(texts(writing.read(&mut early)), [(1, "b".to_owned()), (2, "x".to_owned())]);
        assert_eq!(texts(writing.read(&mut early)), []);
        assert_eq!(texts(writing.read(&mut late)), [(1, "ab".to_owned()), (2, "x".to_owned())]);
        writing.end(&step(1));
        writing.push(&step(2), "y", &none);
        assert_eq!(texts(writing.read(&mut late)), [(2, "y".to_owned())]);
    }

    #[test]
    fn a_secret_that_comes_in_pieces_is_redacted() {
        let (mut writing, secrets) = (Writing::default(), Redaction::of([("KEY", "s3cret-value")]));
        assert_eq!(writing.push(&step(1), "it is s3cret", &secrets), None);
        let shown = writing.push(&step(1), "-value.\n", &secrets).unwrap();
        assert_eq!(shown.text, "it is [secret KEY].\n");
    }
}
