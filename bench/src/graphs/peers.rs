//! Libraries and servers that record steps, each in an environment of its own, doing the same work without any isolation.

mod restate;

use std::path::PathBuf;

use anyhow::Context;
use serde_json::Value;

use super::report::Report;
use super::{Arguments as All, Part};
use crate::runs::world::Place;
use crate::{load, script};

const LANGGRAPH: &str = "LangGraph 1.2.22, SQLite";
const DBOS_SQLITE: &str = "DBOS 3.3.0, SQLite";
const DBOS_POSTGRES: &str = "DBOS 3.3.0, PostgreSQL";
const PREFECT: &str = "Prefect 3.8.8, SQLite";

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The Python of a virtual environment that has LangGraph and its SQLite checkpointer.
    #[arg(long)]
    langgraph_python: Option<PathBuf>,
    /// The Python of a virtual environment that has DBOS.
    #[arg(long)]
    dbos_python: Option<PathBuf>,
    /// The Python of a virtual environment that has Prefect.
    #[arg(long)]
    prefect_python: Option<PathBuf>,
    /// The program of Restate's server.
    #[arg(long)]
    restate_server: Option<PathBuf>,
    /// The Python of a virtual environment that has Restate's SDK and Hypercorn.
    #[arg(long)]
    restate_python: Option<PathBuf>,
    /// How many steps their long runs have.
    #[arg(long, default_value_t = 300)]
    peer_steps: usize,
    /// How many seconds each measurement of a peer may take.
    #[arg(long, default_value_t = 5)]
    peer_seconds: u64,
}

pub(super) async fn measure(report: &mut Report, place: &Place, all: &All) -> anyhow::Result<()> {
    if !all.wants(Part::Chain) && !all.wants(Part::Python) {
        return Ok(());
    }
    report.term(
        "selfmade isolates each function in a cell; every turn of a run is flushed to the disk before anything follows from it \
         (SQLite in WAL mode with synchronous=FULL; PostgreSQL with synchronous_commit=on)"
            .to_owned(),
    );
    let arguments = &all.peers;
    tell(langgraph(report, place, arguments), LANGGRAPH);
    tell(dbos(report, place, arguments), "DBOS");
    tell(restate::measure(report, place, arguments).await, "Restate");
    tell(prefect(report, place, arguments), PREFECT);
    Ok(())
}

/// What one peer cannot do must not take the others with it.
fn tell(measured: anyhow::Result<()>, peer: &str) {
    if let Err(error) = measured {
        println!("nothing is compared with {peer}: {error:#}");
    }
}

fn langgraph(report: &mut Report, place: &Place, arguments: &Arguments) -> anyhow::Result<()> {
    let result =
        run(place, LANGGRAPH, arguments.langgraph_python.as_ref(), "langgraph_graphs.py", &[], arguments)?;
    found(report, LANGGRAPH, &result);
    let mut as_shipped = numbers(&result["chain_as_shipped"]);
    as_shipped.sort_by(f64::total_cmp);
    report.term(format!(
        "{LANGGRAPH}: {}; each step is checkpointed before the next one (`durability=\"sync\"`). As shipped it is checkpointed \
         meanwhile: p50 {:.1} ms",
        result["settings"].as_str().unwrap_or("unknown settings"),
        as_shipped.get(as_shipped.len() / 2).copied().unwrap_or_default() * 1e3,
    ));
    Ok(())
}

fn dbos(report: &mut Report, place: &Place, arguments: &Arguments) -> anyhow::Result<()> {
    let python = arguments.dbos_python.as_ref();
    let on_sqlite =
        run(place, DBOS_SQLITE, python, "dbos_graphs.py", &["sqlite:///graphs.db".to_owned()], arguments)?;
    found(report, DBOS_SQLITE, &on_sqlite);
    if let Some(server) = &place.postgres {
        let (server, _) = server.rsplit_once('/').context("the URL of PostgreSQL names no database")?;
        let url = format!("{}/dbos_graphs", server.replace("postgres://", "postgresql://"));
        found(
            report,
            DBOS_POSTGRES,
            &run(place, DBOS_POSTGRES, python, "dbos_graphs.py", &[url], arguments)?,
        );
    }
    report.term("DBOS: a workflow of steps, one after the other; settings as shipped".to_owned());
    Ok(())
}

fn prefect(report: &mut Report, place: &Place, arguments: &Arguments) -> anyhow::Result<()> {
    let result = run(place, PREFECT, arguments.prefect_python.as_ref(), "prefect_graphs.py", &[], arguments)?;
    found(report, PREFECT, &result);
    report.term(format!("{PREFECT}: a flow of tasks, with the server that it starts itself, as shipped"));
    Ok(())
}

fn run(
    place: &Place,
    who: &str,
    python: Option<&PathBuf>,
    script: &str,
    first: &[String],
    arguments: &Arguments,
) -> anyhow::Result<Value> {
    let python = python.context("its Python was not given")?;
    load::tell(who)?;
    let folder = place.folder.join(script);
    std::fs::create_dir_all(&folder)?;
    let sizes = [arguments.peer_steps.to_string(), arguments.peer_seconds.to_string()];
    script::run(python, script, &[first, &sizes].concat(), &folder)
}

fn found(report: &mut Report, who: &'static str, result: &Value) {
    report.found(who, &numbers(&result["chain"]), result["rate"].as_f64());
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}
