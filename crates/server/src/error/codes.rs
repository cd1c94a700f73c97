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
        meaning: "Part of the URL path is not valid.",
        advice: "correct the path; the message says which part is wrong",
    },
    Code {
        code: "bad_babyagi_brain",
        status: 400,
        meaning: "The file is not a BabyAGI database, or cannot be read.",
        advice: "name the `funztionz.db` of a BabyAGI project",
    },
    Code {
        code: "bad_body",
        status: 422,
        meaning: "The body is JSON, but does not match the schema of this route.",
        advice: "compare the body with the schema of the route in `/api/v1/openapi.json`",
    },
    Code {
        code: "bad_changeset",
        status: 409,
        meaning: "The changeset cannot be applied as written.",
        advice: "list each entry once, and use versions that passed their checks",
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
        meaning: "The source is valid Python, but not a function that can be stored.",
        advice: "write one top-level function, and use only literals in its decorator",
    },
    Code {
        code: "bad_graph_file",
        status: 422,
        meaning: "The file is not a graph file that can be read.",
        advice: "correct the file, or export it again",
    },
    Code {
        code: "bad_input",
        status: 400,
        meaning: "A value in the request is not valid.",
        advice: "correct the value that the message names",
    },
    Code {
        code: "bad_json",
        status: 400,
        meaning: "The body is not valid JSON.",
        advice: "send valid JSON; the message says where parsing failed",
    },
    Code {
        code: "bad_name",
        status: 400,
        meaning: "The name is not valid.",
        advice: "use letters, digits and `_`, with dots between parts, such as `mail.send`",
    },
    Code {
        code: "bad_patch",
        status: 422,
        meaning: "A patch of a graph cannot be applied, so none of the request was.",
        advice: "correct the patch that the message names, and send all of them again",
    },
    Code {
        code: "bad_query",
        status: 400,
        meaning: "The query string is not valid.",
        advice: "compare it with the parameters of the route in `/api/v1/openapi.json`",
    },
    Code {
        code: "bad_request",
        status: 400,
        meaning: "The request is not valid.",
        advice: "correct what the message points out",
    },
    Code {
        code: "bad_run_input",
        status: 422,
        meaning: "The input does not match the function's signature.",
        advice: "check the signature with `selfmade fn show NAME`",
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
        meaning: "The signature of the webhook is missing, wrong or too old.",
        advice: "sign the exact bytes of the body with the trigger's secret; `docs/triggers.md` shows how",
    },
    Code {
        code: "bad_source",
        status: 400,
        meaning: "The source is not valid Python.",
        advice: "correct the source at the position in the message",
    },
    Code {
        code: "budget_exhausted",
        status: 409,
        meaning: "A budget has no room for what a run asks for.",
        advice: "raise its limits with `selfmade runs extend`, or do it with less",
    },
    Code {
        code: "cannot_read",
        status: 500,
        meaning: "The server cannot read one of its own files.",
        advice: "check the server's log and the permissions of its data folder",
    },
    Code {
        code: "cannot_write",
        status: 503,
        meaning: "The server cannot write one of its own files.",
        advice: "free disk space, or correct the permissions of the data folder; the log names the file",
    },
    Code {
        code: "changeset_not_found",
        status: 404,
        meaning: "There is no changeset with that number.",
        advice: "list them with `GET /api/v1/changesets` or `selfmade changes list`",
    },
    Code {
        code: "checks_failed",
        status: 422,
        meaning: "The changeset does not pass its checks, so nothing was changed.",
        advice: "correct what the findings point out, and propose it again",
    },
    Code {
        code: "closure_gone",
        status: 409,
        meaning: "The versions that the run loaded are no longer stored.",
        advice: "run the function again",
    },
    Code {
        code: "conflicted",
        status: 409,
        meaning: "Entries that the changeset is based on have changed, so nothing was applied.",
        advice: "review the difference, then rebase the changeset and apply it",
    },
    Code {
        code: "contended",
        status: 409,
        meaning: "The brain kept changing while this was tried.",
        advice: "try again; `Retry-After` says when",
    },
    Code {
        code: "crowded",
        status: 503,
        meaning: "Too many callers are waiting for runs.",
        advice: "try again after `Retry-After` seconds, or queue the run with `Prefer: respond-async`",
    },
    Code {
        code: "database",
        status: 503,
        meaning: "The database is unavailable.",
        advice: "try again later; the server's log gives the reason",
    },
    Code {
        code: "draft_conflict",
        status: 409,
        meaning: "Somebody else has edited the same part of the draft, or it is based on a version that is no longer live.",
        advice: "read the draft again and repeat the edit on it; the message names what changed",
    },
    Code {
        code: "draft_failed",
        status: 409,
        meaning: "A function that the run drafted failed when it was called.",
        advice: "fix the draft; the message contains its error",
    },
    Code {
        code: "forbidden",
        status: 403,
        meaning: "The token is not allowed to do this.",
        advice: "use a token that is allowed to; `selfmade token add` creates one",
    },
    Code {
        code: "foreign_origin",
        status: 403,
        meaning: "The request came from a page of another origin, with a browser's cookie.",
        advice: "in programs, send `Authorization: Bearer TOKEN` instead of a cookie",
    },
    Code {
        code: "guessing",
        status: 429,
        meaning: "Too many wrong tokens were sent from this address.",
        advice: "wait as long as `Retry-After` says, and correct the token",
    },
    Code {
        code: "in_the_way",
        status: 409,
        meaning: "A file that would be overwritten already exists.",
        advice: "choose another path, or allow it to be replaced",
    },
    Code {
        code: "internal",
        status: 500,
        meaning: "An internal error occurred.",
        advice: "report it with the `X-Request-Id` of the response and the log lines that contain it",
    },
    Code {
        code: "lease_lost",
        status: 409,
        meaning: "Another server took over the run.",
        advice: "check the run; it is still running or has ended",
    },
    Code {
        code: "link_used",
        status: 401,
        meaning: "The sign-in link was already used, or has expired.",
        advice: "get a new one with `selfmade sign-in`",
    },
    Code {
        code: "model_failed",
        status: 502,
        meaning: "The language model did not answer, or not with what it should.",
        advice: "the message says what its server answered; `selfmade model test` tries it by itself",
    },
    Code {
        code: "name_taken",
        status: 409,
        meaning: "The name is already in use.",
        advice: "choose another name, or remove the existing one first",
    },
    Code {
        code: "needs_approval",
        status: 403,
        meaning: "The change was proposed instead of applied, because it exceeds its author's authority.",
        advice: "have someone review it with `selfmade changes show` and apply it, or make a smaller change",
    },
    Code {
        code: "no_draft",
        status: 404,
        meaning: "The graph has no draft.",
        advice: "a draft begins with the first patch",
    },
    Code {
        code: "no_model",
        status: 404,
        meaning: "No language model is configured, or none of that name or role.",
        advice: "add one with `selfmade model add`",
    },
    Code {
        code: "no_such_method",
        status: 405,
        meaning: "The route does not support that method.",
        advice: "use one of the methods in `Allow`",
    },
    Code {
        code: "no_such_place",
        status: 404,
        meaning: "There is no such route.",
        advice: "see `/api/v1/openapi.json` for all routes",
    },
    Code {
        code: "not_executed",
        status: 503,
        meaning: "The function could not be executed on this machine.",
        advice: "run `selfmade doctor` or send `GET /api/v1/doctor` to see what is missing",
    },
    Code {
        code: "not_found",
        status: 404,
        meaning: "There is nothing with that name.",
        advice: "list what exists, and correct the name",
    },
    Code {
        code: "not_json",
        status: 415,
        meaning: "The `Content-Type` is not JSON.",
        advice: "send the header `Content-Type: application/json`",
    },
    Code {
        code: "not_live",
        status: 404,
        meaning: "The entry was not live at that revision.",
        advice: "choose a revision at which it was live; `selfmade fn versions NAME` lists them",
    },
    Code {
        code: "nothing_asked",
        status: 409,
        meaning: "The run is not waiting for an answer.",
        advice: "check the state of the run",
    },
    Code {
        code: "pack_refused",
        status: 409,
        meaning: "The pack cannot be loaded.",
        advice: "load it under a prefix, or replace what is there",
    },
    Code {
        code: "rate_limited",
        status: 429,
        meaning: "Too many requests in a short time.",
        advice: "wait as long as `Retry-After` says; the server's operator sets the limit with `--rate`",
    },
    Code {
        code: "revision_not_found",
        status: 404,
        meaning: "The brain has no such revision.",
        advice: "choose an existing one; `selfmade log` lists them",
    },
    Code {
        code: "run_ambiguous",
        status: 400,
        meaning: "The text matches more than one run.",
        advice: "give more of the id; `details.runs` lists the matches",
    },
    Code {
        code: "run_ended",
        status: 409,
        meaning: "The run has already ended.",
        advice: "check the record of the run",
    },
    Code {
        code: "run_not_found",
        status: 404,
        meaning: "There is no such run, or the token is not allowed to see it.",
        advice: "list runs with `GET /api/v1/runs`",
    },
    Code {
        code: "search",
        status: 503,
        meaning: "The search index cannot be used.",
        advice: "delete the folder `search` in the data folder; the next search rebuilds it",
    },
    Code {
        code: "secrets_key",
        status: 503,
        meaning: "The key that encrypts secrets is missing or wrong.",
        advice: "put the right `secrets.key` into the data folder, or set `SELFMADE_SECRETS_KEY`",
    },
    Code {
        code: "served",
        status: 409,
        meaning: "Another server is already serving this brain.",
        advice: "stop the other server with `selfmade stop`, or use PostgreSQL",
    },
    Code {
        code: "stale",
        status: 412,
        meaning: "The entry has changed since you read it.",
        advice: "read it again, and change the current version",
    },
    Code {
        code: "too_large",
        status: 413,
        meaning: "The body is too large.",
        advice: "send less, or a link to it",
    },
    Code {
        code: "too_many_sockets",
        status: 503,
        meaning: "Too many WebSockets are open.",
        advice: "close some, or use server-sent events",
    },
    Code {
        code: "too_many_uploads",
        status: 503,
        meaning: "Too many uploads are in progress.",
        advice: "wait until one of them has finished, and try again",
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
        meaning: "A valid token is required.",
        advice: "send `Authorization: Bearer TOKEN`; `selfmade token add` creates one",
    },
    Code {
        code: "unknown_host",
        status: 403,
        meaning: "The server does not accept that host name.",
        advice: "allow it with `selfmade serve --name NAME`",
    },
    Code {
        code: "unsupported_body",
        status: 415,
        meaning: "A webhook does not accept a body of that type.",
        advice: "send `application/json`, `application/x-www-form-urlencoded` or `text/plain`",
    },
    Code {
        code: "version_not_found",
        status: 404,
        meaning: "The entry has no such version.",
        advice: "list the versions with `GET /api/v1/functions/{name}/versions`",
    },
    Code {
        code: "wrong_state",
        status: 409,
        meaning: "The state of the changeset does not allow that.",
        advice: "check the state of the changeset",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a verb can answer.
    const VERBS: &str = include_str!("mod.rs");

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
