//! Attention, health, metrics, the doctor, nodes, control and retention.

pub(crate) mod attention;
pub(crate) mod control;
pub(crate) mod doctor;
pub(crate) mod health;
pub(crate) mod landing;
pub(crate) mod metrics;
pub(crate) mod nodes;
pub(crate) mod retention;
