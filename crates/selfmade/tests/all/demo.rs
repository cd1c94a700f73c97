//! `selfmade serve --demo`.

use crate::command::Place;

#[test]
fn a_demo_has_something_of_everything_and_is_gone_afterwards() {
    let place = Place::without_home();
    let mut server = place.start(&["serve", "--demo"]);
    let brain = server.says("temporary, for the demo");
    let home = brain.strip_prefix("brain: ").unwrap().split(" (").next().unwrap().to_owned();
    let suggested = server.says("run receipt");
    assert!(suggested.contains(&format!("--home {home} run receipt")), "{suggested}");
    let demo = place.option("--home", &home);
    assert_eq!(demo.json(&["fn", "list"])["functions"].as_array().unwrap().len(), 8);
    let bill = demo.data(&["run", "receipt", r#"{"coffee": 2, "cake": 4}"#]);
    assert_eq!(bill.lines().last().unwrap(), "to pay             21.96");
    let failed = &demo.json(&["runs", "list", "--state", "failed"])["runs"][0];
    assert_eq!(failed["error"]["message"], "coffe is not on the menu; did you mean coffee?");
    let schedules = demo.json(&["schedule", "list"]);
    assert_eq!(schedules["schedules"][0]["name"], "morning_board");
    // The trigger is served in the background.
    while demo.json(&["runs", "list", "thank", "--state", "succeeded"])["runs"].as_array().unwrap().len() < 3
    {
    }
    assert!(demo.run(&["test"]).starts_with("exit: 0"));
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    assert!(!std::path::Path::new(&home).exists());
}

#[test]
fn a_demo_is_put_into_a_new_brain_alone_and_found_again() {
    let place = Place::new();
    let mut server = place.start(&["serve", "--demo"]);
    server.says("this is a demo");
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    let runs = place.json(&["runs", "list", "--limit", "100"])["runs"].as_array().unwrap().len();
    let mut again = place.start(&["serve", "--demo"]);
    again.says("this is a demo");
    assert_eq!(place.json(&["runs", "list", "receipt"])["runs"].as_array().unwrap().len(), 2, "of {runs}");
    let other = Place::new();
    other.add("def mine():\n    return 1\n");
    let refused = other.run(&["serve", "--demo"]);
    assert!(refused.starts_with("exit: 3") && refused.contains("it contains 1 function"), "{refused}");
}
