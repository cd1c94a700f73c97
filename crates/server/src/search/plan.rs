//! Turns a query into weighted terms to look up.
//!
//! Every word is looked up in names, descriptions and the rest, with less weight each. A word that is unknown, or rare
//! enough to be a slip, or one of few, is joined by guesses, which weigh less than the word itself would.

use std::collections::{HashMap, HashSet};

use tantivy::{Searcher, Term, schema::Field};

use super::{
    Error,
    expand::{self, Guess},
    fields::{self, Fields},
    words::{Cutter, LONGEST_WORD, Run},
};

/// Words beyond these are not looked up. Also what fits into the bits of a coverage mask.
pub(super) const MOST_WORDS: usize = 32;
/// In a long query this many words, the most telling ones, pick the candidates; the others only help to order them.
const MOST_DRIVING: usize = 8;
/// Text beyond this many bytes is not even cut into words.
const LONGEST_QUERY: usize = 16 * 1024;
/// Only this many words of a query are guessed at.
const MOST_GUESSED: usize = 8;
/// Up to this many words a query is taken as a few typed words, of which any may be unfinished.
const FEW_WORDS: usize = 4;
/// In longer queries, shorter unknown words are glue (`how do I`), not beginnings of names.
const SHORTEST_OF_MANY: usize = 4;
/// A word in no more documents than this may be a slip.
const RARE: u64 = 2;
/// From this size on, words in more than a fifth of all descriptions are left to names: they tell little and cost most.
const LARGE: u64 = 1_000;
const COMMON_SHARE: u64 = 5;
/// A typed beginning of full names is a strong hint, unless it is the beginning of more names than this.
const MOST_NAMES_BEGUN: usize = 16;

const NAME: f32 = 4.0;
/// On top of `NAME`, when the word is not merely an inflection of the one in the name.
const AS_WRITTEN: f32 = 1.0;
const DESCRIPTION: f32 = 2.0;
const BODY: f32 = 1.0;
/// Above all other weights: few names begin with exactly what was typed.
const NAME_BEGUN: f32 = 6.0;
/// A part of a run that is known as a whole.
const PART: f32 = 0.5;

/// How much a guess weighs against the word itself. A guess beside a word that is known weighs so little that a name
/// guessed at comes after a body that has the word.
struct Trust {
    begun: f32,
    inner: f32,
    slip: f32,
}
const OF_UNKNOWN: Trust = Trust { begun: 0.7, inner: 0.4, slip: 0.5 };
const OF_KNOWN: Trust = Trust { begun: 0.2, inner: 0.1, slip: 0.15 };

/// What to look up for a query.
pub(super) struct Plan {
    /// The query without separators: the name that was typed, if it was one.
    pub(super) squashed: String,
    pub(super) typed: String,
    pub(super) legs: Vec<Leg>,
    /// How telling each word of the query is; nothing for one that no term stands for.
    pub(super) words: Vec<f32>,
}

/// One term to look up.
pub(super) struct Leg {
    pub(super) term: Term,
    pub(super) boost: f32,
    documents: u64,
    /// About what a hit adds to the score, before length and repetition are looked at.
    pub(super) worth: f32,
    /// The word of the query it stands for.
    pub(super) word: Option<usize>,
    /// Whether it picks candidates, or only counts for those that others pick.
    pub(super) drives: bool,
}

impl Plan {
    pub(super) fn of(query: &str, searcher: &Searcher, fields: &Fields) -> Result<Plan, Error> {
        let query = &query[..query.floor_char_boundary(LONGEST_QUERY)];
        let mut planner = Planner::new(searcher, fields);
        let runs = planner.cutter.runs(query);
        let squashed = fields::squashed(&runs);
        let words = planner.words(&runs)?;
        planner.look_up(&words)?;
        planner.guess(&words)?;
        planner.begun_name(&squashed, &words)?;
        let words: Vec<f32> = (0..words.len()).map(|word| planner.telling_of(word)).collect();
        let mut legs = planner.legs;
        let driving = most_telling(&words);
        for leg in &mut legs {
            leg.drives = leg.word.is_none_or(|word| driving.contains(&word));
        }
        Ok(Plan { squashed, typed: query.trim().to_owned(), legs, words })
    }
}

/// A word of the query, with what the index knows of it.
struct Word {
    text: String,
    seen: Seen,
    parts: Vec<Seen>,
}

/// In how many documents a word is, by field.
struct Seen {
    stem: String,
    text: String,
    name: u64,
    word: u64,
    description: u64,
    body: u64,
}

impl Seen {
    fn most(&self) -> u64 {
        self.name.max(self.description).max(self.body)
    }
}

struct Planner<'a> {
    searcher: &'a Searcher,
    fields: &'a Fields,
    cutter: Cutter,
    documents: u64,
    legs: Vec<Leg>,
    /// Where each term already is among the legs.
    planned: HashMap<Term, usize>,
}

impl<'a> Planner<'a> {
    fn new(searcher: &'a Searcher, fields: &'a Fields) -> Planner<'a> {
        let documents = searcher.segment_readers().iter().map(|segment| u64::from(segment.max_doc())).sum();
        Planner {
            searcher,
            fields,
            cutter: Cutter::new(),
            documents,
            legs: Vec::new(),
            planned: HashMap::new(),
        }
    }

    /// The distinct words of a query. A run with parts is one word if the index knows it as such, otherwise its parts.
    fn words(&mut self, runs: &[Run]) -> Result<Vec<Word>, Error> {
        let mut words = Vec::new();
        let mut taken = HashSet::new();
        for run in runs {
            let whole = self.seen(&run.whole)?;
            if run.parts.is_empty() || whole.most() > 0 {
                let parts = run.parts.iter().map(|part| self.seen(part)).collect::<Result<_, _>>()?;
                push(&mut words, &mut taken, Word { text: run.whole.clone(), seen: whole, parts });
            } else {
                for part in &run.parts {
                    let seen = self.seen(part)?;
                    push(&mut words, &mut taken, Word { text: part.clone(), seen, parts: Vec::new() });
                }
            }
            if words.len() >= MOST_WORDS {
                words.truncate(MOST_WORDS);
                break;
            }
        }
        Ok(words)
    }

    fn seen(&mut self, text: &str) -> Result<Seen, Error> {
        let stem = self.cutter.stem(text);
        let count = |field, text: &str| self.searcher.doc_freq(&Term::from_field_text(field, text));
        Ok(Seen {
            name: count(self.fields.name, &stem)?,
            word: count(self.fields.word, text)?,
            description: count(self.fields.description, &stem)?,
            body: count(self.fields.body, &stem)?,
            text: text.to_owned(),
            stem,
        })
    }

    fn look_up(&mut self, words: &[Word]) -> Result<(), Error> {
        let tells =
            |planner: &Planner<'_>, word: &Word| word.seen.most() > 0 && !planner.common(word.seen.most());
        let some_tell = words.iter().any(|word| tells(self, word));
        for (at, word) in words.iter().enumerate() {
            let in_prose = tells(self, word) || !some_tell;
            self.add_word(&word.seen, 1.0, at, in_prose);
            for part in &word.parts {
                self.add_word(part, PART, at, in_prose && !self.common(part.most()));
            }
        }
        Ok(())
    }

    fn add_word(&mut self, seen: &Seen, weight: f32, at: usize, in_prose: bool) {
        self.add(self.fields.name, &seen.stem, seen.name, weight * NAME, Some(at));
        self.add(self.fields.word, &seen.text, seen.word, weight * AS_WRITTEN, Some(at));
        if in_prose {
            self.add(self.fields.description, &seen.stem, seen.description, weight * DESCRIPTION, Some(at));
            self.add(self.fields.body, &seen.stem, seen.body, weight * BODY, Some(at));
        }
    }

    fn guess(&mut self, words: &[Word]) -> Result<(), Error> {
        let few = words.len() <= FEW_WORDS;
        let doubtful = |(_, word): &(usize, &Word)| {
            let letters = word.text.chars().count();
            let readable = word.text.len() <= LONGEST_WORD && !word.text.chars().all(char::is_numeric);
            readable && (few || letters >= SHORTEST_OF_MANY && word.seen.most() <= RARE)
        };
        for (at, word) in words.iter().enumerate().filter(doubtful).take(MOST_GUESSED) {
            self.guess_at(word, at)?;
        }
        Ok(())
    }

    fn guess_at(&mut self, word: &Word, at: usize) -> Result<(), Error> {
        let Fields { word: written, tail, description, .. } = *self.fields;
        let letters = word.text.chars().count();
        let unknown = word.seen.most() == 0;
        let trust = if unknown { OF_UNKNOWN } else { OF_KNOWN };
        let mut found = false;

        if letters > 2 || unknown && letters > 1 {
            let begun = expand::beginning_with(self.searcher, written, &word.text)?;
            found |= !begun.is_empty();
            self.add_guesses(&begun, trust.begun, at, Some(letters))?;
        }
        if word.seen.most() <= RARE {
            let slips = expand::similar_to(self.searcher, written, &word.text)?;
            found |= !slips.is_empty();
            self.add_guesses(&slips, trust.slip, at, None)?;
        }
        if !found && word.seen.word == 0 && letters > 2 {
            let inner = expand::beginning_with(self.searcher, tail, &word.text)?;
            found |=
                !inner.is_empty() || self.searcher.doc_freq(&Term::from_field_text(tail, &word.text))? > 0;
            self.add_inner(&word.text, &inner, trust.inner, at)?;
        }
        if !found && unknown {
            let slips = expand::similar_to(self.searcher, description, &word.seen.stem)?;
            self.add_guesses(&slips, trust.slip, at, None)?;
        }
        Ok(())
    }

    /// Guessed words count in names and descriptions. They share the weight of the commonest reading, so that a rare
    /// guess does not win by being rare.
    fn add_guesses(
        &mut self,
        guesses: &[Guess],
        trust: f32,
        at: usize,
        begun_with: Option<usize>,
    ) -> Result<(), Error> {
        let together = guesses.iter().map(|guess| guess.documents).sum();
        for guess in guesses {
            let letters = guess.word.chars().count().max(1);
            let closeness = begun_with.map_or(1.0, |typed| 0.5 + 0.5 * typed as f32 / letters as f32);
            let seen = self.seen(&guess.word)?;
            let weight =
                |planner: &Planner<'_>, documents| trust * closeness * planner.evened(together, documents);
            let (in_name, in_prose) = (weight(self, seen.name), weight(self, seen.description));
            self.add(self.fields.name, &seen.stem, seen.name, NAME * in_name, Some(at));
            if !self.common(seen.description) {
                self.add(
                    self.fields.description,
                    &seen.stem,
                    seen.description,
                    DESCRIPTION * in_prose,
                    Some(at),
                );
            }
        }
        Ok(())
    }

    /// Pieces from the inside of names' words. The typed piece may itself be the end of one.
    fn add_inner(&mut self, typed: &str, inner: &[Guess], trust: f32, at: usize) -> Result<(), Error> {
        let field = self.fields.tail;
        let exact = self.searcher.doc_freq(&Term::from_field_text(field, typed))?;
        let together = exact + inner.iter().map(|guess| guess.documents).sum::<u64>();
        self.add(field, typed, exact, NAME * trust * self.evened(together, exact), Some(at));
        for guess in inner {
            let weight = trust * self.evened(together, guess.documents);
            self.add(field, &guess.word, guess.documents, NAME * weight, Some(at));
        }
        Ok(())
    }

    /// Full names that begin as the query does, separators aside.
    fn begun_name(&mut self, squashed: &str, words: &[Word]) -> Result<(), Error> {
        let worth_it = words.len() > 1 || words.first().is_some_and(|word| word.seen.word == 0);
        if !worth_it || squashed.chars().count() < 3 {
            return Ok(());
        }
        let field = self.fields.squashed;
        for name in expand::if_few_begin_with(self.searcher, field, squashed, MOST_NAMES_BEGUN)? {
            self.add(field, &name.word, name.documents, NAME_BEGUN, None);
        }
        Ok(())
    }

    /// Plans a term once, with the greatest weight that anything gives it.
    fn add(&mut self, field: Field, text: &str, documents: u64, boost: f32, word: Option<usize>) {
        if documents == 0 {
            return;
        }
        let term = Term::from_field_text(field, text);
        let telling = self.telling(documents);
        if let Some(at) = self.planned.get(&term) {
            let leg = &mut self.legs[*at];
            leg.boost = leg.boost.max(boost);
            leg.worth = leg.boost * telling;
            return;
        }
        self.planned.insert(term.clone(), self.legs.len());
        let worth = boost * telling;
        self.legs.push(Leg { term, boost, documents, worth, word, drives: true });
    }

    fn common(&self, documents: u64) -> bool {
        self.documents >= LARGE && documents * COMMON_SHARE > self.documents
    }

    /// The factor that gives a term in `documents` the rarity of one in `together`.
    fn evened(&self, together: u64, documents: u64) -> f32 {
        self.telling(together) / self.telling(documents)
    }

    /// By its most frequent term, whether that is the word itself or a guess.
    fn telling_of(&self, word: usize) -> f32 {
        let legs = self.legs.iter().filter(|leg| leg.word == Some(word));
        legs.map(|leg| leg.documents).max().map_or(0.0, |documents| self.telling(documents))
    }

    /// Inverse document frequency, as BM25 has it.
    fn telling(&self, documents: u64) -> f32 {
        let all = self.documents.max(documents) as f32;
        let documents = documents as f32;
        (1.0 + (all - documents + 0.5) / (documents + 0.5)).ln()
    }
}

fn most_telling(words: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by(|a, b| words[*b].total_cmp(&words[*a]));
    order.truncate(MOST_DRIVING);
    order
}

fn push(words: &mut Vec<Word>, taken: &mut HashSet<String>, word: Word) {
    if taken.insert(word.text.clone()) {
        words.push(word);
    }
}
