//! Turns a query into weighted terms to look up.
//!
//! Every word is looked up in names, descriptions and the rest, with less weight each. A word that is unknown, or rare
//! enough to be a slip, or one of few, is joined by guesses, which weigh less than the word itself would.

use std::collections::HashMap;

use tantivy::{Searcher, Term, schema::Field};

use super::{
    Error,
    expand::{self, Guess},
    fields::{self, Fields},
    lexicon::{Lexicon, Seen, Word},
    meaning::{self, Role},
    words::LONGEST_WORD,
};

/// In a long query this many words, the rarest ones, pick the candidates; the others only help to order them.
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
/// A word that only asks, beside words that say what for. In a name it may still be meant.
const ASKING: f32 = 0.25;
/// What a phrase stands for, and each further thing that it may stand for.
const STANDS_FOR: f32 = 0.9;
/// Another word for the same thing: found in a name it weighs about as much as the word itself in a description.
const ALIKE: f32 = 0.4;

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
    /// How rare each word of the query is; 0 for one that no term stands for.
    pub(super) words: Vec<f32>,
}

/// One term to look up.
pub(super) struct Leg {
    pub(super) term: Term,
    pub(super) boost: f32,
    documents: u64,
    /// About what a hit adds to the score, before length and repetition are looked at.
    pub(super) worth: f32,
    /// The word of the query it stands for; none when it stands for the whole query.
    pub(super) word: Option<usize>,
    /// Whether it picks candidates, or only counts for those that others pick.
    pub(super) drives: bool,
}

impl Plan {
    pub(super) fn of(query: &str, searcher: &Searcher, fields: &Fields) -> Result<Plan, Error> {
        let query = &query[..query.floor_char_boundary(LONGEST_QUERY)];
        let mut planner = Planner::new(searcher, fields);
        let runs = planner.lexicon.runs(query);
        let squashed = fields::squashed(&runs);
        let words = planner.lexicon.words(&runs)?;
        let texts: Vec<&str> = words.iter().map(|word| word.seen.text.as_str()).collect();
        let roles = meaning::roles(&texts);
        planner.look_up(&words, &roles);
        planner.add_meanings(&words, &roles)?;
        planner.guess(&words, &roles)?;
        planner.begun_name(&squashed, &words)?;
        let words: Vec<f32> =
            roles.iter().enumerate().map(|(word, role)| planner.rarity_of(word, role)).collect();
        let mut legs = planner.legs;
        let driving = rarest(&words);
        for leg in &mut legs {
            leg.drives = leg.word.is_none_or(|word| driving.contains(&word));
        }
        Ok(Plan { squashed, typed: query.trim().to_owned(), legs, words })
    }
}

struct Planner<'a> {
    lexicon: Lexicon<'a>,
    legs: Vec<Leg>,
    /// Where each term already is among the legs.
    planned: HashMap<Term, usize>,
}

impl<'a> Planner<'a> {
    fn new(searcher: &'a Searcher, fields: &'a Fields) -> Planner<'a> {
        Planner { lexicon: Lexicon::of(searcher, fields), legs: Vec::new(), planned: HashMap::new() }
    }

    fn look_up(&mut self, words: &[Word], roles: &[Role]) {
        let tells =
            |planner: &Planner<'_>, seen: &Seen| seen.most() > 0 && !planner.lexicon.common(seen.most());
        let some_tell = words.iter().any(|word| tells(self, &word.seen));
        for (at, word) in words.iter().enumerate() {
            if roles[at].asks {
                self.add_word(&word.seen, ASKING, at, false);
                continue;
            }
            self.add_word(&word.seen, 1.0, at, tells(self, &word.seen) || !some_tell);
            for part in &word.parts {
                self.add_word(part, PART, at, tells(self, part));
            }
        }
    }

    fn add_word(&mut self, seen: &Seen, weight: f32, at: usize, in_prose: bool) {
        let fields = self.lexicon.fields;
        self.add(fields.name, &seen.stem, seen.name, weight * NAME, Some(at));
        self.add(fields.word, &seen.text, seen.word, weight * AS_WRITTEN, Some(at));
        if in_prose {
            self.add(fields.description, &seen.stem, seen.description, weight * DESCRIPTION, Some(at));
            self.add(fields.body, &seen.stem, seen.body, weight * BODY, Some(at));
        }
    }

    /// What phrases stand for, and other words for the same things.
    fn add_meanings(&mut self, words: &[Word], roles: &[Role]) -> Result<(), Error> {
        for (at, (word, role)) in words.iter().zip(roles).enumerate() {
            for meant in &role.stands_for {
                let seen = self.lexicon.seen(meant)?;
                let tells = !self.lexicon.common(seen.most());
                self.add_word(&seen, STANDS_FOR, at, tells);
                self.add_alike(&seen.stem, at)?;
            }
            if !role.asks {
                self.add_alike(&word.seen.stem, at)?;
            }
        }
        Ok(())
    }

    fn add_alike(&mut self, stem: &str, at: usize) -> Result<(), Error> {
        let mut alike = Vec::new();
        for word in meaning::alike(stem) {
            let seen = self.lexicon.seen(word)?;
            alike.push(Guess { word: (*word).to_owned(), documents: seen.most() });
        }
        self.add_guesses(&alike, ALIKE, at, None)
    }

    fn guess(&mut self, words: &[Word], roles: &[Role]) -> Result<(), Error> {
        let few = words.len() <= FEW_WORDS;
        let doubtful = |(at, word): &(usize, &Word)| {
            if roles[*at].asks {
                return false;
            }
            let text = &word.seen.text;
            let readable = text.len() <= LONGEST_WORD && !text.chars().all(char::is_numeric);
            readable && (few || text.chars().count() >= SHORTEST_OF_MANY && word.seen.most() <= RARE)
        };
        for (at, word) in words.iter().enumerate().filter(doubtful).take(MOST_GUESSED) {
            self.guess_at(&word.seen, at)?;
        }
        Ok(())
    }

    /// From the likeliest reading to the least: an unfinished word, a slip, a piece of a word; and only when names have
    /// none of these, a slip of a word in descriptions.
    fn guess_at(&mut self, seen: &Seen, at: usize) -> Result<(), Error> {
        let Lexicon { searcher, fields, .. } = self.lexicon;
        let letters = seen.text.chars().count();
        let unknown = seen.most() == 0;
        let trust = if unknown { OF_UNKNOWN } else { OF_KNOWN };
        let planned = self.legs.len();

        if letters > 2 || unknown && letters > 1 {
            let begun = expand::beginning_with(searcher, fields.word, &seen.text)?;
            self.add_guesses(&begun, trust.begun, at, Some(letters))?;
        }
        if seen.most() <= RARE {
            let slips = expand::similar_to(searcher, fields.word, &seen.text)?;
            self.add_guesses(&slips, trust.slip, at, None)?;
        }
        if self.legs.len() == planned && seen.word == 0 && letters > 2 {
            self.add_inner(&seen.text, trust.inner, at)?;
        }
        if self.legs.len() == planned && unknown {
            let slips = expand::similar_to(searcher, fields.description, &seen.stem)?;
            self.add_guesses(&slips, trust.slip, at, None)?;
        }
        Ok(())
    }

    /// Guessed words count in names and descriptions. All readings of a word are given the rarity they have together,
    /// so that a rare guess does not win by being rare.
    fn add_guesses(
        &mut self,
        guesses: &[Guess],
        trust: f32,
        at: usize,
        begun_with: Option<usize>,
    ) -> Result<(), Error> {
        let fields = self.lexicon.fields;
        let together = guesses.iter().map(|guess| guess.documents).sum();
        for Guess { word, .. } in guesses {
            let Seen { stem, name, description, .. } = self.lexicon.seen(word)?;
            let letters = word.chars().count().max(1);
            let trust = trust * begun_with.map_or(1.0, |typed| 0.5 + 0.5 * typed as f32 / letters as f32);
            let in_name = NAME * trust * self.lexicon.rarity_factor(together, name);
            let in_prose = DESCRIPTION * trust * self.lexicon.rarity_factor(together, description);
            self.add(fields.name, &stem, name, in_name, Some(at));
            if !self.lexicon.common(description) {
                self.add(fields.description, &stem, description, in_prose, Some(at));
            }
        }
        Ok(())
    }

    /// Pieces from the inside of names' words, or from their end.
    fn add_inner(&mut self, typed: &str, trust: f32, at: usize) -> Result<(), Error> {
        let field = self.lexicon.fields.tail;
        let end = Guess { word: typed.to_owned(), documents: self.lexicon.documents_with(field, typed)? };
        let mut pieces = expand::beginning_with(self.lexicon.searcher, field, typed)?;
        pieces.push(end);
        let together = pieces.iter().map(|piece| piece.documents).sum();
        for Guess { word, documents } in pieces {
            let weight = NAME * trust * self.lexicon.rarity_factor(together, documents);
            self.add(field, &word, documents, weight, Some(at));
        }
        Ok(())
    }

    /// Full names that begin as the query does, separators aside.
    fn begun_name(&mut self, squashed: &str, words: &[Word]) -> Result<(), Error> {
        let worth_it = words.len() > 1 || words.first().is_some_and(|word| word.seen.word == 0);
        if !worth_it || squashed.chars().count() < 3 {
            return Ok(());
        }
        let Lexicon { searcher, fields: Fields { squashed: field, .. }, .. } = self.lexicon;
        for name in expand::if_few_begin_with(searcher, *field, squashed, MOST_NAMES_BEGUN)? {
            self.add(*field, &name.word, name.documents, NAME_BEGUN, None);
        }
        Ok(())
    }

    /// Plans a term once, with the greatest weight that anything gives it.
    fn add(&mut self, field: Field, text: &str, documents: u64, boost: f32, word: Option<usize>) {
        if documents == 0 {
            return;
        }
        let term = Term::from_field_text(field, text);
        let rarity = self.lexicon.rarity(documents);
        if let Some(at) = self.planned.get(&term) {
            let leg = &mut self.legs[*at];
            leg.boost = leg.boost.max(boost);
            leg.worth = leg.boost * rarity;
            return;
        }
        self.planned.insert(term.clone(), self.legs.len());
        let worth = boost * rarity;
        self.legs.push(Leg { term, boost, documents, worth, word, drives: true });
    }

    /// By its most frequent term, whether that is the word itself or a guess.
    fn rarity_of(&self, word: usize, role: &Role) -> f32 {
        if role.asks && role.stands_for.is_empty() {
            return 0.0;
        }
        let legs = self.legs.iter().filter(|leg| leg.word == Some(word));
        legs.map(|leg| leg.documents).max().map_or(0.0, |documents| self.lexicon.rarity(documents))
    }
}

fn rarest(words: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by(|a, b| words[*b].total_cmp(&words[*a]));
    order.truncate(MOST_DRIVING);
    order
}
