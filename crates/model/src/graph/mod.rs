//! Graphs: Nodes joined by Links, pin to pin. Everything about them that can be decided without doing anything:
//! what they hold, what their blocks take and give, what is wrong with them, what a run does next, and how they are
//! edited.
//!
//! | to | use |
//! |---|---|
//! | load and save | [`GraphContent`], [`Node`], [`Link`]: fields that are not known are kept |
//! | read a pin such as `r_$_0_#_k` or `r[0].k` | [`pin_path::PinPath`] |
//! | know the pins of a Function, Graph or built-in block | [`block::BlockSignature`], [`builtin::Builtin`] |
//! | place a block of another product's graph file | [`aliases::alias`] |
//! | check before saving | [`check()`], with [`Blocks`] to look up what nodes name |
//! | run | [`scheduler::Plan`] and [`scheduler::State`]; [`builtin::execute`] for built-in blocks |
//! | read and write files, also those of AutoGPT | [`exchange::read`], [`exchange::write()`] |
//! | draw | [`draw::svg()`], [`draw::text()`] |
//! | know beforehand how long a run takes | [`estimate::estimate`] |
//! | see which nodes pin an older version, and move them | [`upgrade::upgrades`] |
//! | edit | [`patch::apply`], [`diff::diff`], [`subgraph::pack`] and [`subgraph::unpack`]; several editors at once: [`draft::Draft`] |
//!
//! # A run, from outside
//! ```
//! use std::sync::Arc;
//!
//! use selfmade_model::graph::block::BlockSignature;
//! use selfmade_model::graph::scheduler::{Action, Happened, Plan, State};
//! use selfmade_model::graph::{Blocks, GraphContent, Missing, check, values};
//! use selfmade_model::python::analyse;
//! use selfmade_model::version::VersionNumber;
//! use serde_json::{Value, json};
//!
//! struct Library;
//!
//! impl Blocks for Library {
//!     fn signature(&self, _: &str, _: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
//!         let add = analyse("def add(a: int, b: int) -> int: ...").map_err(|_| Missing::Name)?;
//!         Ok(Arc::new(BlockSignature::of_function(&add.signature)))
//!     }
//! }
//!
//! let content: GraphContent = serde_json::from_value(json!({
//!     "nodes": [
//!         {"id": "n", "block": "@input", "input": {"name": "n"}},
//!         {"id": "sum", "block": "add", "input": {"b": 1}},
//!         {"id": "out", "block": "@output", "input": {"name": "sum"}}
//!     ],
//!     "links": [
//!         {"from": "n", "from_pin": "output", "to": "sum", "to_pin": "a"},
//!         {"from": "sum", "from_pin": "output", "to": "out", "to_pin": "value"}
//!     ]
//! })).unwrap();
//! assert!(check(&content, None, &Library).is_empty());
//!
//! let plan = Plan::new(&content, &Library).unwrap();
//! let (mut state, mut actions) = State::start(&plan, values(json!({"n": 2})));
//! let mut journal = Vec::new();
//! let mut outputs = Vec::new();
//! while let Some(action) = actions.pop() {
//!     let (execution, input) = match action {
//!         Action::Execute { execution, input } => (execution, input),
//!         Action::Output { name, value } => { outputs.push((name, value)); continue }
//!         _ => continue,
//!     };
//!     // Only `add` is a Function here; the others pass their value on.
//!     let number = |pin: &str| input.get(pin).and_then(|value| value.as_i64()).unwrap_or(0);
//!     let value = Arc::new(Value::from(number("value") + number("a") + number("b")));
//!     for happened in [
//!         Happened::Emitted { execution, index: 0, pin: "output".to_owned(), value },
//!         Happened::Finished { execution },
//!     ] {
//!         journal.push(happened.clone());
//!         actions.extend(state.apply(&plan, happened).unwrap());
//!     }
//! }
//! assert_eq!(outputs, [("sum".to_owned(), Arc::new(json!(3)))]);
//!
//! // After a crash the journal makes the same state again.
//! let (mut again, _) = State::start(&plan, values(json!({"n": 2})));
//! for happened in journal {
//!     again.apply(&plan, happened).unwrap();
//! }
//! assert_eq!(again.outcome(), state.outcome());
//! assert!(again.under_way(&plan).is_empty());
//! ```

pub mod aliases;
pub mod block;
pub mod builtin;
pub mod check;
pub mod content;
pub mod diff;
pub mod draft;
pub mod draw;
pub mod estimate;
pub mod exchange;
pub mod fit;
pub mod node;
pub mod patch;
pub mod pin_path;
pub mod resolve;
pub mod run_options;
pub mod scheduler;
pub mod subgraph;
pub mod upgrade;

mod compiled;
mod components;
mod link;
mod slots;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

pub use self::check::check;
pub use self::content::GraphContent;
pub use self::link::Link;
pub use self::node::Node;
pub use self::resolve::{Blocks, Missing};

/// Values by pin. A value that goes to many places is shared, not copied.
pub type Values = BTreeMap<String, Arc<Value>>;

/// The entries of a JSON object.
pub fn values(object: Value) -> Values {
    match object {
        Value::Object(map) => map.into_iter().map(|(pin, value)| (pin, Arc::new(value))).collect(),
        _ => Values::new(),
    }
}
