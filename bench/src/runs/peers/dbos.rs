//! DBOS, in its own process, on SQLite and on PostgreSQL.

use std::path::Path;

use anyhow::Context;

use super::super::Arguments;
use super::super::report::{Report, Work};
use super::super::world::Place;
use super::found;
use crate::{load, script};

const ON_SQLITE: &str = "DBOS 3.3.0, SQLite";
const ON_POSTGRES: &str = "DBOS 3.3.0, PostgreSQL";

pub(super) fn measure(report: &mut Report, place: &Place, all: &Arguments) -> anyhow::Result<()> {
    let python = all.peers.dbos_python.as_ref().context("no `--dbos-python` was given")?;
    one(report, place, all, python, ON_SQLITE, "sqlite:///dbos.db")?;
    let Some(server) = &place.postgres else { return Ok(()) };
    let (server, _) = server.rsplit_once('/').context("the URL of PostgreSQL names no database")?;
    let url = format!("{}/dbos_bench", server.replace("postgres://", "postgresql://"));
    one(report, place, all, python, ON_POSTGRES, &url)
}

fn one(
    report: &mut Report,
    place: &Place,
    all: &Arguments,
    python: &Path,
    who: &'static str,
    url: &str,
) -> anyhow::Result<()> {
    load::tell(who)?;
    let folder = place.folder.join("dbos");
    std::fs::create_dir_all(&folder)?;
    let arguments = [url.to_owned(), all.callers.to_string(), all.peers.peer_seconds.to_string()];
    let result = script::run(python, "dbos_runs.py", &arguments, &folder)?;
    found(report, who, &result, &[(Work::Add, "add"), (Work::ChainOf10, "chain_of_10")]);
    let [threads, queue] = ["by_threads", "by_queue"].map(|name| result[name].as_f64().unwrap_or_default());
    println!("{who}, {} at once: by threads {threads:.0}/s, by a queue {queue:.0}/s", all.callers);
    if threads.max(queue) > 0.0 {
        report.rate(Work::AtOnce, who, threads.max(queue));
    }
    let settings = result["settings"].as_str().unwrap_or("unknown settings");
    report.term(format!(
        "{who} isolates nothing and is called in its own process: a workflow without steps, so its start and its end are \
         recorded; {settings}, as shipped; at once, by {} threads {threads:.0}/s and by a queue {queue:.0}/s",
        all.callers
    ));
    Ok(())
}
