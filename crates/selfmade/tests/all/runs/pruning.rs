//! `runs prune`.

use crate::command::{Place, assert_tells};

fn counted(place: &Place) -> usize {
    place.json(&["runs", "list"])["runs"].as_array().unwrap().len()
}

#[test]
fn old_records_go_and_the_newest_stay() {
    let place = Place::new();
    place.add("def n():\n    return 1\n");
    for _ in 0..3 {
        place.run_id(&["n"]);
    }
    place.data(&["run", "n", "--queue"]);
    assert_tells!(place.run(&["runs", "prune", "--before", "1h"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    removed 0 runs, about 0 bytes; the database file became 0 bytes smaller
    ");
    assert_eq!(counted(&place), 4);
    assert_eq!(place.json(&["runs", "prune", "--keep", "2"])["runs"], 2);
    assert_eq!(counted(&place), 2);
    // What has not ended stays, however little is to be kept.
    assert_eq!(place.json(&["runs", "prune", "--max-size", "0"])["runs"], 1);
    assert_eq!(place.json(&["runs", "list"])["runs"][0]["state"], "queued");
}

#[test]
fn pruning_gives_room_back_to_the_disk_and_says_how_much() {
    let place = Place::new();
    place.add("def large(n: int):\n    return str(n) * 900_000\n");
    for n in 0..6 {
        place.run_id(&["large", &n.to_string()]);
    }
    let file = || std::fs::metadata(place.path("home/brain.db")).unwrap().len();
    let before = file();
    let pruned = place.json(&["runs", "prune", "--keep", "1"]);
    let freed = pruned["freed_bytes"].as_u64().unwrap();
    assert!(freed >= 5 * 900_000, "{pruned}");
    assert_eq!(pruned["free_bytes"], 0, "{pruned}");
    assert!(file() + freed <= before, "the file had {before} bytes and has {}", file());
    let rewritten = place.run(&["runs", "prune", "--keep", "1", "--rewrite"]);
    assert!(rewritten.contains("removed 0 runs") && rewritten.starts_with("exit: 0"), "{rewritten}");
}

#[test]
fn the_files_of_a_run_go_with_it() {
    let place = Place::new();
    place.file(
        "write.py",
        "import selfmade\n\n@selfmade.function(files=True)\ndef write():\n    from selfmade import files\n    files.write('a.txt', 'text')\n",
    );
    place.data(&["fn", "add", "write.py"]);
    let (first, second) = (place.run_id(&["write"]), place.run_id(&["write"]));
    assert!(place.path(&format!("home/files/{first}/a.txt")).is_file());
    place.data(&["runs", "prune", "--keep", "1"]);
    assert!(!place.path(&format!("home/files/{first}")).exists());
    assert!(place.path(&format!("home/files/{second}/a.txt")).is_file());
}

#[test]
fn what_shall_go_must_be_said() {
    assert_tells!(Place::new().run(&["runs", "prune"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: the following required arguments were not provided:
      <--before <WHEN>|--keep <N>|--max-size <BYTES>>

    Usage: selfmade runs prune --home <DIR> <--before <WHEN>|--keep <N>|--max-size <BYTES>>

    For more information, try '--help'.
    ");
}
