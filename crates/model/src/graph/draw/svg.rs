//! A Graph as SVG: one file, without scripts, fonts or anything from elsewhere, light or dark as its reader prefers.

use std::fmt::Write;

use super::label::line;
use super::layout::{CHARACTER, HEAD, Layout, NodeBox, ROW, Row, Wire};
use crate::graph::{GraphContent, Link, Node};

const STYLE: &str = "\
svg{background:#fff;font:12px ui-monospace,Menlo,Consolas,monospace}\
.box{fill:#f6f8fa;stroke:#8b949e}.missing .box{stroke-dasharray:5 4}.border .box{fill:#ddf4ff;stroke:#218bff}\
.title{font-weight:bold;fill:#1f2328}.sub{fill:#59636e}.pin{fill:#1f2328}.out{text-anchor:end}\
.dot{fill:#59636e}.link{fill:none;stroke:#59636e;stroke-width:1.4}.static{stroke-dasharray:2 3}.back{stroke:#bc4c00}\
@media(prefers-color-scheme:dark){svg{background:#0d1117}.box{fill:#161b22;stroke:#6e7681}\
.border .box{fill:#0c2d6b;stroke:#388bfd}.title,.pin{fill:#e6edf3}.sub{fill:#9198a1}.dot{fill:#9198a1}\
.link{stroke:#9198a1}.back{stroke:#f0883e}}";

/// Draws a graph, whether it passes its checks or not.
pub fn svg(content: &GraphContent) -> String {
    let layout = Layout::of(content);
    let mut out = String::with_capacity(1024 + 900 * content.nodes.len() + 300 * content.links.len());
    let (width, height) = (layout.width, layout.height);
    put(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>{STYLE}</style>\n"
        ),
    );
    // Links lie below the boxes, so that they hide no text.
    for wire in &layout.wires {
        draw_wire(&mut out, wire, &content.links[wire.link]);
    }
    for (card, node) in layout.boxes.iter().zip(&content.nodes) {
        draw_box(&mut out, card, node);
    }
    out.push_str("</svg>\n");
    out
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // A text takes whatever is written to it.
    let _ = out.write_fmt(text);
}

fn draw_wire(out: &mut String, wire: &Wire, link: &Link) {
    let ((x1, y1), (x2, y2)) = (wire.from, wire.to);
    let bend = if wire.is_back { 80.0 } else { ((x2 - x1) / 2.0).max(30.0) };
    let classes = match (wire.is_static, wire.is_back) {
        (true, true) => "link static back",
        (true, false) => "link static",
        (false, true) => "link back",
        (false, false) => "link",
    };
    let label = escape(&line(&link.to_string(), 300));
    put(
        out,
        format_args!(
            "<path class=\"{classes}\" d=\"M{x1:.1} {y1:.1}C{:.1} {y1:.1} {:.1} {y2:.1} {x2:.1} {y2:.1}\"><title>{label}</title></path>\n",
            x1 + bend,
            x2 - bend
        ),
    );
}

fn draw_box(out: &mut String, card: &NodeBox, node: &Node) {
    let class = match node.block.as_str() {
        "@placeholder" => "node missing",
        "@input" | "@output" => "node border",
        _ => "node",
    };
    let (x, y, width, height) = (card.x, card.y, card.width, card.height);
    put(
        out,
        format_args!(
            "<g class=\"{class}\"><title>{}</title><rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\"/>",
            escape(&line(&node.id, 300))
        ),
    );
    draw_text(out, "title", x + 12.0, y + 18.0, &card.title);
    draw_text(out, "sub", x + 12.0, y + 34.0, &card.subtitle);
    draw_rows(out, card, &card.inputs, true);
    draw_rows(out, card, &card.outputs, false);
    out.push_str("</g>\n");
}

fn draw_rows(out: &mut String, card: &NodeBox, rows: &[Row], is_input: bool) {
    for (at, row) in rows.iter().enumerate() {
        let y = card.y + HEAD + (at as f64 + 0.5) * ROW;
        let (edge, text, class) = match is_input {
            true => (card.x, card.x + CHARACTER + 4.0, "pin"),
            false => (card.x + card.width, card.x + card.width - CHARACTER - 4.0, "pin out"),
        };
        put(out, format_args!("<circle class=\"dot\" cx=\"{edge:.1}\" cy=\"{y:.1}\" r=\"3\"/>"));
        draw_text(out, class, text, y + 4.0, &row.label);
    }
}

fn draw_text(out: &mut String, class: &str, x: f64, y: f64, text: &str) {
    put(out, format_args!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(text)));
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
