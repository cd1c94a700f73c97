//! `runs tail`.

use crate::command::{Place, assert_tells};

#[test]
fn runs_are_reported_as_they_end() {
    let place = Place::new();
    place.add("def halve(n: int):\n    if n % 2:\n        raise ValueError('odd')\n    return n // 2\n");
    place.run_id(&["halve", "2"]);
    let mut tail = place.start(&["runs", "tail"]);
    tail.says("showing runs as they end");
    place.run_id(&["halve", "4"]);
    assert_tells!(tail.line(), @"[time--------------]  [id----]  succeeded  [took]  halve@1  command_line");
    place.run_id(&["halve", "3"]);
    assert_tells!(tail.line(), @"[time--------------]  [id----]  failed  [took]  halve@1  command_line  ValueError: odd");
    tail.signal("INT");
    assert_eq!(tail.ended().0, Some(130));
}

#[test]
fn with_json_every_line_is_a_document() {
    let place = Place::new();
    place.add("def n():\n    return 1\n");
    let mut tail = place.start(&["runs", "tail", "--json"]);
    let told = std::thread::spawn(move || tail.line());
    // When it begins to look nobody hears.
    let mut ids = Vec::new();
    while !told.is_finished() {
        ids.push(place.run_id(&["n"]));
    }
    let run: serde_json::Value = serde_json::from_str(&told.join().unwrap()).unwrap();
    assert!(ids.iter().any(|id| run["run_id"] == id.as_str()), "{run}");
}

#[test]
fn a_run_that_has_ended_is_reported_at_once() {
    let place = Place::new();
    place.add("def fail():\n    print('trying')\n    raise KeyError('x')\n");
    let id = place.run_id(&["fail"]);
    assert_tells!(place.run(&["runs", "tail", &id]), @r#"
    exit: 7
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    trying
    error: run [id] failed
    Traceback (most recent call last):
      File "fail@1", line 3, in fail
        raise KeyError('x')
    KeyError: 'x'
    "#);
}

#[test]
fn a_run_is_followed_until_it_ends() {
    let place = Place::new();
    place.add("def slow():\n    from selfmade import sleep\n    sleep(0.01)\n    print('slept')\n    return 'done'\n");
    let id = place.data(&["run", "slow", "--queue"]).trim().to_owned();
    let mut tail = place.start(&["runs", "tail", &id]);
    tail.says("the run is queued");
    let mut server = place.start(&["serve"]);
    server.says("serving");
    assert_eq!(tail.line(), "done");
    let (code, said) = tail.ended();
    assert_eq!(code, Some(0));
    assert!(said.contains("sleep(0.01)") && said.contains("slept"), "{said}");
}
