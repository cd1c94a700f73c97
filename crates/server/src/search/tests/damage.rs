use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{World, at, document, names, put};
use crate::search::{Change, SearchIndex};

/// Two commits, of which the first's segment is still in use.
fn two_commits() -> World {
    let world = World::with(&[("first", "one"), ("second", "two")]);
    world.index.update(Some(at(1)), at(2), [put("third"), Change::Remove("second".to_owned())]).unwrap();
    world
}

/// Copying is far quicker than committing again, and there are many files to damage.
fn copy_of(world: &World) -> World {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("index")).unwrap();
    for file in files(world) {
        fs::copy(&file, folder.path().join("index").join(file.file_name().unwrap())).unwrap();
    }
    let index = SearchIndex::open(folder.path()).unwrap();
    assert_eq!(index.position(), Some(at(2)));
    World { folder, index }
}

fn files(world: &World) -> Vec<PathBuf> {
    let entries = fs::read_dir(world.folder.path().join("index")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn meta(world: &World) -> PathBuf {
    world.folder.path().join("index/meta.json")
}

fn is_lock(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "lock")
}

/// After any damage the index opens, shows all of a commit or nothing, and can be brought forward again.
fn check_recovers(world: &World) {
    let _ = world.index.search("first", 10);
    let again = world.reopened();
    let position = again.position();
    match position {
        None => assert!(names(&again, "first").is_empty()),
        Some(position) => {
            assert_eq!(position, at(2));
            assert_eq!(names(&again, "first third"), ["first", "third"]);
        }
    }
    again.update(position, at(5), [put("anew")]).unwrap();
    for index in [&again, &world.index] {
        assert_eq!(index.position(), Some(at(5)));
        assert_eq!(names(index, "anew"), ["anew"]);
    }
}

/// In a new file, as a crash would leave it: handles that have the old one mapped keep it.
fn replace(file: &Path, bytes: &[u8]) {
    fs::remove_file(file).unwrap();
    fs::write(file, bytes).unwrap();
}

fn check_rebuilds(index: &SearchIndex) {
    index.rebuild(at(5), [document("anew", "")].into_iter()).unwrap();
    assert_eq!(index.position(), Some(at(5)));
    assert_eq!(names(index, "anew"), ["anew"]);
}

fn for_each_file(damage: impl Fn(&Path)) {
    let whole = two_commits();
    // Lock files are empty by design.
    let kept = files(&whole).into_iter().filter(|file| !is_lock(file));
    let damaged = kept.map(|file| {
        let world = copy_of(&whole);
        damage(&world.folder.path().join("index").join(file.file_name().unwrap()));
        check_recovers(&world);
    });
    assert!(damaged.count() > 10);
}

#[test]
fn a_lost_file_means_a_fresh_start() {
    for_each_file(|file| fs::remove_file(file).unwrap());
}

#[test]
fn a_file_cut_in_half_means_a_fresh_start() {
    for_each_file(|file| {
        let bytes = fs::read(file).unwrap();
        replace(file, &bytes[..bytes.len() / 2]);
    });
}

#[test]
fn an_empty_file_means_a_fresh_start() {
    for_each_file(|file| replace(file, b""));
}

#[test]
fn a_file_of_garbage_means_a_fresh_start() {
    for_each_file(|file| replace(file, "garbage \u{0}\u{1}".repeat(99).as_bytes()));
}

#[test]
fn a_damaged_segment_is_noticed_when_opening() {
    let world = two_commits();
    let segment =
        files(&world).into_iter().find(|file| file.extension().is_some_and(|kind| kind == "term")).unwrap();
    fs::remove_file(segment).unwrap();
    let again = world.reopened();
    assert_eq!(again.position(), None);
    again.update(None, at(1), [put("anew")]).unwrap();
    assert_eq!(names(&again, "anew"), ["anew"]);
}

#[test]
fn an_index_of_another_format_means_a_fresh_start() {
    let world = two_commits();
    let text = fs::read_to_string(meta(&world)).unwrap();
    assert!(text.contains("\\\"format\\\":2"));
    fs::write(meta(&world), text.replace("\\\"format\\\":2", "\\\"format\\\":1")).unwrap();
    assert_eq!(world.reopened().position(), None);
    assert!(names(&world.reopened(), "first").is_empty());
}

#[test]
fn an_index_with_other_fields_means_a_fresh_start() {
    let world = World::empty();
    let mut schema = tantivy::schema::Schema::builder();
    schema.add_text_field("title", tantivy::schema::TEXT);
    let path = world.folder.path().join("index");
    fs::remove_dir_all(&path).unwrap();
    fs::create_dir(&path).unwrap();
    tantivy::Index::create_in_dir(&path, schema.build()).unwrap();
    let again = world.reopened();
    assert_eq!(again.position(), None);
    again.update(None, at(1), [put("anew")]).unwrap();
    assert_eq!(names(&again, "anew"), ["anew"]);
}

#[test]
fn a_writer_that_dies_before_its_commit_leaves_the_last_commit() {
    let world = two_commits();
    for rebuild in [false, true] {
        let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let dying =
                (0..3).map(|n| if n < 2 { document(&format!("late_{n}"), "") } else { panic!("dies here") });
            match rebuild {
                true => world.index.rebuild(at(3), dying),
                false => world.index.update(Some(at(2)), at(3), dying.map(Change::Put)),
            }
        }));
        assert!(died.is_err());
        for index in [&world.index, &world.reopened()] {
            assert_eq!(index.position(), Some(at(2)));
            assert_eq!(names(index, "first third"), ["first", "third"]);
            assert!(names(index, "late").is_empty());
        }
    }
    world.index.update(Some(at(2)), at(3), [put("later")]).unwrap();
    assert_eq!(world.names("later"), ["later"]);
}

#[test]
fn files_of_a_write_that_was_cut_off_are_cleaned_up_or_harmless() {
    let world = two_commits();
    fs::write(world.folder.path().join("index/0123456789abcdef0123456789abcdef.term"), "half").unwrap();
    fs::write(world.folder.path().join("index/.tmpAbCdEf"), "{\"half").unwrap();
    assert_eq!(world.reopened().position(), Some(at(2)));
    check_recovers(&world);
}

#[test]
fn a_folder_that_vanishes_is_made_again() {
    let world = two_commits();
    fs::remove_dir_all(world.folder.path().join("index")).unwrap();
    assert_eq!(world.index.position(), None);
    assert!(world.names("first").is_empty());
    check_rebuilds(&world.index);
}

#[test]
fn a_path_that_is_no_folder_is_refused() {
    let world = World::empty();
    let file = world.folder.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = SearchIndex::open(&file).err().unwrap().to_string();
    assert!(refused.starts_with("cannot use the search folder `"), "{refused}");
}
