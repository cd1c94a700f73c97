//! Cuts names and prose into words, the same way for documents and for queries.
//!
//! A *run* is a stretch of letters and digits; a run with inner case or digit boundaries also gives its parts, so that
//! both `GitHub` and `getHTTPResponse` are found by the whole and by the pieces.

use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RawTokenizer, RemoveLongFilter, Stemmer, TextAnalyzer, Token,
    TokenStream, Tokenizer,
};

/// Longer words are blobs, not words. In bytes, as tantivy counts.
pub(super) const LONGEST_WORD: usize = 64;

/// One run of a text, lower-case and folded to ASCII where that is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) whole: String,
    /// Empty when the run has no inner boundaries.
    pub(super) parts: Vec<String>,
}

/// Cuts queries and names, and folds and stems single words.
pub(super) struct Cutter {
    fold: TextAnalyzer,
    stem: TextAnalyzer,
}

impl Cutter {
    pub(super) fn new() -> Cutter {
        let raw = || TextAnalyzer::builder(RawTokenizer::default());
        Cutter {
            fold: raw().filter(LowerCaser).filter(AsciiFoldingFilter).build(),
            stem: raw().filter(Stemmer::new(Language::English)).build(),
        }
    }

    /// The runs of a text, in order.
    pub(super) fn runs(&mut self, text: &str) -> Vec<Run> {
        let mut found = Vec::new();
        each_run(text, |run| {
            let whole = self.fold(run);
            let parts: Vec<String> = parts(run).into_iter().map(|part| self.fold(part)).collect();
            let parts = if parts.len() > 1 { parts } else { Vec::new() };
            found.push(Run { whole, parts });
        });
        found
    }

    pub(super) fn stem(&mut self, word: &str) -> String {
        only_token(&mut self.stem, word)
    }

    fn fold(&mut self, word: &str) -> String {
        let mut plain = String::new();
        push_without_accents(word, &mut plain);
        only_token(&mut self.fold, &plain)
    }
}

/// The analyzer of prose and names in which inflections are one word.
pub(super) fn stemmed() -> TextAnalyzer {
    TextAnalyzer::builder(Splitter::default())
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .filter(RemoveLongFilter::limit(LONGEST_WORD))
        .filter(Stemmer::new(Language::English))
        .build()
}

/// The analyzer of names that keeps words as they are written.
pub(super) fn unstemmed() -> TextAnalyzer {
    TextAnalyzer::builder(Splitter::default())
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .filter(RemoveLongFilter::limit(LONGEST_WORD))
        .build()
}

/// A name without its separators, so that `fetch_page`, `fetchPage` and `fetch page` are the same.
pub(super) fn squash(runs: &[Run]) -> String {
    runs.iter().map(|run| run.whole.as_str()).collect()
}

fn only_token(analyzer: &mut TextAnalyzer, word: &str) -> String {
    let mut stream = analyzer.token_stream(word);
    let mut text = String::new();
    while stream.advance() {
        text.push_str(&stream.token().text);
    }
    text
}

/// The tokenizer behind both analyzers: every run, followed by its parts.
#[derive(Clone, Default)]
struct Splitter {
    token: Token,
}

struct SplitStream<'a> {
    words: std::vec::IntoIter<&'a str>,
    token: &'a mut Token,
}

impl Tokenizer for Splitter {
    type TokenStream<'a> = SplitStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> SplitStream<'a> {
        self.token.reset();
        let mut words = Vec::new();
        each_run(text, |run| {
            words.push(run);
            let parts = parts(run);
            if parts.len() > 1 {
                words.extend(parts);
            }
        });
        SplitStream { words: words.into_iter(), token: &mut self.token }
    }
}

impl TokenStream for SplitStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(word) = self.words.next() else {
            return false;
        };
        self.token.text.clear();
        push_without_accents(word, &mut self.token.text);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// Calls back with every stretch of letters, digits and their accents. Scripts written without spaces give one
/// character at a time, as their words cannot be told apart without a dictionary.
fn each_run<'a>(text: &'a str, mut found: impl FnMut(&'a str)) {
    let mut start = None;
    for (at, c) in text.char_indices() {
        let inside = !is_ideograph(c) && (c.is_alphanumeric() || (start.is_some() && is_accent(c)));
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found(&text[from..at]);
                start = None;
            }
            _ => {}
        }
        if is_ideograph(c) {
            found(&text[at..at + c.len_utf8()]);
        }
    }
    if let Some(from) = start {
        found(&text[from..]);
    }
}

/// Cuts a run where its case rises (`getPage`), before the last capital of an acronym (`HTTPResponse`), and between
/// letters and digits (`v2`).
fn parts(run: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = run.char_indices().collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for i in 1..chars.len() {
        let (at, here) = chars[i];
        let before = chars[i - 1].1;
        let after = chars.get(i + 1).map(|(_, c)| *c);
        if is_boundary(before, here, after) {
            parts.push(&run[start..at]);
            start = at;
        }
    }
    parts.push(&run[start..]);
    parts
}

fn is_boundary(before: char, here: char, after: Option<char>) -> bool {
    let rises = before.is_lowercase() && here.is_uppercase();
    let ends_acronym = before.is_uppercase() && here.is_uppercase() && after.is_some_and(char::is_lowercase);
    let digit_edge = before.is_numeric() != here.is_numeric() && !is_accent(here);
    rises || ends_acronym || digit_edge
}

fn push_without_accents(word: &str, text: &mut String) {
    text.extend(word.chars().filter(|c| !is_accent(*c)));
}

/// A combining mark, as in the decomposed form of `é`, which ASCII folding alone would leave in place.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Han, Hiragana and Katakana.
fn is_ideograph(c: char) -> bool {
    let kana = matches!(c, '\u{3040}'..='\u{30ff}');
    let han = matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}');
    (kana || han) && c.is_alphanumeric()
}
