//! `fn dependents`: what may break when a function changes.

use crate::command::{Place, assert_shows};

fn chain() -> Place {
    let place = Place::new();
    place.add("def base():\n    return 1\n");
    place.add("def middle():\n    return base()\n");
    place.file(
        "top.py",
        "import selfmade\n\n@selfmade.function(tests=[{'input': {}, 'expect': {'output': 1}}])\ndef top():\n    return middle()\n",
    );
    place.data(&["fn", "add", "top.py"]);
    place
}

#[test]
fn callers_are_followed_and_their_tests_counted() {
    let place = chain();
    assert_shows!(place.run(&["fn", "dependents", "base"]), @"
    exit: 0
    --- stdout
    DEPENDENT  KIND      HOW           TESTS
    middle     function  calls base    none
    top        function  calls middle  1
    --- stderr
    brain: [folder]/home (given by --home)
    2 functions may be affected by a change of `base`; 1 without tests
    hint: `selfmade --home [folder]/home test base --dependents` runs their tests
    ");
    assert_shows!(place.run(&["fn", "dependents", "top"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing depends on `top`
    ");
    assert_shows!(place.run(&["fn", "dependents", "bas"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no function `bas`
    hint: did you mean `base`?
    ");
    assert_shows!(place.run(&["fn", "dependents", "middle", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "function": "middle",
      "tests": 0,
      "dependents": [
        {
          "kind": "function",
          "name": "top",
          "role": "calls",
          "on": {
            "kind": "function",
            "name": "middle"
          },
          "distance": 1,
          "tests": 1
        }
      ]
    }
    --- stderr
    "#);
}

#[test]
fn triggers_and_schedules_of_any_of_them_are_named() {
    let place = chain();
    place.data(&["export", "brain"]);
    place.file(
        "brain/triggers/after_top.json",
        "{\"kind\": \"trigger\", \"on\": \"run.finished\", \"source\": \"top\", \"target\": \"middle\"}",
    );
    place.file(
        "brain/schedules/nightly.json",
        "{\"kind\": \"schedule\", \"times\": {\"cron\": \"0 3 * * *\"}, \"target\": \"top\"}",
    );
    place.data(&["import", "brain"]);
    assert_shows!(place.data(&["fn", "dependents", "base"]), @"
    DEPENDENT  KIND      HOW            TESTS
    middle     function  calls base     none
    after_top  trigger   starts middle
    top        function  calls middle   1
    nightly    schedule  starts top
    ");
}
