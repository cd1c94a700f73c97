use super::{Change, World, at, document, names, put};
use crate::search::{Error, Position, SearchIndex};
use std::os::unix::fs::PermissionsExt;
use uuid::Uuid;

#[test]
fn a_new_index_is_empty_and_nowhere() {
    let world = World::empty();
    assert_eq!(world.index.position(), None);
    assert!(world.names("anything").is_empty());
}

#[test]
fn the_folder_is_for_its_owner_only() {
    let parent = tempfile::TempDir::new().unwrap();
    let folder = parent.path().join("search");
    SearchIndex::open(&folder).unwrap();
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn an_update_adds_replaces_and_removes() {
    let world = World::with(&[("old", "first words"), ("gone", "")]);
    let changes =
        [Change::Put(document("old", "second thoughts")), Change::Remove("gone".to_owned()), put("new")];
    world.index.update(Some(at(1)), at(2), changes).unwrap();
    assert_eq!(world.index.position(), Some(at(2)));
    assert!(world.names("words").is_empty());
    assert!(world.names("gone").is_empty());
    assert_eq!(world.names("thoughts"), ["old"]);
    assert_eq!(world.names("new"), ["new"]);
}

#[test]
fn the_last_change_of_a_name_holds() {
    let world = World::empty();
    let changes = [
        Change::Put(document("f", "first")),
        Change::Put(document("f", "second")),
        put("g"),
        Change::Remove("g".to_owned()),
        Change::Remove("h".to_owned()),
        put("h"),
    ];
    world.index.update(None, at(1), changes).unwrap();
    assert_eq!(world.names("first second"), ["f"]);
    assert!(world.names("g").is_empty());
    assert_eq!(world.names("h"), ["h"]);
}

#[test]
fn an_update_without_changes_moves_the_position() {
    let world = World::with(&[("kept", "")]);
    world.index.update(Some(at(1)), at(2), []).unwrap();
    assert_eq!(world.reopened().position(), Some(at(2)));
    assert_eq!(world.names("kept"), ["kept"]);
}

#[test]
fn names_are_told_apart_by_case() {
    let world = World::with(&[("Load", ""), ("load", "")]);
    world.index.update(Some(at(1)), at(2), [Change::Remove("Load".to_owned())]).unwrap();
    assert_eq!(world.names("load"), ["load"]);
}

#[test]
fn a_rebuild_replaces_everything() {
    let world = World::with(&[("old", "")]);
    let other = Position { brain: Uuid::from_u128(8), revision: 3 };
    world.index.rebuild(other, [document("new", "")].into_iter()).unwrap();
    assert_eq!(world.index.position(), Some(other));
    assert!(world.names("old").is_empty());
    assert_eq!(world.names("new"), ["new"]);
}

#[test]
fn position_and_content_survive_reopening() {
    let world = World::with(&[("kept", "")]);
    world.index.update(Some(at(1)), at(2), [put("added")]).unwrap();
    let again = world.reopened();
    assert_eq!(again.position(), Some(at(2)));
    assert_eq!(names(&again, "kept"), ["kept"]);
    assert_eq!(names(&again, "added"), ["added"]);
}

#[test]
fn two_handles_on_one_folder_see_each_others_commits() {
    let world = World::empty();
    let other = world.reopened();
    world.index.update(None, at(1), [put("from_here")]).unwrap();
    assert_eq!(other.position(), Some(at(1)));
    assert_eq!(names(&other, "from_here"), ["from_here"]);
    other.update(Some(at(1)), at(2), [put("from_there")]).unwrap();
    assert_eq!(world.names("from_there")[0], "from_there");
    world.index.rebuild(at(3), [document("anew", "")].into_iter()).unwrap();
    assert!(names(&other, "from_here").is_empty());
}

#[test]
fn an_update_from_elsewhere_is_refused_and_changes_nothing() {
    let world = World::with(&[("kept", "")]);
    for wrong in [None, Some(at(0)), Some(at(2)), Some(Position { brain: Uuid::from_u128(8), revision: 1 })] {
        let refused = world.index.update(wrong, at(9), [Change::Remove("kept".to_owned())]);
        assert!(
            matches!(refused, Err(Error::Moved { expected, found }) if expected == wrong && found == Some(at(1)))
        );
    }
    assert_eq!(world.index.position(), Some(at(1)));
    assert_eq!(world.names("kept"), ["kept"]);
}

#[test]
fn a_refusal_says_where_the_index_is() {
    let world = World::empty();
    let refused = world.index.update(Some(at(4)), at(5), []).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the search index is at the empty start, not at revision 4 of brain 00000000-0000-0000-0000-000000000007; \
         read its position again and apply the changes since then"
    );
}

#[test]
fn while_one_writes_others_are_told_so_and_search_what_is_there() {
    let world = World::with(&[("kept", "")]);
    let other = world.reopened();
    let mut asked = false;
    let documents = [document("coming", "")].into_iter().inspect(|_| {
        asked = true;
        assert!(matches!(other.update(Some(at(1)), at(2), [put("late")]), Err(Error::Busy)));
        assert!(matches!(other.rebuild(at(2), std::iter::empty()), Err(Error::Busy)));
        assert_eq!(names(&other, "kept"), ["kept"]);
        assert_eq!(names(&world.reopened(), "kept"), ["kept"]);
    });
    world.index.rebuild(at(3), documents).unwrap();
    assert!(asked);
    assert_eq!(names(&other, "coming"), ["coming"]);
}

#[test]
fn many_small_updates_leave_few_files() {
    let world = World::empty();
    let mut from = None;
    for revision in 1..=40 {
        // Alternating handles, as when the command line is used beside a server.
        let handle = if revision % 2 == 0 { &world.index } else { &world.reopened() };
        handle.update(from, at(revision), [put(&format!("step_{revision}")), put("same")]).unwrap();
        from = Some(at(revision));
    }
    let files = std::fs::read_dir(world.folder.path().join("index")).unwrap().count();
    assert!(files < 120, "{files} files");
    assert_eq!(world.names("same"), ["same"]);
    assert_eq!(world.names("step").len(), 10);
}
