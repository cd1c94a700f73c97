//! The codes of everything that can go wrong, each with what it means and what to do about it. `docs/errors` has a page on each.

/// Why something was not done. Codes stay the same from release to release.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    pub code: &'static str,
    /// The status of an HTTP answer.
    pub status: u16,
    pub meaning: &'static str,
    /// What to do, where nothing better is known: a hint as they all are, without a capital and a period.
    pub advice: &'static str,
}

impl Code {
    /// Where its page is in the documentation.
    pub fn docs(&self) -> String {
        format!("errors/{}", self.code)
    }

    /// The one that is written so.
    pub fn of(code: &str) -> Option<&'static Code> {
        let place = ALL.binary_search_by_key(&code, |one| one.code).ok()?;
        Some(&ALL[place])
    }
}

/// In the order of the alphabet.
pub static ALL: &[Code] = &[
    Code {
        code: "bad_address",
        status: 400,
        meaning: "Part of the address cannot be read.",
        advice: "correct the path; the message says which part is wrong",
    },
    Code {
        code: "bad_babyagi_brain",
        status: 400,
        meaning: "The file is not a database of BabyAGI, or not one that can be read.",
        advice: "name the `functionz_db.sqlite` of a BabyAGI project",
    },
    Code {
        code: "bad_body",
        status: 422,
        meaning: "The body is JSON, but not what this route takes.",
        advice: "compare the body with the schema of the route in `/api/v1/openapi.json`",
    },
    Code {
        code: "bad_changeset",
        status: 409,
        meaning: "The changeset cannot be carried out as it is written.",
        advice: "state each entry once, and name versions that passed their checks",
    },
    Code {
        code: "bad_config",
        status: 503,
        meaning: "The server's configuration cannot be read.",
        advice: "correct `config.toml`; the message names the setting",
    },
    Code {
        code: "bad_function",
        status: 400,
        meaning: "The source is Python, but no function that can be stored.",
        advice: "write one top-level function, and literals in its decorator",
    },
    Code {
        code: "bad_input",
        status: 400,
        meaning: "What was given cannot be used.",
        advice: "do what the hint says",
    },
    Code {
        code: "bad_json",
        status: 400,
        meaning: "The body is no JSON.",
        advice: "send valid JSON; the message says where it breaks off",
    },
    Code {
        code: "bad_name",
        status: 400,
        meaning: "That is no name.",
        advice: "use letters, digits and `_`, with dots between parts, such as `mail.send`",
    },
    Code {
        code: "bad_query",
        status: 400,
        meaning: "The part of the address after `?` cannot be read.",
        advice: "compare it with the parameters of the route in `/api/v1/openapi.json`",
    },
    Code {
        code: "bad_request",
        status: 400,
        meaning: "The request cannot be understood.",
        advice: "correct what the message names",
    },
    Code {
        code: "bad_run_input",
        status: 422,
        meaning: "The input does not fit the function.",
        advice: "look at the signature with `selfmade fn show NAME`, and send what it takes",
    },
    Code {
        code: "bad_secret",
        status: 400,
        meaning: "The secret cannot be stored.",
        advice: "use a name such as `API_KEY` and a value of at least 8 characters",
    },
    Code {
        code: "bad_signature",
        status: 401,
        meaning: "The signature of a webhook is missing, wrong or too old.",
        advice: "sign the exact bytes of the body with the secret that the trigger names; `docs/triggers.md` shows how",
    },
    Code {
        code: "bad_source",
        status: 400,
        meaning: "The source is no valid Python.",
        advice: "correct the source there",
    },
    Code {
        code: "cannot_read",
        status: 500,
        meaning: "The server cannot read one of its own files.",
        advice: "look at the log of the server, and at the rights of its data folder",
    },
    Code {
        code: "cannot_write",
        status: 503,
        meaning: "The server cannot write one of its own files.",
        advice: "make room, or correct the rights of the data folder; the log says which file it is",
    },
    Code {
        code: "changeset_not_found",
        status: 404,
        meaning: "There is no changeset of that number.",
        advice: "list them with `GET /api/v1/changesets` or `selfmade changes list`",
    },
    Code {
        code: "checks_failed",
        status: 422,
        meaning: "The changeset does not pass its checks, so nothing was changed.",
        advice: "correct what the findings name, and propose it again",
    },
    Code {
        code: "closure_gone",
        status: 409,
        meaning: "What the run loaded is no longer stored.",
        advice: "run the function anew",
    },
    Code {
        code: "conflicted",
        status: 409,
        meaning: "What the changeset is based on has moved, so nothing was applied.",
        advice: "look at the difference, then rebase the changeset and apply it",
    },
    Code {
        code: "contended",
        status: 409,
        meaning: "The brain was changed by others again and again while this was tried.",
        advice: "try again; `Retry-After` says when",
    },
    Code {
        code: "crowded",
        status: 503,
        meaning: "Too many runs are waited for at once.",
        advice: "try again after the seconds of `Retry-After`, or queue the run with `Prefer: respond-async`",
    },
    Code {
        code: "database",
        status: 503,
        meaning: "The database cannot be used now.",
        advice: "try again later; whoever runs the server finds the reason in its log",
    },
    Code {
        code: "draft_failed",
        status: 409,
        meaning: "A function that a run had drafted failed when it was called.",
        advice: "repair the draft; the message has its error",
    },
    Code {
        code: "forbidden",
        status: 403,
        meaning: "The token may not do this.",
        advice: "use a token that may; `selfmade token add` makes one",
    },
    Code {
        code: "foreign_origin",
        status: 403,
        meaning: "A page of another site tried this with the cookie of a browser.",
        advice: "in programs, send `Authorization: Bearer TOKEN` instead of a cookie",
    },
    Code {
        code: "guessing",
        status: 429,
        meaning: "Too many wrong tokens came from this address.",
        advice: "wait as long as `Retry-After` says, and correct the token",
    },
    Code {
        code: "in_the_way",
        status: 409,
        meaning: "Something is there that would be overwritten.",
        advice: "name another place, or say that it may be replaced",
    },
    Code {
        code: "internal",
        status: 500,
        meaning: "The server made a mistake.",
        advice: "report it, with the `X-Request-Id` of the answer and the lines of the log that have it",
    },
    Code {
        code: "lease_lost",
        status: 409,
        meaning: "The run was taken over by another server.",
        advice: "look at the run; it goes on or has ended",
    },
    Code {
        code: "link_used",
        status: 401,
        meaning: "The link to sign in was used already, or is too old.",
        advice: "start `selfmade serve` again to get a new one",
    },
    Code {
        code: "name_taken",
        status: 409,
        meaning: "There is something of that name already.",
        advice: "choose another name, or remove the other one first",
    },
    Code {
        code: "needs_approval",
        status: 403,
        meaning: "The change was proposed instead of applied, because it reaches further than whoever made it.",
        advice: "have somebody look at it with `selfmade changes show` and apply it, or make a change that reaches less far",
    },
    Code {
        code: "no_such_method",
        status: 405,
        meaning: "That method cannot be used there.",
        advice: "use one of the methods in `Allow`",
    },
    Code {
        code: "no_such_place",
        status: 404,
        meaning: "There is nothing at that address.",
        advice: "look it up in `/api/v1/openapi.json`",
    },
    Code {
        code: "not_executed",
        status: 503,
        meaning: "The function could not be executed on this machine.",
        advice: "look at `GET /api/v1/doctor` or run `selfmade doctor`, which say what is missing",
    },
    Code {
        code: "not_found",
        status: 404,
        meaning: "There is nothing of that name.",
        advice: "list what there is, and correct the name",
    },
    Code {
        code: "not_json",
        status: 415,
        meaning: "The body is not said to be JSON.",
        advice: "send the header `Content-Type: application/json`",
    },
    Code {
        code: "not_live",
        status: 404,
        meaning: "It was not live at that revision.",
        advice: "name a revision at which it was live; `selfmade fn versions NAME` lists them",
    },
    Code {
        code: "nothing_asked",
        status: 409,
        meaning: "The run has asked nothing.",
        advice: "look at the state of the run",
    },
    Code {
        code: "pack_refused",
        status: 409,
        meaning: "The pack cannot be loaded.",
        advice: "do what the hint says: load it under a prefix, or over what is there",
    },
    Code {
        code: "rate_limited",
        status: 429,
        meaning: "Too many requests in too short a time.",
        advice: "wait as long as `Retry-After` says; whoever runs the server sets the limit with `--rate`",
    },
    Code {
        code: "revision_not_found",
        status: 404,
        meaning: "The brain has no such revision.",
        advice: "name one that there is; `selfmade log` lists them",
    },
    Code {
        code: "run_ambiguous",
        status: 400,
        meaning: "The text fits more than one run.",
        advice: "write more of it; `details.runs` lists those that fit",
    },
    Code {
        code: "run_ended",
        status: 409,
        meaning: "The run has ended already.",
        advice: "look at its record",
    },
    Code {
        code: "run_not_found",
        status: 404,
        meaning: "There is no such run, or the token may not see it.",
        advice: "list those there are with `GET /api/v1/runs`",
    },
    Code {
        code: "search",
        status: 503,
        meaning: "The search index cannot be used.",
        advice: "remove the folder `search` in the data folder; the next search makes it anew",
    },
    Code {
        code: "secrets_key",
        status: 503,
        meaning: "The key that secrets are sealed with is missing or wrong.",
        advice: "put the right `secrets.key` into the data folder, or set `SELFMADE_SECRETS_KEY`",
    },
    Code {
        code: "served",
        status: 409,
        meaning: "Another server carries out the runs of this brain already.",
        advice: "end the other one first, or use PostgreSQL",
    },
    Code {
        code: "stale",
        status: 412,
        meaning: "It was changed since you read it.",
        advice: "read it again, and change what is there now",
    },
    Code {
        code: "too_large",
        status: 413,
        meaning: "The body is larger than the server takes.",
        advice: "send less, or a link to it",
    },
    Code {
        code: "too_many_sockets",
        status: 503,
        meaning: "As many WebSockets are open as the server holds.",
        advice: "close some, or listen to server-sent events",
    },
    Code {
        code: "too_many_uploads",
        status: 503,
        meaning: "As many uploads are under way as the server takes at once.",
        advice: "wait until one of them has ended, and try again",
    },
    Code {
        code: "too_slow",
        status: 408,
        meaning: "The body did not arrive in time.",
        advice: "send it again",
    },
    Code {
        code: "unauthorized",
        status: 401,
        meaning: "This takes a valid token.",
        advice: "send `Authorization: Bearer TOKEN`; `selfmade token add` makes one",
    },
    Code {
        code: "unknown_host",
        status: 403,
        meaning: "The server does not answer to that name.",
        advice: "name it with `selfmade serve --name NAME`",
    },
    Code {
        code: "unsupported_body",
        status: 415,
        meaning: "A webhook cannot read a body of that type.",
        advice: "send `application/json`, `application/x-www-form-urlencoded` or `text/plain`",
    },
    Code {
        code: "version_not_found",
        status: 404,
        meaning: "It has no such version.",
        advice: "list those there are with `GET /api/v1/functions/{name}/versions`",
    },
    Code {
        code: "wrong_state",
        status: 409,
        meaning: "The changeset is not in a state in which that can be done.",
        advice: "look at its state",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a verb can answer.
    const VERBS: &str = include_str!("error.rs");

    #[test]
    fn every_code_is_found() {
        for code in ALL {
            assert_eq!(Code::of(code.code), Some(code));
        }
        assert_eq!(Code::of("nonsense"), None);
    }

    #[test]
    fn every_code_of_a_verb_is_in_the_table() {
        let (_, after) = VERBS.split_once("pub fn code(&self)").unwrap();
        let (codes, _) = after.split_once("pub fn hint(&self)").unwrap();
        let quoted: Vec<&str> = codes.split('"').skip(1).step_by(2).collect();
        assert!(quoted.len() > 30, "{quoted:?}");
        for code in quoted {
            assert!(Code::of(code).is_some(), "`{code}` is not in the table");
        }
    }

    #[test]
    fn every_code_has_a_page_and_every_page_a_code() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
        let mut pages: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "README.md")
            .collect();
        pages.sort();
        let expected: Vec<String> = ALL.iter().map(|code| format!("{}.md", code.code)).collect();
        assert_eq!(pages, expected);
        let index = std::fs::read_to_string(folder.join("README.md")).unwrap();
        for Code { code, status, meaning, advice } in ALL {
            let page = std::fs::read_to_string(folder.join(format!("{code}.md"))).unwrap();
            assert!(page.starts_with(&format!("# {code}\n\n**{status}** {meaning}\n")), "{page}");
            let (first, rest) = advice.split_at(1);
            assert!(page.contains(&format!("\n{}{rest}.\n", first.to_uppercase())), "{page}");
            assert!(page.contains(&format!("\"code\": \"{code}\"")), "{page}");
            let line = format!("| [{code}]({code}.md) | {status} | {meaning} |");
            assert!(index.contains(&line), "the index has no `{line}`");
        }
    }
}
