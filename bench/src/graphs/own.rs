//! What is measured of selfmade, on one database; everything it records is flushed before anything follows from it.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use model::access::Access;
use model::name::EntryName;
use model::run::Run;
use serde_json::{Value, json};
use server::app::graphs;
use server::app::runs::nodes::{self, NodeFilter};
use store::Durability;

use super::report::{Report, Work};
use super::shapes::{self, CHAIN, WIDE};
use super::{Arguments, Part};
use crate::load;
use crate::measure::{Times, human};
use crate::runs::world::{Place, World};

/// How often a measurement of a whole run is repeated; the best counts, because the machine may be shared.
const REPEATED: usize = 3;
const PAGE: u32 = 100;
const PAGES: usize = 40;

pub(super) async fn measure(
    report: &mut Report,
    place: &Place,
    arguments: &Arguments,
    who: &'static str,
    database: Option<String>,
) -> anyhow::Result<()> {
    load::tell(who)?;
    let world = place.open(&who.replace([' ', ','], "-"), database, Durability::Power).await?;
    world.propose(shapes::all(arguments.checked)?).await?;
    let own = Own { world: &world, who };
    if arguments.wants(Part::Chain) {
        own.chains(report, arguments.chains).await?;
    }
    if arguments.wants(Part::Builtin) {
        let rate = own.rate("builtin", arguments.builtin).await?;
        report.rate(Work::Builtin, who, rate);
    }
    if arguments.wants(Part::Python) {
        let rate = own.rate("python", arguments.python_nodes).await?;
        report.rate(Work::Python, who, rate);
    }
    if arguments.wants(Part::Values) {
        own.values(report, arguments.values).await?;
    }
    if arguments.wants(Part::Page) {
        own.pages(report, arguments.paged).await?;
    }
    if arguments.wants(Part::Check) {
        own.checks(report, arguments.checked).await?;
    }
    world.ctx.close().await;
    Ok(())
}

struct Own<'a> {
    world: &'a World,
    who: &'static str,
}

impl Own<'_> {
    async fn chains(&self, report: &mut Report, chains: usize) -> anyhow::Result<()> {
        let times = self.world.back_to_back("chain", &json!({}), chains).await?;
        report.times(Work::Chain, self.who, times);
        let times = self.world.back_to_back("chain_of_different", &json!({}), chains.div_ceil(3)).await?;
        report.times(Work::DifferentChain, self.who, times);
        Ok(())
    }

    /// Executions a second of a graph that has about so many.
    async fn rate(&self, graph: &str, executions: usize) -> anyhow::Result<f64> {
        let items = executions / WIDE;
        let mut best = Duration::MAX;
        for _ in 0..REPEATED {
            best = best.min(self.world.time(graph, of_items(items)).await?);
        }
        Ok((items * WIDE) as f64 / best.as_secs_f64())
    }

    async fn values(&self, report: &mut Report, most: usize) -> anyhow::Result<()> {
        for values in [most / 10, most] {
            let (mut best, mut grown) = (Duration::MAX, 0);
            for _ in 0..REPEATED {
                let before = forget_peak()?;
                best = best.min(self.world.time("values", json!({ "most": values })).await?);
                grown = peak_kilobytes()?.saturating_sub(before);
            }
            report.own(
                &format!("{}: {values} values through one link", self.who),
                format!(
                    "{}; the server's memory grew by at most {:.1} MB",
                    human(best),
                    grown as f64 / 1024.0
                ),
            );
        }
        Ok(())
    }

    async fn pages(&self, report: &mut Report, paged: usize) -> anyhow::Result<()> {
        let begun = Instant::now();
        let run = self.world.run("builtin", of_items(paged / WIDE)).await?;
        report.own(&format!("{}: a run of {paged} node executions", self.who), human(begun.elapsed()));
        // One of the nodes is executed once, at the beginning.
        for (what, node, last) in [
            ("of all", None, paged),
            ("of one node", Some("node1"), paged / 2),
            ("of a node that ran once", Some("each"), 0),
        ] {
            let times = self.page_times(&run, node, last).await?;
            let (half, most) = (human(times.percentile(50)), human(times.percentile(99)));
            report.own(
                &format!("{}: a page of {PAGE} executions {what}", self.who),
                format!("p50 {half}, p99 {most}"),
            );
        }
        Ok(())
    }

    async fn page_times(&self, run: &Run, node: Option<&str>, last: usize) -> anyhow::Result<Times> {
        let mut times = Times::default();
        for n in 0..PAGES {
            let after = (n * 7_919).checked_rem(last.saturating_sub(PAGE as usize)).unwrap_or_default();
            let filter = NodeFilter {
                node: node.map(str::to_owned),
                after: after as u32,
                limit: PAGE,
                outputs: Some(PAGE),
            };
            let begun = Instant::now();
            let (page, _) =
                nodes::list(&self.world.ctx, &Access::of_command_line(), run.run_id, &filter).await?;
            times.0.push(begun.elapsed());
            ensure!(!page.is_empty(), "there is nothing after {after}");
        }
        Ok(times)
    }

    async fn checks(&self, report: &mut Report, checked: usize) -> anyhow::Result<()> {
        let names: Vec<String> = (0..CHAIN).map(|n| format!("fib_{n}")).collect();
        let (graph, name) = (shapes::chain(&names, checked), EntryName::new("checked")?);
        let mut times = Times::default();
        for _ in 0..25 {
            let begun = Instant::now();
            let problems =
                graphs::check(&self.world.ctx, &Access::of_command_line(), Some(&name), &graph).await?;
            times.0.push(begun.elapsed());
            ensure!(problems.is_empty(), "{problems:?}");
        }
        let (half, most) = (human(times.percentile(50)), human(times.percentile(99)));
        report.own(
            &format!("{}: checking a graph of {checked} nodes", self.who),
            format!("p50 {half}, p99 {most}"),
        );
        Ok(())
    }
}

fn of_items(items: usize) -> Value {
    json!({ "items": (0..items).collect::<Vec<_>>() })
}

/// Lets the kernel count the peak again, and says where it begins.
fn forget_peak() -> anyhow::Result<u64> {
    fs::write("/proc/self/clear_refs", "5")?;
    peak_kilobytes()
}

fn peak_kilobytes() -> anyhow::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.context("the kernel does not say how much memory this process took")
}
