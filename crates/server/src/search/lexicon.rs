//! What the index knows of the words of a query: in how many documents they are, and so how much they tell.

use std::collections::HashSet;

use tantivy::{Searcher, Term, schema::Field};

use super::{
    Error,
    fields::Fields,
    words::{Cutter, Run},
};

/// Words beyond these are not looked up. Also what fits into the bits of a coverage mask.
const MOST_WORDS: usize = 32;
/// From this size on, words in more than a fifth of all documents are left to names: they tell little and cost most.
const LARGE: u64 = 1_000;
const COMMON_SHARE: u64 = 5;

/// A word of the query, with what the index knows of it.
pub(super) struct Word {
    pub(super) seen: Seen,
    pub(super) parts: Vec<Seen>,
}

/// In how many documents a word is, by field.
pub(super) struct Seen {
    pub(super) text: String,
    pub(super) stem: String,
    pub(super) name: u64,
    pub(super) word: u64,
    pub(super) description: u64,
    pub(super) body: u64,
}

impl Seen {
    pub(super) fn most(&self) -> u64 {
        self.name.max(self.description).max(self.body)
    }
}

pub(super) struct Lexicon<'a> {
    pub(super) searcher: &'a Searcher,
    pub(super) fields: &'a Fields,
    cutter: Cutter,
    documents: u64,
}

impl<'a> Lexicon<'a> {
    pub(super) fn of(searcher: &'a Searcher, fields: &'a Fields) -> Lexicon<'a> {
        let documents = searcher.segment_readers().iter().map(|segment| u64::from(segment.max_doc())).sum();
        Lexicon { searcher, fields, cutter: Cutter::new(), documents }
    }

    pub(super) fn runs(&mut self, text: &str) -> Vec<Run> {
        self.cutter.runs(text)
    }

    /// The distinct words of a query. A run with parts is one word if the index knows it as such, otherwise its parts.
    pub(super) fn words(&mut self, runs: &[Run]) -> Result<Vec<Word>, Error> {
        let mut words = Vec::new();
        let mut taken = HashSet::new();
        for run in runs.iter().filter(|run| taken.insert(run.whole.as_str())) {
            let whole = self.seen(&run.whole)?;
            let parts = run.parts.iter().map(|part| self.seen(part)).collect::<Result<Vec<_>, _>>()?;
            if parts.is_empty() || whole.most() > 0 {
                words.push(Word { seen: whole, parts });
            } else {
                words.extend(parts.into_iter().map(|seen| Word { seen, parts: Vec::new() }));
            }
            if words.len() >= MOST_WORDS {
                words.truncate(MOST_WORDS);
                break;
            }
        }
        Ok(words)
    }

    pub(super) fn seen(&mut self, text: &str) -> Result<Seen, Error> {
        let stem = self.cutter.stem(text);
        Ok(Seen {
            name: self.documents_with(self.fields.name, &stem)?,
            word: self.documents_with(self.fields.word, text)?,
            description: self.documents_with(self.fields.description, &stem)?,
            body: self.documents_with(self.fields.body, &stem)?,
            text: text.to_owned(),
            stem,
        })
    }

    pub(super) fn documents_with(&self, field: Field, text: &str) -> Result<u64, Error> {
        Ok(self.searcher.doc_freq(&Term::from_field_text(field, text))?)
    }

    /// Whether a word in this many documents is too common to look for in prose.
    pub(super) fn common(&self, documents: u64) -> bool {
        self.documents >= LARGE && documents * COMMON_SHARE > self.documents
    }

    /// Inverse document frequency, as BM25 has it.
    pub(super) fn rarity(&self, documents: u64) -> f32 {
        let all = self.documents.max(documents) as f32;
        let documents = documents as f32;
        (1.0 + (all - documents + 0.5) / (documents + 0.5)).ln()
    }

    /// The factor that gives a term in `documents` the rarity of one in `together`.
    pub(super) fn rarity_factor(&self, together: u64, documents: u64) -> f32 {
        self.rarity(together) / self.rarity(documents)
    }
}
