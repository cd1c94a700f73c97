//! Guesses at words the index does not know: those that begin with what was typed, contain it, or differ by a slip.
//!
//! A guess is looked up in the dictionary of one field, never in the documents, and each look-up is bounded, so that an
//! unknown word costs about as much as a known one.

use std::collections::BTreeMap;

use tantivy::{Searcher, Term, query::FuzzyTermQuery, schema::Field};

use super::Error;

/// A word of the index that may be meant, and in how many documents it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) word: String,
    pub(super) documents: u64,
}

/// More guesses for one word are noise.
const MOST: usize = 8;
/// How many dictionary entries of a segment are looked at for one prefix.
const SCAN: usize = 256;
/// Shorter words have too many neighbours at one slip, or at two.
const SHORTEST_WITH_ONE_SLIP: usize = 4;
const SHORTEST_WITH_TWO_SLIPS: usize = 8;

/// The most frequent words that begin with this one and go on.
pub(super) fn beginning_with(searcher: &Searcher, field: Field, start: &str) -> Result<Vec<Guess>, Error> {
    Ok(most_frequent(scan(searcher, field, start, SCAN)?))
}

/// All terms that begin with this and go on, unless there are more than `most`.
pub(super) fn if_few_begin_with(
    searcher: &Searcher,
    field: Field,
    start: &str,
    most: usize,
) -> Result<Vec<Guess>, Error> {
    let found = scan(searcher, field, start, most + 2)?;
    Ok(if found.len() > most { Vec::new() } else { listed(found) })
}

/// The words nearest in spelling: at one slip, or failing those, for a long word, at two. A slip is a letter too many,
/// too few or wrong, or two neighbours swapped.
pub(super) fn similar_to(searcher: &Searcher, field: Field, word: &str) -> Result<Vec<Guess>, Error> {
    let length = word.chars().count();
    for (slips, shortest) in [(1, SHORTEST_WITH_ONE_SLIP), (2, SHORTEST_WITH_TWO_SLIPS)] {
        if length < shortest {
            break;
        }
        let found = within(searcher, field, word, slips)?;
        if !found.is_empty() {
            return Ok(most_frequent(found));
        }
    }
    Ok(Vec::new())
}

fn scan(searcher: &Searcher, field: Field, start: &str, most: usize) -> Result<BTreeMap<String, u64>, Error> {
    let mut found = BTreeMap::new();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        let mut terms = inverted.terms().range().ge(start).into_stream()?;
        let mut seen = 0;
        while seen < most && terms.advance() && terms.key().starts_with(start.as_bytes()) {
            seen += 1;
            add(&mut found, terms.key(), start, terms.value().doc_freq);
        }
    }
    Ok(found)
}

fn within(searcher: &Searcher, field: Field, word: &str, slips: u8) -> Result<BTreeMap<String, u64>, Error> {
    let query = FuzzyTermQuery::new(Term::from_field_text(field, word), slips, true);
    let mut found = BTreeMap::new();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        let mut terms = inverted.terms().search(query.automaton()?).into_stream()?;
        while terms.advance() {
            add(&mut found, terms.key(), word, terms.value().doc_freq);
        }
    }
    Ok(found)
}

/// Counts a term, unless it is the very word that was typed.
fn add(found: &mut BTreeMap<String, u64>, term: &[u8], typed: &str, documents: u32) {
    if term != typed.as_bytes() {
        let word = String::from_utf8_lossy(term).into_owned();
        *found.entry(word).or_default() += u64::from(documents);
    }
}

fn most_frequent(found: BTreeMap<String, u64>) -> Vec<Guess> {
    let mut guesses = listed(found);
    // The sort is stable, so that equally frequent words stay in the order of the alphabet.
    guesses.sort_by_key(|guess| std::cmp::Reverse(guess.documents));
    guesses.truncate(MOST);
    guesses
}

fn listed(found: BTreeMap<String, u64>) -> Vec<Guess> {
    found.into_iter().map(|(word, documents)| Guess { word, documents }).collect()
}
