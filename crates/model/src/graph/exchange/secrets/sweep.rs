//! Where secrets go: back along the links from the pins that take them.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::Found;
use super::carrier::{Carrier, Kind};
use super::fields::{is_credentials, is_secret, last, walk};
use crate::graph::Link;

/// What a link joins.
pub(super) struct Ends {
    from: String,
    from_pin: String,
    to: String,
    to_pin: String,
}

impl Ends {
    pub(super) fn theirs(link: &Value) -> Ends {
        let text = |key: &str| link.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (from, from_pin) = (text("source_id"), text("source_name"));
        Ends { from, from_pin, to: text("sink_id"), to_pin: text("sink_name") }
    }

    pub(super) fn ours(link: &Link) -> Ends {
        let [from, from_pin, to, to_pin] = link.ends().map(str::to_owned);
        Ends { from, from_pin, to, to_pin }
    }
}

/// Pins of graphs through which secrets pass, by name. Which graph a node calls is not asked: names are enough to be careful.
#[derive(Debug, Default)]
pub(in crate::graph::exchange) struct Passages {
    inputs: BTreeSet<String>,
    outputs: BTreeSet<String>,
}

impl Passages {
    pub(in crate::graph::exchange) fn count(&self) -> usize {
        self.inputs.len() + self.outputs.len()
    }
}

/// One graph on the search for secrets.
struct Sweep<'a, 'b> {
    carriers: Vec<Carrier<'a>>,
    links: &'b [Ends],
    places: HashMap<String, Vec<usize>>,
    passages: &'b mut Passages,
    /// The names of its own secret inputs.
    inputs: BTreeSet<String>,
    found: Vec<Found>,
}

pub(super) fn sweep(carriers: Vec<Carrier<'_>>, links: &[Ends], passages: &mut Passages) -> Vec<Found> {
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, carrier) in carriers.iter().enumerate() {
        places.entry(carrier.id.clone()).or_default().push(at);
    }
    let mut sweep = Sweep { carriers, links, places, passages, inputs: BTreeSet::new(), found: Vec::new() };
    sweep.fields();
    sweep.follow();
    sweep.borders();
    sweep.found
}

impl Sweep<'_, '_> {
    fn record(&mut self, at: usize, pins: Vec<String>) {
        let node = &self.carriers[at].id;
        self.found.extend(pins.into_iter().map(|pin| Found { node: node.clone(), pin }));
    }

    /// What is secret by its name or shape.
    fn fields(&mut self) {
        for at in 0..self.carriers.len() {
            let carrier = &mut self.carriers[at];
            let pins = walk(carrier.input, carrier.hidden);
            let declared = carrier.input.get("secret") == Some(&Value::Bool(true));
            if carrier.kind == Kind::Input && (declared || is_secret(carrier.name())) {
                self.inputs.insert(carrier.name().to_owned());
            }
            self.record(at, pins);
        }
    }

    /// Back along links from what takes secrets to what gives them.
    fn follow(&mut self) {
        let mut into: HashMap<&str, Vec<&Ends>> = HashMap::new();
        let mut open: Vec<&Ends> = Vec::new();
        for link in self.links {
            into.entry(&link.to).or_default().push(link);
            open.extend(self.is_secret(link).then_some(link));
        }
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        while let Some(link) = open.pop() {
            if !seen.insert((&link.from, &link.from_pin)) {
                continue;
            }
            for at in self.places.get(&link.from).cloned().unwrap_or_default() {
                let pins = self.carriers[at].blank_passing();
                self.record(at, pins);
                match self.carriers[at].kind {
                    Kind::Graph => drop(self.passages.outputs.insert(link.from_pin.clone())),
                    Kind::Input => drop(self.inputs.insert(self.carriers[at].name().to_owned())),
                    _ => {}
                }
                if matches!(self.carriers[at].kind, Kind::Input | Kind::Passing(_)) {
                    open.extend(into.get(link.from.as_str()).into_iter().flatten());
                }
            }
        }
    }

    fn is_secret(&self, link: &Ends) -> bool {
        let leads_out = |at: &usize| match self.carriers[*at].kind {
            Kind::Graph => self.passages.inputs.contains(&link.to_pin),
            Kind::Output => self.passages.outputs.contains(self.carriers[*at].name()),
            _ => false,
        };
        let is_named = is_credentials(last(&link.to_pin)) || is_secret(last(&link.to_pin));
        is_named || self.places.get(&link.to).is_some_and(|places| places.iter().any(leads_out))
    }

    /// What enters and leaves by the pins of the graph, and what is handed to those it calls.
    fn borders(&mut self) {
        self.passages.inputs.extend(self.inputs.iter().cloned());
        for at in 0..self.carriers.len() {
            let carrier = &mut self.carriers[at];
            let pins = match carrier.kind {
                Kind::Input if self.inputs.contains(carrier.name()) => carrier.blank_passing(),
                Kind::Output if self.passages.outputs.contains(carrier.name()) => carrier.blank_passing(),
                Kind::Graph => {
                    self.passages.inputs.iter().flat_map(|name| carrier.blank_given(name)).collect()
                }
                _ => continue,
            };
            self.record(at, pins);
        }
    }
}
