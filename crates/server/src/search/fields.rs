//! The fields of the index, and how a document fills them.

use model::entry::EntryKind;
use tantivy::{
    Index, TantivyDocument, Term,
    schema::{Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value},
};

use super::{
    Document, Hit,
    words::{self, Cutter, Run},
};

const STEMMED: &str = "stemmed";
const UNSTEMMED: &str = "unstemmed";
const RAW: &str = "raw";

/// Shorter inner pieces of a word would hit nearly everything.
const SHORTEST_TAIL: usize = 3;

/// A name's squashed form is cut here: nobody types more, and terms must be bounded.
const LONGEST_SQUASHED: usize = 200;

#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    /// The name as it is: the identity of a document.
    pub(super) key: Field,
    /// The name without separators and case.
    pub(super) squashed: Field,
    /// The words of the name, stemmed.
    pub(super) name: Field,
    /// The words of the name as written; its dictionary is where unknown words are looked for.
    pub(super) word: Field,
    /// The ends of the name's words: a prefix of one of them is an inner piece of a word.
    pub(super) tail: Field,
    pub(super) description: Field,
    /// Docstring, examples, parameters and further text.
    pub(super) body: Field,
    /// Only kept, to be told with a hit.
    pub(super) kind: Field,
}

impl Fields {
    pub(super) fn schema() -> (Schema, Fields) {
        let mut schema = Schema::builder();
        let fields = Fields {
            key: schema.add_text_field("key", unnormed() | STORED),
            squashed: schema.add_text_field("squashed", unnormed()),
            name: schema.add_text_field("name", indexed(STEMMED)),
            word: schema.add_text_field("word", indexed(UNSTEMMED)),
            tail: schema.add_text_field("tail", unnormed()),
            description: schema.add_text_field("description", indexed(STEMMED) | STORED),
            body: schema.add_text_field("body", indexed(STEMMED)),
            kind: schema.add_text_field("kind", STORED),
        };
        (schema.build(), fields)
    }

    pub(super) fn register_analyzers(index: &Index) {
        index.tokenizers().register(STEMMED, words::stemmed());
        index.tokenizers().register(UNSTEMMED, words::unstemmed());
    }

    /// The term that stands for the document with this name.
    pub(super) fn identity(&self, name: &str) -> Term {
        Term::from_field_text(self.key, name)
    }

    pub(super) fn fill(&self, document: &Document, cutter: &mut Cutter) -> TantivyDocument {
        let mut filled = TantivyDocument::new();
        filled.add_text(self.key, &document.name);
        filled.add_text(self.kind, document.kind.as_str());
        filled.add_text(self.name, &document.name);
        filled.add_text(self.word, &document.name);
        filled.add_text(self.description, &document.description);
        filled.add_text(self.body, &document.docstring);
        for text in document.examples.iter().chain(&document.parameters).chain(&document.text) {
            filled.add_text(self.body, text);
        }
        let runs = cutter.runs(&document.name);
        filled.add_text(self.squashed, squashed(&runs));
        for tail in tails(&runs) {
            filled.add_text(self.tail, tail);
        }
        filled
    }

    /// A found document, with its score.
    pub(super) fn read(&self, document: &TantivyDocument, score: f32) -> Hit {
        let text =
            |field| document.get_first(field).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let kind = EntryKind::ALL.into_iter().find(|kind| kind.as_str() == text(self.kind));
        Hit {
            kind: kind.unwrap_or(EntryKind::Function),
            name: text(self.key),
            score,
            description: text(self.description),
        }
    }
}

/// What stands in the field `squashed` for a name, and is looked for in it for a query.
pub(super) fn squashed(runs: &[Run]) -> String {
    words::squash(runs).chars().take(LONGEST_SQUASHED).collect()
}

/// All proper ends of the words of a name, each once. A word with parts gives those of its parts alone: the ends of the
/// whole would repeat them.
fn tails(runs: &[Run]) -> Vec<&str> {
    let mut tails = Vec::new();
    for run in runs {
        let whole = std::slice::from_ref(&run.whole);
        for word in if run.parts.is_empty() { whole } else { &run.parts } {
            if word.len() > words::LONGEST_WORD {
                continue;
            }
            let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
            let last = starts.len().saturating_sub(SHORTEST_TAIL);
            tails.extend(starts.iter().take(last + 1).skip(1).map(|at| &word[*at..]));
        }
    }
    tails.sort_unstable();
    tails.dedup();
    tails
}

fn indexed(tokenizer: &str) -> TextOptions {
    TextOptions::default().set_indexing_options(indexing(tokenizer))
}

/// For fields whose length says nothing about how well a term fits.
fn unnormed() -> TextOptions {
    TextOptions::default().set_indexing_options(indexing(RAW).set_fieldnorms(false))
}

/// Frequencies are kept in every field, because tantivy skips blocks of a union only when all its terms have them.
fn indexing(tokenizer: &str) -> TextFieldIndexing {
    TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(IndexRecordOption::WithFreqs)
}
