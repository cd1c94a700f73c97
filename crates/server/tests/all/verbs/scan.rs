//! No verb is forgotten: what `app` offers is read from its source.

use std::collections::BTreeSet;
use std::path::Path;

use super::cases::CASES;

/// A function that others can call, outside of `app` at least.
struct Offered {
    /// The file and the name.
    verb: String,
    is_public: bool,
    takes_access: bool,
    body: String,
}

fn offered() -> Vec<Offered> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/app");
    let mut found = Vec::new();
    for within in ["", "functionz/"] {
        for entry in std::fs::read_dir(folder.join(within)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "rs") {
                let file = format!("{within}{}", path.file_name().unwrap().to_string_lossy());
                found.extend(offered_by(&file, &std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

fn offered_by(file: &str, text: &str) -> Vec<Offered> {
    let mut found = Vec::new();
    for (is_public, keyword) in [(true, "pub async fn "), (false, "pub(crate) async fn ")] {
        for (at, _) in text.match_indices(keyword) {
            let (head, rest) = text[at + keyword.len()..].split_once('{').unwrap();
            let name = head.split(['(', '<']).next().unwrap();
            let body = rest.split_once("\n}").map_or(rest, |(body, _)| body);
            let takes_access = head.contains("access: &Access");
            found.push(Offered {
                verb: format!("{file} {name}"),
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
        "backup.rs back_up", // by the owner of the machine, beside any server
        "backup.rs restore",
        "functions.rs not_found", // made of a refusal, within the scope of whoever asked
        "retention.rs keep",      // the server's own housekeeping
        "retention.rs sweep",
        "run_news.rs next", // methods of what took an Access when it was made
        "run_news.rs next",
        "runs.rs check_input", // of what was judged: a target that is applied, a run that is carried out
        "runs.rs ended",
        "runs.rs parameters",
        "runs.rs prepared_for",
        "secrets.rs open", // for the engine
        "secrets.rs open_known",
        "sessions.rs recognise", // makes an Access
        "sessions.rs sign_in",   // by a link that only the owner of the machine can have made
        "sessions.rs sign_out",  // one's own, which is at hand
        "tokens.rs recognise",   // makes an Access
        "trials.rs execute",     // of drafts and tests that were judged
        "trials.rs prepare_overlaid",
        "webhooks.rs check", // opens the door at which the sender is judged
        "webhooks.rs find",
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
        "checks.rs run", // drafts, by the verbs that propose and apply them
        "drafts.rs draft",
        "drafts.rs redraft",
        "names.rs of", // runs that were found for this Access
        "run_lists.rs lines",
        "tests.rs check", // drafts
    ];
    let judges = |body: &str| ["access.may", "judge(ctx, access"].iter().any(|judges| body.contains(judges));
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
