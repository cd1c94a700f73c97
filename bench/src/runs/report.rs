//! What was measured: a table of our own times, and one with the same work done by peers and how much longer it takes them.

use std::time::Duration;

use crate::measure::{Times, human};
use crate::table::Table;

/// On SQLite, flushed.
pub(super) const SELFMADE: &str = "selfmade";
/// Flushed, too.
pub(super) const SELFMADE_POSTGRES: &str = "selfmade, PostgreSQL";

/// What peers do as well.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Add,
    ReadyAdd,
    WarmAdd,
    AtOnce,
    WarmAtOnce,
    InnerCall,
    ChainOf10,
    TriggerChain,
    WarmTriggerChain,
}

impl Work {
    const ALL: [Work; 9] = [
        Work::Add,
        Work::ReadyAdd,
        Work::WarmAdd,
        Work::AtOnce,
        Work::WarmAtOnce,
        Work::InnerCall,
        Work::ChainOf10,
        Work::TriggerChain,
        Work::WarmTriggerChain,
    ];

    fn title(self) -> &'static str {
        match self {
            Work::Add => "`add(a, b)`, one call after the other, p50 / p99; selfmade in fresh cells",
            Work::ReadyAdd => "the same; selfmade in fresh cells, each call once all are ready",
            Work::WarmAdd => "the same; selfmade in a warm cell",
            Work::AtOnce => "many callers, calls a second; selfmade in fresh cells",
            Work::WarmAtOnce => "the same; selfmade in warm cells",
            Work::InnerCall => "an inner call",
            Work::ChainOf10 => "a chain of 10 calls, p50 / p99",
            Work::TriggerChain => "a trigger chain of 10, p50 / p99; selfmade in fresh cells",
            Work::WarmTriggerChain => "the same; selfmade in warm cells",
        }
    }

    /// A peer has one way to do what we do in two.
    fn of_peers(self) -> Work {
        match self {
            Work::ReadyAdd | Work::WarmAdd => Work::Add,
            Work::WarmAtOnce => Work::AtOnce,
            Work::WarmTriggerChain => Work::TriggerChain,
            other => other,
        }
    }
}

#[derive(Clone)]
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
            Figure::Times(times) if times.0.len() == 1 => micros(times.0[0]),
            Figure::Times(times) => {
                format!("{} / {}", human(times.percentile(50)), human(times.percentile(99)))
            }
            Figure::Rate(rate) => format!("{rate:.0}/s"),
        }
    }
}

#[derive(Default)]
pub(super) struct Report {
    timed: Vec<(String, Times)>,
    other: Vec<(String, String)>,
    beside: Vec<(Work, &'static str, Figure)>,
    /// What each keeps through which misfortune, and whatever else makes a comparison fair or not.
    terms: Vec<String>,
}

impl Report {
    pub(super) fn timed(&mut self, what: &str, times: Times) {
        println!("{what}: {}", short(&times));
        self.timed.push((what.to_owned(), times));
    }

    /// What is no time of one thing.
    pub(super) fn other(&mut self, what: &str, value: String) {
        println!("{what}: {value}");
        self.other.push((what.to_owned(), value));
    }

    /// The difference of two medians.
    pub(super) fn added(&mut self, what: &str, with: &Times, without: &Times) {
        let added = with.percentile(50).saturating_sub(without.percentile(50));
        self.other(what, human(added));
    }

    pub(super) fn against(&mut self, what: &str, times: &Times, unit: &Times, named: &str) {
        let ratio = times.percentile(50).as_secs_f64() / unit.percentile(50).as_secs_f64();
        self.other(what, format!("{}; {ratio:.2}× {named}", short(times)));
    }

    pub(super) fn beside(&mut self, work: Work, who: &'static str, times: Times) {
        println!("{who}, {}: {}", work.title(), short(&times));
        self.beside.push((work, who, Figure::Times(times)));
    }

    pub(super) fn rate(&mut self, work: Work, who: &'static str, rate: f64) {
        println!("{who}, {}: {rate:.0}/s", work.title());
        self.beside.push((work, who, Figure::Rate(rate)));
    }

    pub(super) fn term(&mut self, term: String) {
        self.terms.push(term);
    }

    pub(super) fn print(&self) {
        println!();
        self.print_own();
        if !self.beside.is_empty() {
            println!("\nbeside peers; × is how many times as long as selfmade on SQLite they take");
            self.print_beside();
        }
        for term in &self.terms {
            println!("* {term}");
        }
    }

    fn print_own(&self) {
        let mut table = Table::new(&["what", "p50", "p99", "best", "of"]);
        for (what, times) in &self.timed {
            let [half, most, best] = [50, 99, 0].map(|percent| human(times.percentile(percent)));
            table.row(vec![what.clone(), half, most, best, times.0.len().to_string()]);
        }
        table.print();
        println!();
        let mut table = Table::new(&["what", "value"]);
        for (what, value) in &self.other {
            table.row(vec![what.clone(), value.clone()]);
        }
        table.print();
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
        let is_ours = who.starts_with(SELFMADE);
        let work = if is_ours { work } else { work.of_peers() };
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

fn short(times: &Times) -> String {
    if let [one] = times.0.as_slice() {
        return micros(*one);
    }
    let [half, most, best] = [50, 99, 0].map(|percent| human(times.percentile(percent)));
    format!("p50 {half}, p99 {most}, best {best}, of {}", times.0.len())
}

fn micros(time: Duration) -> String {
    if time < Duration::from_millis(1) { format!("{:.2} µs", time.as_secs_f64() * 1e6) } else { human(time) }
}
