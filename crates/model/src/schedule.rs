//! Schedules: at these times, in this time zone, start a Run. What is stored; the times are worked out by the
//! server's scheduler.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::name::EntryName;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScheduleContent {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub times: Times,
    /// An IANA time zone.
    #[serde(default = "utc")]
    pub zone: String,
    /// The Function or Graph that is started.
    pub target: EntryName,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    #[serde(default)]
    pub missed: Missed,
    #[serde(default)]
    pub overlap: Overlap,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

fn utc() -> String {
    "UTC".to_owned()
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Times {
    Cron(String),
    EverySeconds(u64),
    At(jiff::Timestamp),
}

/// What happens to ticks that passed while no server ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missed {
    Skip,
    #[default]
    Once,
    All,
}

/// What happens to a tick while the Run of the last one still goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    Allow,
    #[default]
    Skip,
    Queue,
}
