//! What a function depends on.

use serde_json::json;

use super::{loaded, output, record};

/// B-4: names that are registered later vanish from BabyAGI's dependencies.
#[test]
fn a_function_may_be_registered_before_what_it_calls() {
    let place = loaded(
        "@func.register_function(dependencies=['helper'])\ndef root():\n    return helper()\n\n\
         @func.register_function()\ndef helper():\n    return 'helped'\n",
    );
    assert_eq!(output(&place, &["root"]), json!("helped"));
    let place = loaded("@func.register_function(dependencies=['later'])\ndef root():\n    return later()\n");
    let before = record(&place, &["root"]);
    assert_eq!(before["error"]["type"], "NameError", "{before:#}");
    place.add("def later():\n    return 'now'\n");
    assert_eq!(output(&place, &["root"]), json!("now"));
}

/// B-2: a new source alone empties dependencies, imports and triggers in BabyAGI.
#[test]
fn a_new_source_alone_keeps_what_it_depends_on() {
    let place = loaded(
        "@func.register_function()\ndef leaf():\n    return 4.5\n\n\
         @func.register_function(dependencies=['leaf'], imports=['math'])\ndef root():\n    return leaf()\n",
    );
    place.add("def root():\n    return math.floor(leaf())\n");
    assert_eq!(output(&place, &["root"]), json!(4));
}

/// B-20: in BabyAGI all that dependencies depend on is visible, too.
#[test]
fn what_a_dependency_depends_on_is_not_in_scope() {
    let place = loaded(
        "@func.register_function()\ndef grandchild():\n    return 1\n\n\
         @func.register_function(dependencies=['grandchild'], imports=['math'])\ndef child():\n    return grandchild()\n\n\
         @func.register_function(dependencies=['child'])\ndef root():\n    \
         return [child(), 'grandchild' in globals(), 'math' in globals()]\n",
    );
    assert_eq!(output(&place, &["root"]), json!([1, false, false]));
}

/// A.3: what packs read of other functions, by the names BabyAGI gives them.
#[test]
fn functions_read_each_other_in_the_form_they_know() {
    let place = loaded(
        "@func.register_function(metadata={'description': 'Adds.'})\ndef add(a: int, b=2):\n    return a + b\n\n\
         @func.register_function()\ndef root():\n    \
         found = func.get_function('add')\n    names = [one['name'] for one in func.get_all_functions()]\n    \
         return [found['metadata']['description'], found['version'], found['input_parameters'], 'return a + b' in found['code'], \
         func.db.get_function('nothing'), sorted(names)]\n",
    );
    let parameters = json!([
        {"name": "a", "type": "int", "required": true},
        {"name": "b", "type": "Any", "required": false, "default": 2},
    ]);
    assert_eq!(output(&place, &["root"]), json!(["Adds.", 1, parameters, true, null, ["add", "root"]]));
}
