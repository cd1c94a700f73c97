//! The blocks that stand for those of other graph files exist, and have the pins that the table says.

use std::collections::BTreeMap;
use std::path::Path;

use selfmade_model::graph::aliases::{self, BlockAlias, Uses};
use selfmade_model::graph::block::BlockSignature;
use selfmade_model::graph::builtin::Builtin;
use selfmade_model::graph::pin_path::PinPath;
use selfmade_model::python::read_pack;
use serde_json::{Map, Value};

fn pack() -> BTreeMap<String, BlockSignature> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/blocks");
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let source = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for function in read_pack(&source).unwrap().functions {
            found.insert(function.name, BlockSignature::of_function(&function.analysis.signature));
        }
    }
    found
}

fn signature(block: &str, pack: &BTreeMap<String, BlockSignature>) -> BlockSignature {
    match block.strip_prefix('@') {
        Some(builtin) => Builtin::from_name(builtin).unwrap().signature(&Map::new()),
        None => pack.get(block).unwrap_or_else(|| panic!("there is no function `{block}`")).clone(),
    }
}

fn base(path: &str) -> String {
    PinPath::parse(path).unwrap().pin().to_owned()
}

#[test]
fn every_block_of_the_table_exists_and_has_the_pins_it_is_said_to_have() {
    let pack = pack();
    for alias in aliases::all().filter(|alias| alias.is_available()) {
        let BlockAlias { class, block, .. } = alias;
        let signature = signature(block, &pack);
        for (theirs, ours) in alias.inputs {
            assert!(signature.input(&base(ours)).is_some(), "`{class}`: `{theirs}` → `{ours}` of `{block}`");
        }
        for (theirs, ours) in alias.outputs {
            assert!(signature.output(&base(ours)).is_some(), "`{class}`: `{theirs}` → `{ours}` of `{block}`");
        }
        for (pin, constant) in alias.constants {
            assert!(signature.input(pin).is_some(), "`{class}`: `{pin}` of `{block}`");
            serde_json::from_str::<Value>(constant).unwrap();
        }
        for dropped in alias.dropped {
            assert!(signature.input(dropped).is_none(), "`{class}`: `{block}` has the dropped `{dropped}`");
        }
    }
}

/// What today's and older files link, by class.
const PINS: &str = include_str!("block_pins.txt");

#[test]
fn every_pin_that_graph_files_use_leads_to_a_pin_here() {
    let pack = pack();
    let mut seen = Vec::new();
    for line in PINS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (class, pins) = line.split_once(':').unwrap();
        let alias = aliases::all().find(|alias| alias.class == class);
        let alias = alias.unwrap_or_else(|| panic!("`{class}` is not in the table"));
        seen.push(class);
        let (inputs, outputs) = pins.split_once("->").unwrap();
        let signature = signature(alias.block, &pack);
        for pin in inputs.split_whitespace() {
            let Some(ours) = alias.input(pin) else { continue };
            assert!(signature.input(&base(&ours)).is_some(), "`{class}` takes `{pin}`: no `{ours}`");
        }
        for pin in outputs.split_whitespace() {
            let ours = alias.output(pin);
            assert!(signature.output(&base(&ours)).is_some(), "`{class}` gives `{pin}`: no `{ours}`");
        }
    }
    for alias in aliases::all().filter(|alias| alias.is_available() && alias.class != "AgentExecutorBlock") {
        assert!(seen.contains(&alias.class), "`{}` is not in the list of pins", alias.class);
    }
}

#[test]
fn the_page_lists_every_block() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/blocks.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut rows: Vec<String> = aliases::all().map(row).collect();
    rows.sort_unstable();
    let listed: Vec<&str> =
        page.lines().filter(|line| line.contains("Block` |") || line.contains("Message` |")).collect();
    assert_eq!(listed, rows, "the table must be:\n{}", rows.join("\n"));
}

fn row(alias: &BlockAlias) -> String {
    let stands = if alias.is_available() { format!("`{}`", alias.block) } else { "a placeholder".to_owned() };
    let needs = match alias.uses {
        Uses::Nothing => String::new(),
        Uses::Model => "a language model".to_owned(),
        Uses::Service(service) => format!("`{service}`"),
        Uses::Graph => "the graph that it names".to_owned(),
    };
    format!("| `{}` | {stands} | {needs} |", alias.class)
}
