//! Pictures of a Graph: as SVG, and as text for a terminal.
//!
//! | to | use |
//! |---|---|
//! | get a picture for a page or a file | [`svg()`] |
//! | get one for a terminal of some width | [`text()`] |
//! | draw it otherwise | [`Layout`]: where the boxes are and what is in them |
//!
//! A node is placed after those it has links from; a link that leads back, because there is a cycle, goes round. Boxes do not
//! overlap. Texts of the graph are cut, and whatever in them is not to be shown is replaced: a title is never markup.

mod label;
mod layout;
mod ranks;
mod svg;
mod text;

pub use self::layout::{Layout, NodeBox, Row, Wire};
pub use self::svg::svg;
pub use self::text::text;
