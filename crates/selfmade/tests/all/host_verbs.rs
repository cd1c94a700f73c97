//! The module `selfmade` in a real cell, compared with the table of host verbs.

use std::collections::BTreeMap;

use model::run::host_verb::{HostVerb, VerbGrant};
use serde_json::json;

use crate::command::Place;

/// Tells the signature and the text of everything that can be called.
const OFFERED: &str = r#"import selfmade

@selfmade.function(brain="propose", model=True, files=True, storage="write")
def offered():
    import inspect

    def told(holder, prefix):
        for name in dir(holder):
            if name.startswith("_") or name in ("secrets", "Refused", "Failed", "BudgetExhausted", "NotCarried"):
                continue
            verb = getattr(holder, name)
            if inspect.isfunction(verb):
                yield prefix + name, [str(inspect.signature(verb)), verb.__doc__]
            else:
                yield from told(verb, f"{prefix}{name}.")

    return dict(told(selfmade, ""))
"#;

#[test]
fn a_cell_offers_every_verb_with_its_parameters_and_its_description() {
    let place = Place::new();
    place.add(OFFERED);
    let shown = HostVerb::ALL.iter().map(|verb| verb.row()).filter(|row| row.grant != VerbGrant::Hidden);
    let expected: BTreeMap<&str, _> = shown
        .map(|row| {
            (row.name, json!([format!("({})", row.signature()), format!("Returns {}.", row.description)]))
        })
        .collect();
    assert_eq!(place.json(&["run", "offered"])["output"], json!(expected));
}
