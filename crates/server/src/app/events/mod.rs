//! Events as they happen, for those who may read them.

pub(crate) mod feed;
mod recent;
