//! Looks up the terms of a plan and puts what they hit in order.
//!
//! BM25 with the plan's weights picks candidates; those that cover more words of the query then move up. An entry whose
//! name is what was typed comes before all of them. Ties are in the order of names, as long as no more than a thousand
//! entries tie.

use std::cmp::Reverse;

use tantivy::{
    DocAddress, DocSet, Searcher, TantivyDocument, Term,
    collector::TopDocs,
    query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery},
    schema::IndexRecordOption,
};

use super::{
    Error, Hit,
    fields::Fields,
    plan::{Leg, Plan},
};

/// How many candidates are weighed for each wanted hit, and at least.
const CANDIDATES_PER_HIT: usize = 4;
const LEAST_CANDIDATES: usize = 128;
/// When all candidates tie, this many times more are looked at, up to the most: their names decide.
const WIDER: usize = 8;
const MOST_CANDIDATES: usize = 1_024;
/// The share of its score that an entry keeps which covers next to none of the query's words.
const UNCOVERED: f32 = 0.1;
/// Scores are distinguished to this many steps per point: sums of floats in different order differ in the last digits.
const STEPS: f32 = 1_000.0;
/// Names that differ by separators and case alone.
const MOST_NAMESAKES: usize = 16;
/// Nobody reads further, and the room for hits is made beforehand.
const MOST_HITS: usize = 1_000;

#[derive(Clone, Copy)]
struct Candidate {
    address: DocAddress,
    score: f32,
}

/// The best hits of a plan.
pub(super) fn best(
    plan: &Plan,
    searcher: &Searcher,
    fields: &Fields,
    limit: usize,
) -> Result<Vec<Hit>, Error> {
    let limit = limit.min(MOST_HITS);
    if limit == 0 || plan.squashed.is_empty() {
        return Ok(Vec::new());
    }
    let mut candidates = candidates(plan, searcher, limit)?;
    cover(plan, searcher, &mut candidates)?;
    let top = candidates.iter().map(|candidate| candidate.score).fold(0.0, f32::max);
    let namesakes = namesakes(plan, searcher, fields)?;
    candidates.retain(|candidate| !namesakes.contains(&candidate.address));
    // Twice the best score, so that the gap says that this is no guess.
    let named = namesakes.iter().map(|address| Candidate { address: *address, score: 2.0 * top + 1.0 });
    let mut hits = within_limit(named.chain(candidates).collect(), limit)
        .into_iter()
        .map(|candidate| read(candidate, searcher, fields))
        .collect::<Result<Vec<Hit>, Error>>()?;
    hits.sort_by(|a, b| order(a, plan).cmp(&order(b, plan)));
    hits.truncate(limit);
    Ok(hits)
}

fn candidates(plan: &Plan, searcher: &Searcher, limit: usize) -> Result<Vec<Candidate>, Error> {
    let query = union(&plan.legs);
    let mut most =
        limit.saturating_mul(CANDIDATES_PER_HIT).max(LEAST_CANDIDATES).min(limit + MOST_CANDIDATES);
    loop {
        let found = searcher.search(&query, &TopDocs::with_limit(most).order_by_score())?;
        let all_tie = found.len() == most && steps(found[most - 1].0) == steps(found[limit - 1].0);
        if !all_tie || most >= limit + MOST_CANDIDATES {
            return Ok(found.into_iter().map(|(score, address)| Candidate { address, score }).collect());
        }
        most = (most * WIDER).min(limit + MOST_CANDIDATES);
    }
}

/// A flat union of terms, the form for which tantivy can skip documents that cannot be among the best.
fn union(legs: &[Leg]) -> BooleanQuery {
    let clause = |leg: &Leg| {
        let term = TermQuery::new(leg.term.clone(), IndexRecordOption::WithFreqs);
        (Occur::Should, Box::new(BoostQuery::new(Box::new(term), leg.boost)) as Box<dyn Query>)
    };
    BooleanQuery::new(legs.iter().filter(|leg| leg.drives).map(clause).collect())
}

/// Adds what the terms that did not pick the candidates are worth, then lowers scores by the words that are lacking.
fn cover(plan: &Plan, searcher: &Searcher, candidates: &mut [Candidate]) -> Result<(), Error> {
    let all: f32 = plan.words.iter().sum();
    if plan.words.len() < 2 || all <= 0.0 {
        return Ok(());
    }
    candidates.sort_by_key(|candidate| candidate.address);
    for same_segment in candidates.chunk_by_mut(|a, b| a.address.segment_ord == b.address.segment_ord) {
        for (at, mask) in covered(plan, searcher, same_segment)?.into_iter().enumerate() {
            let words = plan.words.iter().enumerate().filter(|(word, _)| mask & (1 << word) != 0);
            let covered: f32 = words.map(|(_, rarity)| rarity).sum();
            // More than the plain share, so that half of the words, even in the name, is less than all in a description.
            let share = (covered / all).powi(2);
            same_segment[at].score *= UNCOVERED + (1.0 - UNCOVERED) * share;
        }
    }
    Ok(())
}

/// For each candidate of one segment, in document order, the bits of the words it has.
fn covered(plan: &Plan, searcher: &Searcher, candidates: &mut [Candidate]) -> Result<Vec<u32>, Error> {
    let mut masks = vec![0; candidates.len()];
    let Some(first) = candidates.first() else {
        return Ok(masks);
    };
    let segment = searcher.segment_reader(first.address.segment_ord);
    for leg in &plan.legs {
        // A name that begins as the whole query does has all its words.
        let bits = leg.word.map_or(u32::MAX, |word| 1 << word);
        let inverted = segment.inverted_index(leg.term.field())?;
        let Some(mut postings) = inverted.read_postings(&leg.term, IndexRecordOption::Basic)? else {
            continue;
        };
        for (candidate, mask) in candidates.iter_mut().zip(&mut masks) {
            let doc = candidate.address.doc_id;
            if postings.doc() < doc {
                postings.seek(doc);
            }
            if postings.doc() == doc {
                *mask |= bits;
                candidate.score += if leg.drives { 0.0 } else { leg.worth };
            }
        }
    }
    Ok(masks)
}

/// The entries whose names are the query, separators and case aside.
fn namesakes(plan: &Plan, searcher: &Searcher, fields: &Fields) -> Result<Vec<DocAddress>, Error> {
    let mut found = Vec::new();
    for term in [fields.identity(&plan.typed), Term::from_field_text(fields.squashed, &plan.squashed)] {
        let query = TermQuery::new(term, IndexRecordOption::Basic);
        for (_, address) in searcher.search(&query, &TopDocs::with_limit(MOST_NAMESAKES).order_by_score())? {
            if !found.contains(&address) {
                found.push(address);
            }
        }
    }
    Ok(found)
}

/// Leaves those that can be among the first `limit`, whatever their names are.
fn within_limit(mut candidates: Vec<Candidate>, limit: usize) -> Vec<Candidate> {
    candidates.sort_by_key(|candidate| Reverse(steps(candidate.score)));
    if let Some(last) = candidates.get(limit - 1).map(|candidate| steps(candidate.score)) {
        candidates.retain(|candidate| steps(candidate.score) >= last);
    }
    candidates
}

fn read(candidate: Candidate, searcher: &Searcher, fields: &Fields) -> Result<Hit, Error> {
    let document: TantivyDocument = searcher.doc(candidate.address)?;
    Ok(fields.read(&document, candidate.score))
}

/// The name exactly as typed, then scores, then names.
fn order<'a>(hit: &'a Hit, plan: &Plan) -> (bool, Reverse<i64>, &'a str) {
    (hit.name != plan.typed, Reverse(steps(hit.score)), &hit.name)
}

fn steps(score: f32) -> i64 {
    (score * STEPS).round() as i64
}
