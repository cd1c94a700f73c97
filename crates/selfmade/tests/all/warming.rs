//! `selfmade warm`: environments ahead of the first run.

use crate::command::{Place, assert_shows};

#[test]
fn functions_that_need_the_same_are_made_ready_together() {
    let place = Place::new();
    place.add("def one():\n    return 1\n");
    place.add("def two():\n    return one() + 1\n");
    assert_shows!(place.run(&["warm", "one", "two"]), @"
    exit: 0
    --- stdout
    one@1, two@1  no packages
    --- stderr
    brain: [folder]/home (given by --home)
    environments are ready; `serve --warm` also keeps processes warm
    ");
    assert_shows!(place.run(&["warm", "three"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no function `three`
    hint: `selfmade search three` finds names like it
    ");
    assert_shows!(place.run(&["warm", "one", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "environments": [
        {
          "functions": [
            "one@1"
          ],
          "packages": []
        }
      ]
    }
    --- stderr
    "#);
}

#[test]
fn a_server_makes_functions_ready_before_it_serves() {
    let place = Place::new();
    place.add("def one():\n    return 1\n");
    place.start(&["serve", "--warm", "one"]).says("serving");
    let refused = place.run(&["serve", "--warm", "none"]);
    assert!(refused.starts_with("exit: "), "{refused}");
}
