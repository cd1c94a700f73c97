//! Keys, which are secrets here.

use serde_json::json;

use super::{loaded, output, record};

/// B-8: in BabyAGI `key_dependencies` says nothing, and every function gets every key.
#[test]
fn a_function_gets_the_keys_it_declares_and_no_others() {
    let place = loaded(
        "@func.register_function(key_dependencies=['mine'])\ndef declares():\n    \
         return [len(globals()['mine']), 'other' in globals()]\n\n\
         @func.register_function()\ndef declares_nothing():\n    return ['mine' in globals(), 'other' in globals()]\n",
    );
    let without = record(&place, &["declares"]);
    assert_eq!((&without["state"], &without["calls"]), (&json!("failed"), &json!([])), "{without:#}");
    assert!(without["error"]["message"].as_str().unwrap().contains("`mine`"), "{without:#}");
    for key in ["mine", "other"] {
        place.run_with(&["secret", "set", key], b"hunter2-hunter2");
    }
    assert_eq!(output(&place, &["declares"]), json!([15, false]));
    assert_eq!(output(&place, &["declares_nothing"]), json!([false, false]));
}

/// B-9: BabyAGI logs keys as they are set and gives all of them to whoever asks.
#[test]
fn functions_neither_set_keys_nor_read_them_all() {
    let place = loaded(
        "@func.register_function()\ndef sets():\n    func.add_key('k', 'v')\n\n\
         @func.register_function()\ndef reads():\n    return func.get_all_secret_keys()\n",
    );
    for function in ["sets", "reads"] {
        let record = record(&place, &[function]);
        assert_eq!(record["error"]["type"], "selfmade.Refused", "{record:#}");
    }
    assert_eq!(place.json(&["secret", "list"])["secrets"], json!([]));
}

/// B-20: a key that is named like a dependency, an import or `func` takes its place in BabyAGI.
#[test]
fn a_key_never_takes_the_place_of_something_else() {
    let place = loaded(
        "@func.register_function()\ndef leaf():\n    return 1\n\n\
         @func.register_function(dependencies=['leaf'], imports=['math'], key_dependencies=['leaf', 'math', 'func', 'datetime'])\n\
         def root():\n    return [leaf(), math.floor(2.5), func.leaf(), datetime(2026, 1, 1).year]\n",
    );
    for key in ["leaf", "math", "func", "datetime"] {
        place.run_with(&["secret", "set", key], b"hunter2-hunter2");
    }
    assert_eq!(output(&place, &["root"]), json!([1, 2, 1, 2026]));
}
