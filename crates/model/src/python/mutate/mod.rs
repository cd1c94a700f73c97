//! Mutants: copies of a function's source with one small mistake each. Tests that a mutant passes would pass for wrong
//! code too. The same source always gives the same mutants.

mod edits;

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::error::SourceError;
use super::parse;
use super::text::Text;

/// The mistake that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mutation {
    /// The function, or one of its `return`s, answers `None`.
    ReturnsNone,
    /// A comparison is turned around: `==` is `!=`.
    Comparison,
    /// A limit is off by one: `<` is `<=`.
    Boundary,
    /// `+` is `-`.
    Arithmetic,
    /// `and` is `or`, `True` is `False`, a `not` is missing.
    Boolean,
    /// A number is one more, a text is empty.
    Constant,
    /// A statement is missing.
    Dropped,
}

/// A source that differs from another in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub mutation: Mutation,
    pub source: String,
    /// Where it differs, in the source as it was given.
    pub line: u32,
    /// The line as it was, and as it is in the mutant.
    pub before: String,
    pub after: String,
}

/// One replacement in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    mutation: Mutation,
    range: Range<usize>,
    with: String,
}

/// At most so many mutants of the function of a source and of the functions that stand above it. The first, where it differs from
/// the function, answers `None` whatever it is given; the others are of all kinds, from all over the source.
pub fn mutants(source: &str, most: usize) -> Result<Vec<Mutant>, SourceError> {
    let text = Text::new(source)?;
    let module = parse::module(&text)?;
    let edits = edits::of(&text, &module);
    let mutant = |edit: Edit| mutant(&text, &edit);
    let stub = edits.stub.and_then(mutant);
    let rest = in_turn(edits.others).into_iter().filter_map(mutant);
    Ok(stub.into_iter().chain(rest).take(most).collect())
}

/// The source with the edit, if Python can still read it and it says something else.
fn mutant(text: &Text, edit: &Edit) -> Option<Mutant> {
    let source = text.as_str();
    let mutated = [&source[..edit.range.start], edit.with.as_str(), &source[edit.range.end..]].concat();
    if mutated == source || parse::module(&Text::new(&mutated).ok()?).is_err() {
        return None;
    }
    let index = text.line_index(edit.range.start);
    let after = mutated[text.line_start(index)..].lines().next().unwrap_or_default().trim().to_owned();
    Some(Mutant {
        mutation: edit.mutation,
        line: text.position(edit.range.start).0,
        before: text.line(index).trim().to_owned(),
        after,
        source: mutated,
    })
}

/// One of each kind, then a second of each, and so on; those of a kind from all over the source.
fn in_turn(edits: Vec<Edit>) -> Vec<Edit> {
    let mut kinds: BTreeMap<Mutation, Vec<Edit>> = BTreeMap::new();
    for edit in edits {
        kinds.entry(edit.mutation).or_default().push(edit);
    }
    let mut queues: Vec<_> = kinds.into_values().map(|edits| spread(edits).into_iter()).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(queues.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

/// The first, the last, the middle, the middles of the halves, and so on: any beginning of it is from everywhere.
fn spread(edits: Vec<Edit>) -> Vec<Edit> {
    let mut order = Vec::with_capacity(edits.len());
    let mut spans = std::collections::VecDeque::from([(0, edits.len())]);
    if edits.len() > 1 {
        order.extend([0, edits.len() - 1]);
        spans = [(1, edits.len() - 1)].into();
    }
    while let Some((start, end)) = spans.pop_front() {
        if start < end {
            let middle = start + (end - start) / 2;
            order.push(middle);
            spans.extend([(start, middle), (middle + 1, end)]);
        }
    }
    let mut edits: Vec<Option<Edit>> = edits.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| edits[at].take()).collect()
}
