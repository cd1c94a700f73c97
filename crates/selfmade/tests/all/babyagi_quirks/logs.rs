//! Logs, which are the records of runs here.

use serde_json::{Value, json};

use super::{calls, loaded, pairs, record};

/// B-18: what is called as `func.x()` loses its parent in BabyAGI.
#[test]
fn calls_through_func_keep_their_parents() {
    let place = loaded(
        "@func.register_function()\ndef model(text):\n    return text.upper()\n\n\
         @func.register_function(dependencies=['model'])\ndef writer(text):\n    return func.model(text)\n\n\
         @func.register_function(dependencies=['writer'])\ndef generator(name):\n    return func.writer(name)\n",
    );
    let record = record(&place, &["generator", "x"]);
    assert_eq!(record["output"], "X", "{:#}", record["error"]);
    assert_eq!(calls(&record), pairs(&[("", "writer"), ("writer", "model")]));
}

/// B-18: after a failure BabyAGI's log says `started` for ever.
#[test]
fn what_fails_is_recorded_as_failed_with_all_around_it() {
    let place = loaded(
        "@func.register_function()\ndef leaf():\n    raise ValueError('no')\n\n\
         @func.register_function(dependencies=['leaf'])\ndef middle():\n    return leaf()\n\n\
         @func.register_function(dependencies=['middle'])\ndef root():\n    return middle()\n",
    );
    let record = record(&place, &["root"]);
    assert_eq!((&record["state"], &record["error"]["type"]), (&json!("failed"), &json!("ValueError")));
    let is_reported = |call: &Value| call["error"]["type"] == "ValueError" && call["duration_us"].is_u64();
    let calls = record["calls"].as_array().unwrap();
    assert!(calls.len() == 2 && calls.iter().all(is_reported), "{calls:#?}");
    assert!(record["error"]["traceback"].as_str().unwrap().contains("raise ValueError('no')"));
}

/// B-18: BabyAGI cannot show a run with 1,200 calls, and breaks on an id that does not exist.
#[test]
fn many_calls_are_shown_and_an_unknown_run_is_reported() {
    let place = loaded(
        "@func.register_function()\ndef leaf(n):\n    return n\n\n\
         @func.register_function(dependencies=['leaf'])\ndef root():\n    return sum(leaf(n) for n in range(1200))\n",
    );
    assert_eq!(record(&place, &["root"])["calls"].as_array().unwrap().len(), 1200);
    let unknown = place.run(&["runs", "show", "ffffffff"]);
    assert!(unknown.starts_with("exit: 4") && unknown.contains("ffffffff"), "{unknown}");
}

/// B-18: BabyAGI's wrappers write rows of the log by hand, and a failure leaves them as they were.
#[test]
fn what_a_function_logs_of_itself_changes_nothing() {
    let place = loaded(
        "@func.register_function()\ndef leaf():\n    return 1\n\n\
         @func.register_function(dependencies=['leaf'])\ndef wrapper():\n    \
         log = func.db.add_log(function_name='leaf', message='started', parent_log_id=parent_log_id)\n    \
         result = func.execute_function('leaf', parent_log_id=log)\n    \
         func.db.update_log(log, output=result, log_type='success')\n    return result\n",
    );
    let record = record(&place, &["wrapper"]);
    assert_eq!(record["output"], 1, "{:#}", record["error"]);
    assert_eq!(calls(&record), pairs(&[("", "leaf")]));
}
