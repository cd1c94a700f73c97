//! `selfmade insights`: how functions do.

use crate::command::{Place, assert_shows};

/// Shares of time and times themselves differ from run to run.
fn steady(text: &str) -> String {
    let words = text.lines().map(|line| {
        let line = line.split("  ").map(str::trim).filter(|part| !part.is_empty());
        let is_time = |part: &str| ["µs", "ms", "s"].iter().any(|unit| part.ends_with(&format!(" {unit}")));
        line.map(|part| if is_time(part) { "[time]" } else { part }).collect::<Vec<_>>().join("  ") + "\n"
    });
    words.collect()
}

#[test]
fn failures_and_repeated_calls_are_reported_in_words() {
    let place = Place::new();
    place.add("def load(n: int):\n    return sum(range(n))\n");
    place.add(
        "def report(n: int):\n    total = sum(load(20000) for _ in range(30))\n    \
         if not n:\n        raise ValueError('nothing to report')\n    return total\n",
    );
    for n in ["1", "2", "0", "3", "0"] {
        place.run_id(&["report", n]);
    }
    let insight = &place.json(&["insights", "report"])["insights"][0];
    assert_eq!((&insight["runs"], &insight["failed"]), (&5.into(), &2.into()));
    assert_eq!(insight["errors"][0]["error"], "ValueError: nothing to report");
    assert_eq!(insight["dependencies"][0]["calls"], 150);
    assert_eq!(insight["dependencies"][0]["repeated"], 145);
    let shown = place.data(&["insights", "report"]);
    assert!(shown.contains("fail with `ValueError: nothing to report`"), "{shown}");
    assert!(shown.contains("`load` is called 30 times per run with the same input: cache it"), "{shown}");
    let first = steady(&place.data(&["insights"]));
    assert!(first.contains("report  5  40 %  [time]  [time]  [time]  [time]  100 %"), "{first}");
    assert!(!first.contains("\nload"), "what is only called has no runs: {first}");
}

#[test]
fn where_nothing_ran_nothing_is_reported() {
    let place = Place::new();
    place.add("def idle():\n    return 1\n");
    assert_shows!(place.run(&["insights"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing ran since [time--------------]
    ");
    assert_shows!(place.run(&["insights", "idle", "--since", "2026-01-31"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing ran since [time--------------]
    ");
    assert_shows!(place.run(&["insights", "ideal"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no function `ideal`
    hint: `selfmade search ideal` finds names like it
    ");
}
