//! Pictures of graphs.

use proptest::prelude::*;
use selfmade_model::graph::draw::{Layout, svg, text};
use selfmade_model::graph::{GraphContent, Link, Node};
use serde_json::json;

use super::{graph, properties};

const HOSTILE: &str = "</text><script>alert(1)</script>&\"'\u{1b}[2J\u{202e}]]>\u{0}";

fn sample() -> GraphContent {
    graph(
        vec![
            Node::new("n", "@input").with("name", "How many?"),
            Node::new("sum", "add").with("b", 1),
            Node::new("gone", "@placeholder").with("to", json!(["a@b.example"])),
            Node::new("out", "@output").with("name", "sum"),
        ],
        &["n.output => sum.a", "sum.output -> out.value", "sum.output -> gone.body", "out.output -> sum.a"],
    )
}

#[test]
fn a_small_graph_as_text() {
    insta::assert_snapshot!(text(&sample(), 60));
}

#[test]
fn a_small_graph_as_svg() {
    insta::assert_snapshot!(svg(&sample()));
}

/// Not valid as soon as anything of it is not escaped: each `<` begins a known element, each `&` a known entity.
fn assert_well_formed(svg: &str) {
    let known = [
        "svg", "/svg", "style", "/style", "path", "/path", "g", "/g", "title", "/title", "rect", "text",
        "/text", "circle",
    ];
    for (at, _) in svg.match_indices('<') {
        let name = svg[at + 1..].split([' ', '>', '/']).find(|part| !part.is_empty()).unwrap();
        let name = if svg[at + 1..].starts_with('/') { format!("/{name}") } else { name.to_owned() };
        assert!(known.contains(&name.as_str()), "`{name}` in {svg}");
    }
    for (at, _) in svg.match_indices('&') {
        let entity = svg[at + 1..].split(';').next().unwrap();
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "`{entity}` in {svg}");
    }
    for name in ["svg", "g", "path", "text", "title"] {
        let opened = svg.matches(&format!("<{name} ")).count() + svg.matches(&format!("<{name}>")).count();
        assert_eq!(opened, svg.matches(&format!("</{name}>")).count(), "{name}");
    }
    assert!(!svg.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'));
}

#[test]
fn hostile_names_stay_text() {
    let mut content = graph(vec![Node::new(HOSTILE, HOSTILE).with(HOSTILE, HOSTILE)], &[]);
    content.nodes[0].metadata.insert("customized_name".to_owned(), json!(HOSTILE));
    content.links.push(Link::new(HOSTILE, HOSTILE, HOSTILE, HOSTILE));
    content.links.push(Link::new(HOSTILE, HOSTILE, "nowhere", HOSTILE));
    assert_well_formed(&svg(&content));
    let text = text(&content, 50);
    assert!(!text.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{text}");
}

#[test]
fn an_empty_graph_has_a_picture() {
    assert_well_formed(&svg(&GraphContent::default()));
    assert_eq!(text(&GraphContent::default(), 0), "");
}

fn any_links() -> impl Strategy<Value = GraphContent> {
    (1usize..30, prop::collection::vec((any::<usize>(), any::<usize>(), 0..3), 0..50)).prop_map(
        |(count, links)| {
            let names =
                ["@input", "echo", "日本語 with a long name that goes on and on and on and on and on"];
            GraphContent {
                nodes: (0..count)
                    .map(|at| Node::new(&format!("n{at}"), names[at % 3]).with("constant", at))
                    .collect(),
                links: links
                    .iter()
                    .map(|(from, to, pin)| {
                        Link::new(
                            &format!("n{}", from % count),
                            "output",
                            &format!("n{}", to % count),
                            &format!("pin{pin}"),
                        )
                    })
                    .collect(),
                ..GraphContent::default()
            }
        },
    )
}

fn width(line: &str) -> usize {
    line.chars().map(|c| if ('\u{2e80}'..='\u{9fff}').contains(&c) { 2 } else { 1 }).sum()
}

proptest! {
    #[test]
    fn no_boxes_overlap_and_everything_appears(content in prop_oneof![any_links(), properties::any_graph()], columns in 0usize..120) {
        let layout = Layout::of(&content);
        prop_assert_eq!((layout.boxes.len(), layout.wires.len()), (content.nodes.len(), content.links.len()));
        for (at, one) in layout.boxes.iter().enumerate() {
            prop_assert!(one.x >= 0.0 && one.y >= 0.0 && one.x + one.width <= layout.width && one.y + one.height <= layout.height);
            prop_assert!(layout.boxes[at + 1..].iter().all(|other| !one.overlaps(other)));
        }
        for wire in &layout.wires {
            let link = &content.links[wire.link];
            let end = |id: &str| &layout.boxes[content.nodes.iter().position(|node| node.id == id).unwrap()];
            prop_assert!(wire.is_back || end(&link.from).layer < end(&link.to).layer);
        }
        let svg = svg(&content);
        assert_well_formed(&svg);
        prop_assert_eq!(svg.matches("<path").count(), content.links.len());
        let text = text(&content, columns);
        for line in text.lines() {
            prop_assert!(width(line) <= columns.max(20), "{}", line);
        }
        prop_assert_eq!(text.matches('┏').count(), content.nodes.len());
        prop_assert_eq!(text.matches('┠').count(), content.links.len());
        if columns >= 80 {
            for node in &content.nodes {
                prop_assert!(text.contains(&node.id) && svg.contains(&node.id));
            }
        }
    }
}

#[test]
fn a_large_graph_is_drawn_at_once() {
    let nodes = (0..1000).map(|at| Node::new(&format!("n{at}"), "echo")).collect();
    let link = |at: usize| {
        Link::new(&format!("n{}", at * 7919 % 1000), "output", &format!("n{}", at * 31 % 1000), "x")
    };
    let content = GraphContent { nodes, links: (0..3000).map(link).collect(), ..GraphContent::default() };
    let began = std::time::Instant::now();
    assert!(svg(&content).len() > 100_000);
    // It takes some 20 ms; a machine under load may take longer.
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
}
