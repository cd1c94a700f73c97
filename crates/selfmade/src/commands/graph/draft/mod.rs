//! Drafts of graphs: edited, compared with what is live, and applied.

pub(super) mod apply;
pub(super) mod discard;
pub(super) mod drafts;
pub(super) mod edit;
pub(super) mod pack;
pub(super) mod patch;
mod patches;
pub(super) mod pin;
pub(super) mod rebase;
pub(super) mod unpack;
