//! Where in an input something is: `items[2].price`. Nothing is written until a problem has to be told.

use std::fmt;

use crate::phrase::cut;

/// How much of a key is shown.
const SHOWN: usize = 60;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    Root,
    Key(&'a Place<'a>, &'a str),
    Element(&'a Place<'a>, usize),
}

impl Place<'_> {
    pub(crate) fn is_root(&self) -> bool {
        matches!(self, Place::Root)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Root => Ok(()),
            Place::Key(Place::Root, key) => f.write_str(&cut(key, SHOWN)),
            Place::Key(parent, key) => write!(f, "{parent}.{}", cut(key, SHOWN)),
            Place::Element(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
