//! How long a run will take and what it will cost, from what was recorded of its blocks.
//!
//! Only what is certain before a run is said: each node that can run runs once. Nodes that may run more often, because they are
//! part of a cycle or a list is taken apart before them, are named; with them the estimate is the least, not the most.

mod flow;

use serde::{Deserialize, Serialize};

use self::flow::Flow;
use super::builtin::Builtin;
use super::{GraphContent, Node};
use crate::version::VersionNumber;

/// What was recorded of a Function or Graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BlockStatistics {
    /// How many runs the rest is of.
    pub runs: u64,
    pub median_ms: f64,
    /// Nine of ten took no longer.
    pub p90_ms: f64,
    /// Of one run, on average, in US dollars.
    #[serde(default)]
    pub cost: f64,
}

impl BlockStatistics {
    /// Of runs that took so many microseconds; nothing if there are none.
    pub fn of(mut durations_us: Vec<u64>) -> Option<BlockStatistics> {
        durations_us.sort_unstable();
        let count = durations_us.len();
        // The smallest value that so many percent are not above.
        let at = |percent: usize| {
            durations_us.get((count * percent).div_ceil(100).max(1) - 1).map(|us| *us as f64 / 1e3)
        };
        Some(BlockStatistics { runs: count as u64, median_ms: at(50)?, p90_ms: at(90)?, cost: 0.0 })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Estimate {
    /// The longest way through the graph, if each node takes as long as usual. Waits with a stated time are part of it.
    pub expected_ms: f64,
    /// The same if each takes as long as one in ten does.
    pub high_ms: f64,
    /// Of all nodes, once each, in US dollars.
    pub cost: f64,
    /// The nodes of the longest way, from its start to its end.
    pub critical_path: Vec<String>,
    /// Nodes whose block has no recorded runs. They count as nothing.
    pub unknown: Vec<String>,
    /// Nodes that wait for a person, or for a time that is not stated. They count as nothing.
    pub waiting: Vec<String>,
    /// Nodes that may run more than once. They count once.
    pub repeated: Vec<String>,
    /// Nodes that cannot run, because nothing gives them a value.
    pub idle: Vec<String>,
}

impl Estimate {
    /// Whether the time and the cost are all there is to expect.
    pub fn is_complete(&self) -> bool {
        self.unknown.is_empty() && self.waiting.is_empty() && self.repeated.is_empty()
    }
}

/// Statistics of a Function or Graph, and of a Version of it if the node pins one.
pub type Recorded<'a> = &'a dyn Fn(&str, Option<VersionNumber>) -> Option<BlockStatistics>;

pub fn estimate(content: &GraphContent, recorded: Recorded<'_>) -> Estimate {
    let flow = Flow::of(content);
    let runs = flow.running(content);
    let mut estimate = Estimate::default();
    let mut times = vec![Time::default(); content.nodes.len()];
    for (at, node) in content.nodes.iter().enumerate() {
        if !runs[at] {
            let is_inert = node.builtin().is_some_and(Builtin::is_inert);
            estimate.idle.extend((!is_inert).then(|| node.id.clone()));
            continue;
        }
        times[at] = time(node, recorded, &mut estimate);
    }
    let repeated = flow.repeated(content, &runs);
    estimate.repeated = repeated.into_iter().map(|at| content.nodes[at].id.clone()).collect();
    let expected: Vec<f64> = times.iter().map(|time| time.expected).collect();
    let high: Vec<f64> = times.iter().map(|time| time.high).collect();
    let (expected, path) = flow.longest(&runs, &expected);
    (estimate.expected_ms, estimate.high_ms) = (expected, flow.longest(&runs, &high).0);
    estimate.critical_path = path.into_iter().map(|at| content.nodes[at].id.clone()).collect();
    estimate
}

#[derive(Clone, Copy, Debug, Default)]
struct Time {
    expected: f64,
    high: f64,
}

fn time(node: &Node, recorded: Recorded<'_>, estimate: &mut Estimate) -> Time {
    if let Some((name, version)) = node.calls() {
        let Some(known) = recorded(name, version).filter(|known| known.runs > 0) else {
            estimate.unknown.push(node.id.clone());
            return Time::default();
        };
        let positive = |number: f64| if number.is_finite() { number.max(0.0) } else { 0.0 };
        estimate.cost += positive(known.cost);
        let expected = positive(known.median_ms);
        return Time { expected, high: positive(known.p90_ms).max(expected) };
    }
    match node.builtin() {
        Some(Builtin::Wait) => match node.input.get("seconds").and_then(serde_json::Value::as_f64) {
            Some(seconds) if seconds >= 0.0 => Time { expected: seconds * 1000.0, high: seconds * 1000.0 },
            _ => {
                estimate.waiting.push(node.id.clone());
                Time::default()
            }
        },
        Some(Builtin::Ask) => {
            estimate.waiting.push(node.id.clone());
            Time::default()
        }
        // What a value names is not known yet, and neither is a block that there is not.
        Some(Builtin::Call) | None => {
            estimate.unknown.push(node.id.clone());
            Time::default()
        }
        // The others take microseconds.
        Some(_) => Time::default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::graph::Link;

    fn recorded(name: &str, _: Option<VersionNumber>) -> Option<BlockStatistics> {
        let of = |runs, median_ms, p90_ms, cost| Some(BlockStatistics { runs, median_ms, p90_ms, cost });
        match name {
            "fast" => of(10, 10.0, 20.0, 0.0),
            "slow" => of(10, 1000.0, 5000.0, 0.25),
            "odd" => of(3, 100.0, 1.0, f64::NAN),
            "new" => of(0, 9e9, 9e9, 9.0),
            _ => None,
        }
    }

    fn graph(nodes: &[(&str, &str)], links: &[(&str, &str)]) -> GraphContent {
        let link =
            |(at, (from, to)): (usize, &(&str, &str))| Link::new(from, "output", to, &format!("p{at}"));
        GraphContent {
            nodes: nodes.iter().map(|(id, block)| Node::new(id, block)).collect(),
            links: links.iter().enumerate().map(link).collect(),
            ..GraphContent::default()
        }
    }

    #[test]
    fn statistics_are_of_the_middle_and_of_nine_in_ten() {
        let of = |durations: &[u64]| BlockStatistics::of(durations.to_vec());
        assert_eq!(of(&[]), None);
        let one = BlockStatistics { runs: 1, median_ms: 1.5, p90_ms: 1.5, cost: 0.0 };
        assert_eq!(of(&[1_500]), Some(one));
        let ten: Vec<u64> = (1..=10).rev().map(|at| at * 1_000).collect();
        assert_eq!(of(&ten), Some(BlockStatistics { runs: 10, median_ms: 5.0, p90_ms: 9.0, cost: 0.0 }));
    }

    #[test]
    fn branches_run_side_by_side_and_everything_costs() {
        let content = graph(
            &[
                ("in", "@input"),
                ("a", "slow"),
                ("b", "fast"),
                ("c", "slow"),
                ("d", "odd"),
                ("out", "@output"),
            ],
            &[("in", "a"), ("in", "b"), ("a", "d"), ("b", "c"), ("c", "d"), ("d", "out")],
        );
        let estimate = estimate(&content, &recorded);
        assert_eq!((estimate.expected_ms, estimate.high_ms, estimate.cost), (1110.0, 5120.0, 0.5));
        assert_eq!(estimate.critical_path, ["in", "b", "c", "d", "out"]);
        assert!(estimate.is_complete());
    }

    #[test]
    fn what_is_not_known_is_named() {
        let mut content = graph(
            &[
                ("a", "never_run"),
                ("b", "new"),
                ("ask", "@ask"),
                ("wait", "@wait"),
                ("call", "@call"),
                ("gone", "@placeholder"),
                ("after", "slow"),
            ],
            &[("a", "b"), ("gone", "after")],
        );
        content.nodes[3].input.insert("seconds".to_owned(), json!(2));
        let estimate = estimate(&content, &recorded);
        assert_eq!(estimate.unknown, ["a", "b", "call"]);
        assert_eq!((estimate.waiting, estimate.idle), (vec!["ask".to_owned()], vec!["after".to_owned()]));
        assert_eq!((estimate.expected_ms, estimate.cost), (2000.0, 0.0));
        assert_eq!(estimate.critical_path, ["wait"]);
    }

    #[test]
    fn what_may_run_more_than_once_is_named_and_counts_once() {
        let content = graph(
            &[
                ("start", "fast"),
                ("loop", "fast"),
                ("back", "fast"),
                ("list", "@iterate"),
                ("each", "slow"),
                ("all", "@collect"),
                ("end", "fast"),
            ],
            &[
                ("start", "list"),
                ("list", "each"),
                ("each", "all"),
                ("all", "end"),
                ("start", "loop"),
                ("loop", "back"),
            ],
        );
        let mut cyclic = content.clone();
        cyclic.links.push(Link::new("back", "output", "loop", "p4"));
        let estimate = estimate(&cyclic, &recorded);
        assert_eq!(estimate.repeated, ["loop", "back", "each"]);
        assert_eq!(estimate.expected_ms, 10.0 + 1000.0 + 10.0);
        assert!(!estimate.is_complete());
        assert_eq!(super::estimate(&GraphContent::default(), &recorded), Estimate::default());
    }
}
