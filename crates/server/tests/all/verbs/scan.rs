//! No verb is forgotten: what `app` offers is read from its source.

use std::collections::BTreeSet;
use std::path::Path;

use super::cases::CASES;

/// A function that others can call, outside of `app` at least.
struct Offered {
    /// The module and the name.
    verb: String,
    is_public: bool,
    takes_access: bool,
    body: String,
}

fn offered() -> Vec<Offered> {
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/app");
    let mut found = Vec::new();
    let mut folders = vec![app.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.extend(offered_by(&module(path.strip_prefix(&app).unwrap()), &text));
            }
        }
    }
    found
}

/// `runs::ids` for `runs/ids.rs`, `runs` for `runs/mod.rs`.
fn module(file: &Path) -> String {
    let path = file.with_extension("");
    let path = if path.ends_with("mod") { path.parent().unwrap() } else { &path };
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("::")
}

fn offered_by(module: &str, text: &str) -> Vec<Offered> {
    let mut found = Vec::new();
    for (is_public, keyword) in [(true, "pub async fn "), (false, "pub(crate) async fn ")] {
        for (at, _) in text.match_indices(keyword) {
            let (head, rest) = text[at + keyword.len()..].split_once('{').unwrap();
            let name = head.split(['(', '<']).next().unwrap();
            let body = rest.split_once("\n}").map_or(rest, |(body, _)| body);
            let takes_access = head.contains("access: &Access");
            found.push(Offered {
                verb: format!("{module} {name}"),
                is_public,
                takes_access,
                body: body.to_owned(),
            });
        }
    }
    found
}

/// Every verb takes an Access, but those that make one, and those that are not asked by anybody outside.
#[test]
fn no_verb_can_be_called_without_an_access() {
    const WITHOUT: &[&str] = &[
        "budgets::spending refuses_nested", // of a run, within what is above it
        "budgets::spending reserve",
        "events::feed next",      // of a reader that took an Access when it was made
        "firings handle",         // of Events: each Trigger starts with the Access of who applied it
        "firings save_cursor",    // the cursor, which is nobody's
        "functions::mutants run", // of drafts that were judged
        "functions::resolution findings", // of drafts that were judged
        "functions::test_results judged", // of drafts that were judged
        "functions::test_results run_missing", // of drafts that were judged
        "functions::trials execute", // of drafts and tests that were judged
        "functions::trials prepare_overlaid",
        "graphs::library read_also", // leaves out what may not be called
        "models::asking chat",       // for a function that was granted the models
        "models::asking complete",
        "models::asking embed",
        "models::asking open",
        "models::asking open_for",
        "models::asking probe",
        "operations::backup back_up", // by the owner of the machine, beside any server
        "operations::backup restore",
        "operations::retention keep", // the server's own housekeeping
        "operations::retention sweep",
        "operations::status health", // what anybody may know
        "runs::new_run check_input", // of what was judged: a target that is applied, a run that is carried out
        "runs::new_run parameters",
        "runs::start ended",
        "runs::watch next", // methods of what took an Access when it was made
        "runs::watch::endings next",
        "schedules::agenda round", // of times: each Schedule starts with the Access of who applied it
        "sessions recognise",      // makes an Access
        "sessions sign_in",        // by a link that only the owner of the machine can have made
        "sessions sign_out",       // one's own, which is at hand
        "tokens recognise",        // makes an Access
        "triggers::webhooks check", // opens the door at which the sender is judged
        "triggers::webhooks find",
    ];
    let mut without: Vec<String> =
        offered().into_iter().filter(|verb| !verb.takes_access).map(|verb| verb.verb).collect();
    without.sort();
    assert_eq!(without, WITHOUT);
}

/// Those that cannot be called from outside of the server judge by themselves, or are handed what was judged.
#[test]
fn every_verb_is_called_by_every_actor() {
    const OF_WHAT_WAS_JUDGED: &[&str] = &[
        "changesets::checks run", // drafts, by the verbs that propose and apply them
        "changesets::drafts draft",
        "changesets::drafts redraft",
        "graphs::library read",           // leaves out what may not be called
        "functions::names of",            // runs that were found for this Access
        "functions::names of_actors",     // of what was found for it
        "functions::names started_under", // a trigger or schedule that was found for it
        "runs::lists lines",
        "functions::run_tests callable_names", // what the verbs that run tests are asked for
        "functions::run_tests check",          // drafts
        "meta_tools execute",                  // a call that was read for this Access
    ];
    let judges = |body: &str| {
        ["access.may", "judge(ctx, access", "start_node(ctx, access"]
            .iter()
            .any(|judges| body.contains(judges))
    };
    let mut missing = Vec::new();
    let mut called: BTreeSet<&str> = CASES.iter().map(|case| case.verb).collect();
    for verb in offered().iter().filter(|verb| verb.takes_access) {
        let is_known = match verb.is_public {
            true => called.remove(verb.verb.as_str()),
            false => judges(&verb.body) || OF_WHAT_WAS_JUDGED.contains(&verb.verb.as_str()),
        };
        if !is_known {
            missing.push(verb.verb.clone());
        }
    }
    assert!(missing.is_empty(), "they are in no case: {missing:#?}");
    assert!(called.is_empty(), "there are no such verbs: {called:#?}");
}
