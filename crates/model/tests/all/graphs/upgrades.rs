//! Nodes that pin an older version: what differs, and whether what is there still fits.

use std::sync::Arc;

use insta::assert_snapshot;
use selfmade_model::graph::block::BlockSignature;
use selfmade_model::graph::patch::apply;
use selfmade_model::graph::upgrade::{Upgrade, patches, pin_changes, upgrades};
use selfmade_model::graph::{Blocks, GraphContent, Missing, Node, check};
use selfmade_model::python::analyse;
use selfmade_model::version::VersionNumber;

use super::graph;

/// `read` has three versions, of which the last is live.
struct Versions;

const READ: [&str; 3] = [
    "def read(url: str, limit: int = 10, old: bool = False) -> str: ...",
    "def read(url: str, limit: int = 10, old: bool = False) -> str: pass",
    "def read(url: str, limit: str, token: str, title: str = '') -> list: ...",
];

impl Blocks for Versions {
    fn signature(&self, name: &str, version: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        let source = match (name, version) {
            ("read", Some(VersionNumber(number @ 1..=2))) => READ[number as usize - 1],
            ("read", None) => READ[2],
            // Who looks blocks up may not know the live one by its number.
            ("read", Some(_)) => return Err(Missing::Version),
            ("text", None) => "def text(x: str) -> str: ...",
            _ => return Err(Missing::Name),
        };
        Ok(Arc::new(BlockSignature::of_function(&analyse(source).unwrap().signature)))
    }
}

fn live(name: &str) -> Option<VersionNumber> {
    (name == "read").then_some(VersionNumber(3))
}

fn pinned(id: &str, version: u32) -> Node {
    Node { version: Some(VersionNumber(version)), ..Node::new(id, "read") }
}

fn content() -> GraphContent {
    let nodes = vec![
        pinned("fetch", 1).with("url", "https://example.org").with("limit", 5).with("old", true),
        Node::new("show", "text"),
        pinned("now", 3),
        Node::new("unpinned", "read"),
        pinned("wrong", 2),
    ];
    graph(nodes, &["fetch.output -> show.x"])
}

fn told(upgrade: &Upgrade) -> String {
    let pin = |change: &selfmade_model::graph::upgrade::PinChange| {
        let schema =
            |schema: &Option<serde_json::Value>| schema.as_ref().map_or("-".to_owned(), ToString::to_string);
        let (old, new) = (schema(&change.old), schema(&change.new));
        format!("  {:?} {} {:?} {old} {new}\n", change.side, change.pin, change.change)
    };
    let pins: String = upgrade.pins.iter().map(pin).collect();
    let problems: String = upgrade.problems.iter().map(|problem| format!("  ! {problem}\n")).collect();
    let Upgrade { node, block, pinned, live, .. } = upgrade;
    format!("{node}: {block} {pinned} -> {live}\n{pins}{problems}")
}

#[test]
fn an_older_version_is_shown_with_what_differs_and_what_no_longer_fits() {
    let found: String = upgrades(&content(), &Versions, &live).iter().map(told).collect();
    assert_snapshot!(found, @r#"
    fetch: read 1 -> 3
      Input limit Type {"type":"integer"} {"type":"string"}
      Input limit NowRequired {"type":"integer"} {"type":"string"}
      Input old Removed {"type":"boolean"} -
      Input title Added - {"type":"string"}
      Input token AddedRequired - {"type":"string"}
      Output output Type {"type":"string"} {"type":"array"}
      ! node `fetch`, pin `old`: the block has no input pin `old`; its input pins are `url`, `limit`, `token` and `title`
      ! node `fetch`, pin `token`: is required; link it or give it a constant
      ! node `fetch`, pin `limit`: `limit` must be a string, not the number 5
      ! node `show`, pin `x`: takes `string`, but node `fetch` gives `array` on `output`; link another pin or convert the value
    wrong: read 2 -> 3
      Input limit Type {"type":"integer"} {"type":"string"}
      Input limit NowRequired {"type":"integer"} {"type":"string"}
      Input old Removed {"type":"boolean"} -
      Input title Added - {"type":"string"}
      Input token AddedRequired - {"type":"string"}
      Output output Type {"type":"string"} {"type":"array"}
      ! node `wrong`, pin `limit`: is required; link it or give it a constant
      ! node `wrong`, pin `token`: is required; link it or give it a constant
    "#);
}

#[test]
fn a_problem_that_is_there_already_is_not_of_the_upgrade() {
    let found = upgrades(&content(), &Versions, &live);
    let wrong = found.iter().find(|upgrade| upgrade.node == "wrong").unwrap();
    assert!(check(&content(), None, &Versions).iter().any(|problem| {
        problem.node.as_deref() == Some("wrong") && problem.pin.as_deref() == Some("url")
    }));
    assert!(wrong.problems.iter().all(|problem| problem.pin.as_deref() != Some("url")), "{wrong:?}");
}

#[test]
fn patches_move_the_pins_and_nothing_else() {
    let found = upgrades(&content(), &Versions, &live);
    let mut moved = content();
    for patch in patches(&found) {
        moved = apply(&moved, patch).unwrap().0;
    }
    assert!(upgrades(&moved, &Versions, &live).is_empty());
    let mut expected = content();
    expected.nodes[0].version = Some(VersionNumber(3));
    expected.nodes[4].version = Some(VersionNumber(3));
    assert_eq!(moved, expected);
}

#[test]
fn what_is_newer_than_live_or_unknown_is_no_upgrade() {
    let content =
        graph(vec![pinned("a", 3), Node { version: Some(VersionNumber(1)), ..Node::new("b", "gone") }], &[]);
    assert!(upgrades(&content, &Versions, &live).is_empty());
    assert!(upgrades(&content, &Versions, &|_| Some(VersionNumber(1))).is_empty());
}

#[test]
fn any_further_pin_is_a_pin_of_its_own() {
    let of = |source: &str| BlockSignature::of_function(&analyse(source).unwrap().signature);
    let changes = pin_changes(&of("def f(a, **rest: int): ..."), &of("def f(a): ..."));
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].pin.as_str(), changes[0].new.as_ref()), ("*", None));
    assert_eq!(pin_changes(&of("def f(a): ..."), &of("def f(a): pass")), []);
}

#[test]
fn many_pinned_nodes_at_one_hub_are_compared_at_once() {
    let mut nodes = vec![Node::new("hub", "text")];
    nodes.extend((0..500).map(|at| pinned(&format!("n{at}"), 1).with("url", "u")));
    let links: Vec<String> = (0..500).map(|at| format!("hub.output => n{at}.url")).collect();
    let content = graph(nodes, &links.iter().map(String::as_str).collect::<Vec<_>>());
    let began = std::time::Instant::now();
    assert_eq!(upgrades(&content, &Versions, &live).len(), 500);
    // It takes less than a second; a machine under load may take longer.
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}
