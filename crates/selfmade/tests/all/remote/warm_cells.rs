//! A function that executes what it is handed, kept warm, and two callers with a token each.

use serde_json::json;

use super::Served;
use crate::command::Place;

const EXECUTE: &str = "import selfmade\n\n@selfmade.function(isolation='warm')\n\
                       def execute(code: str, value: str = ''):\n    exec(code, globals())\n    \
                       return [shout(value), globals().get('stolen')]\n";
const SHOUT: &str = "def shout(value: str):\n    return value.upper()\n";
/// Puts itself in the place of the dependency, and keeps the cell from recording Calls.
const PLANT: &str = "
import sys
stolen = []
def shout(value):
    stolen.append(value)
    return 'falsified'
frame = sys._getframe()
while frame:
    cell = frame.f_locals.get('self')
    if hasattr(cell, 'recorder'):
        cell.recorder.flush = lambda: None
        cell.verbs.ask = None
    frame = frame.f_back
";

#[test]
fn one_caller_of_a_warm_function_neither_sees_nor_changes_the_runs_of_another() {
    let served = Served::with_role("builder");
    served.at_home.add(SHOUT);
    served.at_home.add(EXECUTE);
    let attacker = &served.away;
    let victim = somebody_else(&served);
    assert_eq!(executed(attacker, PLANT, "plant")["output"], json!(["falsified", ["plant"]]));
    for _ in 0..2 {
        let run = executed(&victim, "pass", "mine");
        assert_eq!(
            (&run["input"]["value"], &run["output"]),
            (&json!("mine"), &json!(["MINE", null])),
            "{run:#}"
        );
        let calls = run["calls"].as_array().unwrap();
        assert_eq!(calls.len(), 1, "{run:#}");
        assert_eq!(calls[0]["output"], "MINE", "{run:#}");
    }
    let stolen = &executed(attacker, "pass", "again")["output"][1];
    assert_eq!(stolen, &json!(["plant", "again"]), "it is the same cell, and nobody else was in it");
}

/// Counts in a constant of its file.
const COUNT: &str = "import selfmade\n\nCOUNT = 0\n\n@selfmade.function(isolation='warm')\n\
                     def count():\n    global COUNT\n    COUNT += 1\n    return COUNT\n";

#[test]
fn a_warm_function_goes_on_with_what_it_assigned_in_its_file() {
    let served = Served::with_role("builder");
    served.at_home.file("count.py", COUNT);
    served.at_home.data(&["pack", "load", "count.py"]);
    let counted = || served.away.data(&["run", "count"]).trim().to_owned();
    assert_eq!([counted(), counted(), counted()], ["1", "2", "3"]);
}

fn executed(place: &Place, code: &str, value: &str) -> serde_json::Value {
    let id = place.run_id(&["execute", code, value]);
    place.json(&["runs", "show", &id])
}

fn somebody_else(served: &Served) -> Place {
    let token = served.at_home.data(&["token", "add", "else", "--role", "builder"]).trim().to_owned();
    let mut place = Place::without_home().option("--server", &served.url);
    place.set("SELFMADE_TOKEN", &token);
    place
}
