//! The record of a Run as a person reads it: its head, what went in and came out, and what it did on the way.

use model::budget::{Amounts, Dimension, TokenUsage};
use model::run::egress::EgressRequest;
use model::run::output::OutputChunk;
use model::run::question::options;
use model::run::{Run, Usage, Waiting};
use server::app::budgets::{RunSpending, Spent};
use server::app::runs::ids::short;
use server::app::runs::nodes::NodeExecution;
use server::app::runs::records::{Loaded, RunRecord};

use super::node_executions;
use super::run;
use super::run_lines;
use super::trace;
use crate::cli::Traceback;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, TITLE, counted, paint, printable};
use crate::terminal::time;

/// So many lines of a part are shown unless all are asked for.
pub(crate) const FEW: usize = 50;

/// Of a Run of a Graph, its first node executions.
pub(crate) struct Nodes {
    pub(crate) executions: Vec<NodeExecution>,
    pub(crate) has_more: bool,
}

pub(crate) fn render(
    record: &RunRecord,
    nodes: Option<&Nodes>,
    screen: &Screen,
    all: bool,
    how: Traceback,
) -> String {
    let most = if all { usize::MAX } else { FEW };
    let mut out = head(record, screen);
    let mut part = |title: &str, lines: Vec<String>, most: usize| out.push_str(&section(title, &lines, most));
    let run = &record.run;
    part("Script", record.script.as_deref().map(numbered).unwrap_or_default(), most);
    let not_recorded = || vec!["not recorded".to_owned()];
    part("Input", if run.is_forgotten() { not_recorded() } else { run::value(&run.input) }, most);
    part("Output", run.output.as_ref().map(run::value).unwrap_or_default(), most);
    part(
        "Error",
        run.error.as_ref().map(|error| lines(&run::error_text(error, how))).unwrap_or_default(),
        most,
    );
    part("Budget", record.spending.as_ref().map(budget).unwrap_or_default(), most);
    part("Printed", printed(&record.printed), most);
    part("Loaded", record.loaded.iter().map(loaded).collect(), most);
    part("Calls", trace::calls(&record.calls), most);
    match nodes {
        // They are bounded already.
        Some(nodes) => part("Nodes", executed(nodes, record, &screen.indented(2)), usize::MAX),
        None => part("Steps", trace::steps(record), most),
    }
    part("Requests", requests(record), most);
    part("Led to", trace::below(record), most);
    out
}

/// As errors count its lines.
fn numbered(script: &str) -> Vec<String> {
    let lines = script.trim_end().lines().zip(1..);
    lines
        .map(|(line, number)| format!("{} {}", paint(DIM, format!("{number:>3}")), printable(line)))
        .collect()
}

/// What a run may spend, and what it has spent.
pub(crate) fn budget(spending: &RunSpending) -> Vec<String> {
    let RunSpending { limits, deadline, own, total, reserved } = spending;
    let mut lines = Vec::new();
    if !limits.is_empty() {
        let until = deadline.map(|at| format!(", until {}", time::exact(at))).unwrap_or_default();
        lines.push(format!("limit     {}{until}", limits.shown()));
    }
    lines.push(format!("spent     {}", spent(total)));
    if own != total {
        lines.push(format!("itself    {}", spent(own)));
    }
    if *reserved != Amounts::default() {
        lines.push(format!("reserved  {}", amounts(reserved)));
    }
    lines
}

fn spent(spent: &Spent) -> String {
    let TokenUsage { input, cached, output } = spent.usage;
    let measured = if input + output == 0 {
        String::new()
    } else {
        format!(" ({input} read, of which {cached} cached, and {output} written)")
    };
    format!("{}{measured}", amounts(&spent.amounts))
}

fn amounts(amounts: &Amounts) -> String {
    let parts = Dimension::SPENT.into_iter().filter(|dimension| amounts.of(*dimension) > 0);
    let parts: Vec<String> = parts.map(|dimension| dimension.shown(amounts.of(dimension))).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

fn executed(nodes: &Nodes, record: &RunRecord, screen: &Screen) -> Vec<String> {
    let table = node_executions::table(&nodes.executions, screen);
    let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
    if nodes.has_more {
        let more = format!("… and more; `selfmade runs nodes {}` shows them", short(record.run.run_id));
        lines.push(paint(DIM, more));
    }
    lines
}

fn requests(record: &RunRecord) -> Vec<String> {
    let mut lines: Vec<String> = record.requests.iter().map(request).collect();
    if record.requests_left_out > 0 {
        lines.push(format!("and {} more, which were not recorded", record.requests_left_out));
    }
    lines
}

fn request(request: &EgressRequest) -> String {
    let EgressRequest { method, scheme, host, port, path, .. } = request;
    let came = match (&request.refused, &request.failure, request.status) {
        (Some(why), _, _) => format!("refused: {why}"),
        (None, Some(why), _) => format!("failed: {why}"),
        (None, None, Some(status)) => format!("{status}, {}", run::size(request.bytes_down)),
        (None, None, None) => run::size(request.bytes_down),
    };
    let took = time::took(request.duration_us);
    printable(&format!("{method} {scheme}://{host}:{port}{path}  {took}  → {came}"))
}

fn head(record: &RunRecord, screen: &Screen) -> String {
    let run = &record.run;
    let version = record.version.map(|version| format!("@{version}")).unwrap_or_default();
    let ending =
        run.ending.map(|ending| format!(" ({})", ending.as_str().replace('_', " "))).unwrap_or_default();
    let mut out = format!(
        "{}  {}{ending}\n{}{}\n\n",
        paint(TITLE, format!("run {}", run.run_id)),
        paint(run_lines::style(run.state), run.state.as_str()),
        paint(TITLE, run.key.name.as_str()),
        paint(DIM, version),
    );
    for (name, value) in fields(record, screen) {
        out.push_str(&format!("  {}  {}\n", paint(DIM, format!("{name:<9}")), printable(&value)));
    }
    out
}

/// What is known, and says something.
fn fields(record: &RunRecord, screen: &Screen) -> Vec<(&'static str, String)> {
    let run = &record.run;
    let mut fields = vec![("started", format!("{} by {}", screen.time(run.created_at), record.who))];
    // Whoever may do everything needs no saying.
    if run.actor != run.authority.holder || run.authority.only.patterns().is_some() {
        fields.push(("under", record.under.clone()));
    }
    fields.extend(record.run.parent.map(|parent| ("parent", format!("run {}", short(parent)))));
    fields.extend(run.event_seq.map(|seq| ("event", seq.to_string())));
    fields.extend(took(run).map(|text| ("took", text)));
    fields.extend(run.usage.as_ref().map(|usage| ("used", used(usage))));
    if run.attempt > 1 || run.how.retry.attempts > 1 {
        fields.push(("try", format!("{} of {}", run.attempt, run.how.retry.attempts.max(run.attempt))));
    }
    fields.extend(run.how.due_at.filter(|_| run.started_at.is_none()).map(|due| ("due", time::exact(due))));
    fields.extend(run.how.idempotency_key.clone().map(|key| ("key", key)));
    fields.push(("revision", run.revision.to_string()));
    fields.extend(run.waiting.as_ref().map(|waiting| ("waits for", waits(waiting))));
    if let (Some(who), Some((_, at))) = (&record.cancelled_by, &run.cancelled) {
        fields.push(("cancelled", format!("{} by {who}", screen.time(*at))));
    }
    fields
}

fn took(run: &Run) -> Option<String> {
    let between =
        |from: jiff::Timestamp, to: jiff::Timestamp| u64::try_from(to.duration_since(from).as_micros()).ok();
    let started = run.started_at?;
    let ran = time::took(between(started, run.finished_at?)?);
    let queued = between(run.created_at, started).filter(|queued| *queued > 0);
    Some(match queued {
        Some(queued) => format!("{ran}, after {} in the queue", time::took(queued)),
        None => ran,
    })
}

fn used(usage: &Usage) -> String {
    let mut parts = vec![
        format!("{} in the cell", time::took(usage.wall_us)),
        format!("{} of processor time", time::took(usage.cpu_us)),
        format!("{} of memory", run::size(usage.peak_memory_bytes)),
    ];
    if usage.cold {
        parts.push("a cold start".to_owned());
    }
    if usage.output_dropped_bytes > 0 {
        parts.push(format!("{} of output not kept", run::size(usage.output_dropped_bytes)));
    }
    if usage.calls_dropped > 0 {
        let calls = usize::try_from(usage.calls_dropped).unwrap_or(usize::MAX);
        parts.push(format!("{} not kept", counted(calls, "call")));
    }
    parts.join(", ")
}

fn waits(waiting: &Waiting) -> String {
    match waiting {
        Waiting::Time { until, .. } => time::exact(*until),
        Waiting::Breakpoints { nodes, values, .. } => {
            let nodes = nodes.iter().map(|node| format!("`{node}`")).collect::<Vec<_>>().join(", ");
            let at = if nodes.is_empty() { format!("{values} values on links") } else { nodes };
            format!("a breakpoint: {at}; `POST /api/v1/runs/RUN/release` lets it go on")
        }
        Waiting::Decision { changeset } => format!("somebody to apply or reject changeset {changeset}"),
        Waiting::Runs { .. } => "runs of its nodes, which wait themselves".to_owned(),
        Waiting::Person { question, .. } => {
            let options: Vec<String> = options(question).iter().map(run::plain).collect();
            let choice =
                if options.is_empty() { String::new() } else { format!(" ({})", options.join(", ")) };
            format!("a person: {}{choice}", question["question"].as_str().unwrap_or_default())
        }
    }
}

fn loaded(one: &Loaded) -> String {
    let pinned = if one.live { String::new() } else { paint(DIM, "  pinned") };
    format!("{}@{}{pinned}", printable(one.name.as_str()), one.version)
}

fn printed(chunks: &[OutputChunk]) -> Vec<String> {
    let text: String = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
    lines(&text)
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(printable).collect()
}

fn section(title: &str, lines: &[String], most: usize) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n", paint(TITLE, title));
    for line in lines.iter().take(most) {
        out.push_str(&format!("  {line}\n"));
    }
    if lines.len() > most {
        let more = format!("… and {} more; `--verbose` shows all", counted(lines.len() - most, "line"));
        out.push_str(&format!("  {}\n", paint(DIM, more)));
    }
    out
}
