//! How a cell ended.

use serde::{Deserialize, Serialize};

/// How a cell ended. The kinds are never mixed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Returned,
    Raised,
    TimedOut,
    OutOfMemory,
    Killed,
    Crashed,
    BrokeProtocol,
    Lost,
}

impl Ending {
    pub const ALL: [Ending; 8] = [
        Self::Returned,
        Self::Raised,
        Self::TimedOut,
        Self::OutOfMemory,
        Self::Killed,
        Self::Crashed,
        Self::BrokeProtocol,
        Self::Lost,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Ending::Returned => "returned",
            Ending::Raised => "raised",
            Ending::TimedOut => "timed_out",
            Ending::OutOfMemory => "out_of_memory",
            Ending::Killed => "killed",
            Ending::Crashed => "crashed",
            Ending::BrokeProtocol => "broke_protocol",
            Ending::Lost => "lost",
        }
    }
}
