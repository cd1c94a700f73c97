//! Calling a function.

use serde_json::json;

use super::{calls, loaded, output, pairs, record};

/// B-1: in BabyAGI the documented way of calling a function goes around the engine, and nothing is logged.
#[test]
fn every_way_of_calling_is_recorded() {
    let place = loaded(
        "@func.register_function()\ndef leaf(n):\n    return n + 1\n\n\
         @func.register_function(dependencies=['leaf'])\ndef root():\n    \
         return [leaf(1), func.leaf(2), func.execute_function('leaf', 3), func.executor.execute('leaf', n=4)]\n",
    );
    let record = record(&place, &["root"]);
    assert_eq!(record["output"], json!([2, 3, 4, 5]), "{:#}", record["error"]);
    assert_eq!(calls(&record), pairs(&[("", "leaf"); 4]));
}

/// A stored function that was not declared is still found, as BabyAGI's packs expect of `func`.
#[test]
fn func_calls_what_was_not_declared_in_a_run_of_its_own() {
    let place = loaded(
        "@func.register_function()\ndef leaf(n):\n    return n + 1\n\n\
         @func.register_function()\ndef root():\n    return func.leaf(1)\n",
    );
    let record = record(&place, &["root"]);
    assert_eq!(record["output"], json!(2), "{:#}", record["error"]);
    assert_eq!(record["below"][0]["name"], "leaf", "{:#}", record["below"]);
}

/// B-7: what is not JSON makes a call of BabyAGI's fail after its effects.
#[test]
fn values_that_json_lacks_neither_prevent_a_call_nor_fail_it() {
    let place = loaded(
        "@func.register_function()\ndef make():\n    return [{1, 2}, b'x', datetime(2026, 1, 1), object(), (n for n in [1])]\n\n\
         @func.register_function()\ndef take(things):\n    return [type(one).__name__ for one in things]\n\n\
         @func.register_function(dependencies=['make', 'take'])\ndef root():\n    print('done')\n    \
         things = make()\n    return [take(things), things[0], things[1], things[2]]\n",
    );
    let record = record(&place, &["root"]);
    assert_eq!(record["output"][0], json!(["set", "bytes", "datetime", "object", "generator"]), "{record:#}");
    assert_eq!(record["output"][2], json!({"$bytes": "eA=="}));
    assert_eq!(record["printed"], json!([{"stream": "stdout", "text": "done\n"}]));
}

/// B-15: BabyAGI's engine takes these names for itself.
#[test]
fn parameters_may_have_any_name() {
    let names =
        ["function_name", "executed_functions", "parent_log_id", "wrapper_log_id", "triggered_by_log_id"];
    let place = loaded(&format!(
        "@func.register_function()\ndef all_names({names}):\n    return [{names}]\n\n\
         @func.register_function(dependencies=['all_names'])\ndef root():\n    \
         return [all_names({named}), func.all_names({named})]\n",
        names = names.join(", "),
        named = names.map(|name| format!("{name}=1")).join(", "),
    ));
    assert_eq!(output(&place, &["root"]), json!([[1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]));
    let named = names.map(|name| format!("--arg={name}=2"));
    let arguments: Vec<&str> = ["all_names"].into_iter().chain(named.iter().map(String::as_str)).collect();
    assert_eq!(output(&place, &arguments), json!([2, 2, 2, 2, 2]));
}

/// B-16: after a parameter has gone, BabyAGI still asks for it.
#[test]
fn a_parameter_that_has_gone_is_not_asked_for() {
    let place = loaded("@func.register_function()\ndef f(x):\n    return x\n");
    place.add("def f():\n    return 'none'\n");
    assert_eq!(output(&place, &["f"]), json!("none"));
}

/// Functions catch what others raise by its type, and change what they are handed.
#[test]
fn exceptions_keep_their_type_and_objects_are_shared() {
    let place = loaded(
        "@func.register_function(imports=['json'])\ndef parse(text, seen):\n    seen.append(text)\n    return json.loads(text)\n\n\
         @func.register_function(dependencies=['parse'], imports=['json'])\ndef root():\n    seen = []\n    \
         try:\n        parse('{', seen)\n    except json.JSONDecodeError as error:\n        return [type(error).__name__, seen]\n",
    );
    assert_eq!(output(&place, &["root"]), json!(["JSONDecodeError", ["{"]]));
}
