//! Operating a brain: backups, the doctor, retention, outages, how the server does.

pub mod attention;
pub mod backup;
pub mod doctor;
pub mod nodes;
pub mod outage;
pub mod retention;
pub(crate) mod status;
