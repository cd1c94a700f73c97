//! Indexes of scopes: which there are, how many are kept, and that they answer from their documents alone.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use model::access::scope::Scope;
use proptest::prelude::*;
use tempfile::TempDir;

use super::{World, at, document, put};
use crate::search::indexes::MOST_SCOPES;
use crate::search::{Document, Hit, IndexSlot, SearchIndex, SearchIndexes};

fn scope(patterns: &[&str]) -> Scope {
    Scope::Names(patterns.iter().map(ToString::to_string).collect())
}

fn numbered(n: usize) -> Scope {
    scope(&[&format!("f{n}.*")])
}

/// Uses the index of a scope, as a search does.
async fn used(indexes: &SearchIndexes, scope: &Scope) -> Arc<IndexSlot> {
    let slot = indexes.slot(scope).unwrap();
    let mut open = slot.open.lock().await;
    *open = Some(Arc::new(SearchIndex::open(&slot.folder).unwrap()));
    drop(open);
    slot
}

fn on_disk(folder: &TempDir) -> usize {
    std::fs::read_dir(folder.path().join("scopes")).map_or(0, Iterator::count)
}

fn is_there(slot: &Path) -> bool {
    slot.join("index").is_dir()
}

#[test]
fn a_scope_has_one_index_however_its_patterns_are_written() {
    let folder = TempDir::new().unwrap();
    let indexes = SearchIndexes::new(folder.path().to_owned());
    let place = |scope: &Scope| indexes.slot(scope).unwrap().folder.clone();
    assert_eq!(place(&Scope::All), folder.path());
    assert_eq!(place(&scope(&["a", "b", "a"])), place(&scope(&["b", "a"])));
    assert_ne!(place(&scope(&["a", "b"])), place(&scope(&["ab"])));
    assert_ne!(place(&scope(&["a"])), place(&scope(&["A"])));
    assert_eq!(on_disk(&folder), 0, "nothing is made before it is used");
}

#[tokio::test]
async fn those_used_last_are_kept() {
    let folder = TempDir::new().unwrap();
    let indexes = SearchIndexes::new(folder.path().to_owned());
    for n in 0..MOST_SCOPES {
        used(&indexes, &numbered(n)).await;
    }
    let first = used(&indexes, &numbered(0)).await.folder.clone();
    let second = indexes.slot(&numbered(1)).unwrap().folder.clone();
    used(&indexes, &numbered(0)).await;
    for n in 0..MOST_SCOPES - 1 {
        used(&indexes, &numbered(100 + n)).await;
        assert_eq!(on_disk(&folder), MOST_SCOPES);
    }
    assert!(is_there(&first) && !is_there(&second));
    used(&indexes, &numbered(200)).await;
    assert!(!is_there(&first));
}

#[tokio::test]
async fn one_that_is_in_use_stays() {
    let folder = TempDir::new().unwrap();
    let indexes = SearchIndexes::new(folder.path().to_owned());
    let slot = used(&indexes, &numbered(0)).await;
    // A search goes on with the index alone if its caller stopped waiting.
    let searching = used(&indexes, &numbered(1)).await.open.lock().await.clone();
    for n in 2..MOST_SCOPES * 2 {
        used(&indexes, &numbered(n)).await;
    }
    assert!(is_there(&slot.folder) && is_there(&indexes.slot(&numbered(1)).unwrap().folder));
    indexes.remove_scopes().unwrap();
    assert!(is_there(&slot.folder) && slot.is_stale.load(Ordering::Acquire));
    assert_eq!(on_disk(&folder), 2);
    drop((slot, searching));
    indexes.remove_scopes().unwrap();
    assert_eq!(on_disk(&folder), 0);
}

#[tokio::test]
async fn what_an_earlier_process_left_counts() {
    let folder = TempDir::new().unwrap();
    let before = SearchIndexes::new(folder.path().to_owned());
    for n in 0..MOST_SCOPES {
        used(&before, &numbered(n)).await;
    }
    let after = SearchIndexes::new(folder.path().to_owned());
    used(&after, &numbered(MOST_SCOPES)).await;
    assert_eq!(on_disk(&folder), MOST_SCOPES);
    let another = SearchIndexes::new(folder.path().to_owned());
    another.remove_scopes().unwrap();
    assert_eq!(on_disk(&folder), 0);
}

fn any_documents() -> impl Strategy<Value = Vec<Document>> {
    let words = "(get|put|page|mail|send|read|text)( (get|put|page|mail|send|read|text)){0,3}";
    proptest::collection::btree_map("(get|put|page|mail|send|read|text)_[a-e]{1,2}", words, 0..30)
        .prop_map(|documents| documents.iter().map(|(name, words)| document(name, words)).collect())
}

fn answers(index: &SearchIndex) -> Vec<Vec<Hit>> {
    let queries = ["get", "send mail", "mial", "pag", "read a text", "put_a", "text text get page"];
    queries.iter().map(|query| index.search(query, 10).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equal_documents_are_found_with_equal_scores_whatever_was_there_before(
        documents in any_documents(),
        before in any_documents(),
    ) {
        let fresh = World::empty();
        fresh.index.rebuild_exactly(at(1), documents.clone().into_iter()).unwrap();
        let used = World::holding(before);
        used.index.update(Some(at(1)), at(2), [put("get"), put("mail")]).unwrap();
        used.index.update(Some(at(2)), at(3), [put("mail")]).unwrap();
        used.index.rebuild_exactly(at(4), documents.into_iter()).unwrap();
        // A change of what is not in the index moves its position alone.
        used.index.update(Some(at(4)), at(5), []).unwrap();
        prop_assert_eq!(answers(&used.index), answers(&fresh.index));
    }
}
