//! What was measured: our own figures, and a table of the same work done by peers and how much longer it takes them.

use std::time::Duration;

use crate::measure::{Times, human};
use crate::table::Table;

/// On SQLite.
pub(super) const SELFMADE: &str = "selfmade";
pub(super) const SELFMADE_POSTGRES: &str = "selfmade, PostgreSQL";

/// What peers do as well.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Chain,
    DifferentChain,
    Python,
    Builtin,
}

impl Work {
    const ALL: [Work; 4] = [Work::Chain, Work::DifferentChain, Work::Python, Work::Builtin];

    fn title(self) -> &'static str {
        match self {
            Work::Chain => "a chain of 40 nodes that compute fib(10), p50 / p99",
            Work::DifferentChain => "the same; selfmade with 40 different functions",
            Work::Python => "node executions of one run that compute fib(10), a second",
            Work::Builtin => "the same; selfmade with a built-in block",
        }
    }

    /// A peer has one way to do what we do in two.
    fn of_peers(self) -> Work {
        match self {
            Work::Chain | Work::DifferentChain => Work::Chain,
            Work::Python | Work::Builtin => Work::Python,
        }
    }
}

enum Figure {
    Times(Times),
    Rate(f64),
}

impl Figure {
    /// Of one piece of work.
    fn seconds(&self) -> f64 {
        match self {
            Figure::Times(times) => times.percentile(50).as_secs_f64(),
            Figure::Rate(rate) => 1.0 / rate,
        }
    }

    fn shown(&self) -> String {
        match self {
            Figure::Times(times) => {
                format!("{} / {}", human(times.percentile(50)), human(times.percentile(99)))
            }
            Figure::Rate(rate) => format!("{rate:.0}/s"),
        }
    }
}

#[derive(Default)]
pub(super) struct Report {
    own: Vec<(String, String)>,
    beside: Vec<(Work, &'static str, Figure)>,
    /// What each keeps through which misfortune.
    terms: Vec<String>,
}

impl Report {
    /// What only we do.
    pub(super) fn own(&mut self, what: &str, value: String) {
        println!("{what}: {value}");
        self.own.push((what.to_owned(), value));
    }

    pub(super) fn times(&mut self, work: Work, who: &'static str, times: Times) {
        let best = human(times.percentile(0));
        self.add(work, who, Figure::Times(times), &format!(", best {best}"));
    }

    pub(super) fn rate(&mut self, work: Work, who: &'static str, rate: f64) {
        self.add(work, who, Figure::Rate(rate), "");
    }

    /// What a peer's script found, in seconds.
    pub(super) fn found(&mut self, who: &'static str, chain: &[f64], rate: Option<f64>) {
        if !chain.is_empty() {
            let times = chain.iter().map(|seconds| Duration::from_secs_f64(seconds.max(0.0)));
            self.times(Work::Chain, who, Times(times.collect()));
        }
        if let Some(rate) = rate.filter(|rate| *rate > 0.0) {
            self.rate(Work::Python, who, rate);
        }
    }

    pub(super) fn term(&mut self, term: String) {
        self.terms.push(term);
    }

    fn add(&mut self, work: Work, who: &'static str, figure: Figure, more: &str) {
        println!("{who}, {}: {}{more}", work.title(), figure.shown());
        self.beside.push((work, who, figure));
    }

    pub(super) fn print(&self) {
        println!();
        let mut table = Table::new(&["what", "value"]);
        for (what, value) in &self.own {
            table.row(vec![what.clone(), value.clone()]);
        }
        table.print();
        println!("\n× is how many times as long as selfmade on SQLite the others take");
        self.print_beside();
        for term in &self.terms {
            println!("* {term}");
        }
    }

    fn print_beside(&self) {
        let mut who: Vec<&str> = Vec::new();
        for (_, name, _) in &self.beside {
            if !who.contains(name) {
                who.push(name);
            }
        }
        let mut table = Table::new(&[&["work"], who.as_slice()].concat());
        for work in Work::ALL {
            let Some(ours) = self.figure(work, SELFMADE) else { continue };
            let cells = who.iter().map(|name| self.cell(work, name, ours));
            table.row([work.title().to_owned()].into_iter().chain(cells).collect());
        }
        table.print();
    }

    fn cell(&self, work: Work, who: &str, ours: &Figure) -> String {
        let work = if who.starts_with(SELFMADE) { work } else { work.of_peers() };
        match self.figure(work, who) {
            None => "–".to_owned(),
            Some(figure) if who == SELFMADE => figure.shown(),
            Some(figure) => format!("{} ({:.1}×)", figure.shown(), figure.seconds() / ours.seconds()),
        }
    }

    fn figure(&self, work: Work, who: &str) -> Option<&Figure> {
        let found = self.beside.iter().find(|(one, name, _)| *one == work && *name == who);
        found.map(|(_, _, figure)| figure)
    }
}
