//! `selfmade serve --demo` and `selfmade demo …`.

use serde_json::json;

use crate::command::Place;
use crate::remote::Served;

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

#[test]
fn a_brain_is_populated_with_a_graph_a_run_and_a_schedule() {
    let place = Place::new();
    let shown = place.run(&["demo", "populate"]);
    assert!(shown.starts_with("exit: 0\n"), "{shown}");
    assert!(shown.contains(r#"`demo_greeting` returned {"text":"Hello, World!!!"}"#), "{shown}");
    assert!(
        shown.contains("schedule show demo_every_five_minutes") && shown.contains("serve` runs"),
        "{shown}"
    );
    let schedule = place.json(&["schedule", "show", "demo_every_five_minutes"]);
    assert_eq!(schedule["content"]["target"], "demo_greeting");
    assert_eq!(schedule["content"]["times"]["cron"], "*/5 * * * *", "{schedule}");
    let again = place.json(&["demo", "populate"]);
    let nodes = place.json(&["runs", "nodes", again["run_id"].as_str().unwrap()]);
    assert_eq!(nodes["nodes"].as_array().unwrap().len(), 4, "{nodes}");
    let versions = place.json(&["graph", "versions", "demo_greeting"]);
    assert_eq!(versions["versions"].as_array().unwrap().len(), 1, "{versions}");
}

#[test]
fn a_remote_server_is_populated_by_its_url() {
    let served = Served::with_role("admin");
    let token = served.at_home.data(&["token", "add", "demo", "--role", "admin"]).trim().to_owned();
    let mut away = Place::without_home();
    away.set("SELFMADE_TOKEN", &token);
    let shown = away.run(&["demo", "populate", &served.url]);
    assert!(shown.starts_with("exit: 0\n") && shown.contains(&format!("--server {}", served.url)), "{shown}");
    assert!(!shown.contains("serve` runs"), "a server runs: {shown}");
    let graphs = served.at_home.json(&["graph", "list"]);
    assert_eq!(graphs["graphs"][0]["name"], "demo_greeting", "{graphs}");
    served.server.signal("TERM");
}

#[test]
fn the_reddit_graph_runs_offline_and_says_that_it_is() {
    let place = Place::new();
    let shown = place.run(&["demo", "reddit", "--offline"]);
    assert!(shown.starts_with("exit: 0\n") && shown.contains("It is offline"), "{shown}");
    let run = place.json(&["demo", "reddit", "--offline"]);
    let expected = json!({ "comments": ["comment-on-a1", "comment-on-a3"], "not_relevant": ["a2"] });
    assert_eq!((&run["output"], &run["offline"]), (&expected, &json!(true)));
    let nodes = place.json(&["runs", "nodes", run["run_id"].as_str().unwrap(), "--node", "comment"]);
    assert_eq!(nodes["nodes"].as_array().unwrap().len(), 2);
    assert!(place.run(&["test", "demo_reddit_judge", "demo_reddit_posts"]).starts_with("exit: 0"));
}

#[test]
fn the_reddit_graph_names_the_secrets_it_needs_and_posts_nothing_unasked() {
    let place = Place::new();
    place.run_with(&["secret", "set", "reddit_username"], b"ada.lovelace");
    let shown = place.run(&["demo", "reddit"]);
    assert!(shown.starts_with("exit: 0\n") && shown.contains("secret set reddit_client_secret"), "{shown}");
    assert!(!shown.contains("secret set reddit_username"), "{shown}");
    assert_eq!(place.json(&["runs", "list"])["runs"], json!([]));
    assert_eq!(place.json(&["graph", "list"])["graphs"][0]["name"], "reddit_marketing");
}

#[test]
fn a_build_is_shown_from_a_recording_with_real_tests_and_checks() {
    let place = Place::new();
    let shown = place.run(&["demo", "build"]);
    assert!(shown.starts_with("exit: 0\n--- stdout\ncount_vowels\n"), "{shown}");
    for part in [
        "This is a recording",
        "passed count_vowels (2 exact tests, and 5 of 6 generated ones)",
        "passed count_vowels (2 exact and 6 generated tests)",
        "changeset 2 waits for a decision",
        "changeset 2 applied",
        "agent show last:build",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(place.data(&["run", "count_vowels", "AEIOU and sometimes y"]), "10\n");
    let again = place.data(&["agent", "show", "last:build"]);
    assert!(again.contains("reviewed count_vowels: accept") && again.contains("5 model calls"), "{again}");
}
