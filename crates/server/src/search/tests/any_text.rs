//! Any text may be searched for and indexed.

use proptest::{
    prelude::{Strategy, any, prop},
    test_runner::{Config, TestRunner},
};

use super::{Change, Document, World, at, document};

fn brain() -> World {
    World::with(&[
        ("fetch_page", "Download a web page"),
        ("getHTTPResponse_v2", "Send a request"),
        ("погода", "天气 größe 날씨"),
    ])
}

/// Runs the check on many values. Unlike the macro, it lets all of them share what was made once.
fn for_any<S: Strategy>(cases: u32, strategy: &S, check: impl Fn(S::Value)) {
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(cases) });
    let checked = runner.run(strategy, |value| {
        check(value);
        Ok(())
    });
    checked.unwrap();
}

#[test]
fn any_query_is_answered() {
    let world = brain();
    for_any(2_000, &(any::<String>(), 0..20usize), |(query, limit)| {
        assert!(world.index.search(&query, limit).unwrap().len() <= limit);
    });
}

#[test]
fn any_mix_of_known_pieces_and_signs_is_answered() {
    let world = brain();
    let pieces = "(fetch|_page|HTTP|resp|\\.|v2|ö|天| |\\(|\"|AND|:|\\^|~|\\*|[a-zA-Z0-9]{1,12}){0,40}";
    for_any(500, &pieces, |query| {
        world.index.search(&query, 10).unwrap();
    });
}

#[test]
fn any_document_is_found_by_its_name_and_can_be_removed() {
    let documents = prop::collection::btree_map("[\\p{L}_][\\p{L}\\p{N}_.]{0,80}", any::<String>(), 1..20);
    for_any(8, &documents, |documents| {
        let world = brain();
        let filled =
            |(name, text): (&String, &String)| Document { docstring: text.clone(), ..document(name, text) };
        world.index.update(Some(at(1)), at(2), documents.iter().map(filled).map(Change::Put)).unwrap();
        for (name, text) in &documents {
            let hits = world.index.search(name, 10).unwrap();
            if name.chars().any(char::is_alphanumeric) {
                assert_eq!((&hits[0].name, &hits[0].description), (name, text));
            }
        }
        world.index.update(Some(at(2)), at(3), documents.keys().cloned().map(Change::Remove)).unwrap();
        for name in documents.keys() {
            assert!(world.index.search(name, 10).unwrap().iter().all(|hit| hit.name != *name));
        }
    });
}
