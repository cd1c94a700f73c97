//! `runs rerun` and `runs replay`.

use crate::command::{Place, assert_tells};

#[test]
fn the_same_input_runs_once_more_on_the_same_version_or_the_live_one() {
    let place = Place::new();
    place.add("def add(a: int, b: int):\n    return a + b\n");
    let id = place.run_id(&["add", "2", "3"]);
    place.add("def add(a: int, b: int):\n    return a * b\n");
    assert_eq!(place.data(&["runs", "rerun", &id]), "5\n");
    assert_eq!(place.data(&["runs", "rerun", &id, "--live"]), "6\n");
    assert_tells!(place.data(&["runs", "list"]), @"
    ID        FUNCTION  STATE      WHEN                  TOOK    WHO
    [id----]  add@2     succeeded  [time--------------]  [took]  command_line
    [id----]  add@1     succeeded  [time--------------]  [took]  command_line
    [id----]  add@1     succeeded  [time--------------]  [took]  command_line
    ");
}

#[test]
fn a_replay_is_answered_from_the_journal_and_writes_nothing() {
    let place = Place::new();
    place.add("def dice() -> float:\n    from selfmade import now, random\n    print('rolling')\n    return [now(), random()]\n");
    let id = place.run_id(&["dice"]);
    assert_tells!(place.run(&["runs", "replay", &id]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    rolling
    warning: it returned what its annotation `-> float` does not allow: `output` must be a number, not a list of length 2
    run [id----] replayed identically: succeeded
    ");
    assert_eq!(place.json(&["runs", "replay", &id])["same"], true);
    assert_eq!(place.json(&["runs", "list"])["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_replay_that_goes_another_way_shows_both_and_exits_with_1() {
    let place = Place::new();
    place.add("def moody() -> str:\n    import os\n    return os.urandom(4).hex() + 'x'\n");
    let id = place.run_id(&["moody"]);
    let shown = place.run(&["runs", "replay", &id]);
    insta::with_settings!({ filters => vec![(r"[0-9a-f]{8}x", "[chance]"), (r"\b[0-9a-f]{8}\b", "[id----]")] }, {
        insta::assert_snapshot!(shown, @r#"
        exit: 1
        --- stdout
        --- recorded
        +++ replayed
        @@ -1,2 +1,2 @@
         succeeded
        -"[chance]"
        +"[chance]"
        --- stderr
        brain: [folder]/home (given by --home)
        warning: run [id----] did not replay identically
        "#);
    });
}

#[test]
fn a_replay_that_asks_for_something_else_says_where() {
    let place = Place::new();
    place.add(
        "def moody() -> float:\n    import os\n    from selfmade import emit\n    emit('a' + os.urandom(4).hex())\n    return 1\n",
    );
    let id = place.run_id(&["moody"]);
    let shown = place.run(&["runs", "replay", &id]);
    assert!(shown.starts_with("exit: 1"), "{shown}");
    assert!(shown.contains("step 1 of lane `main` was `emit` with"), "{shown}");
}
