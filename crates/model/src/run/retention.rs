//! How long the records of a served brain are kept.

/// What is kept, as it is configured. Unless it is, everything is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Keep runs that ended within this many days.
    pub days: Option<u32>,
    /// Always keep at least this many runs.
    pub runs: Option<u32>,
    /// Keep at most this many bytes of records.
    pub bytes: Option<u64>,
    /// Keep events, firings and ticks for this many days; `days` unless it is set.
    pub event_days: Option<u32>,
    /// Keep the audit trail for this many days.
    pub audit_days: Option<u32>,
}

impl RetentionPolicy {
    pub fn event_days(self) -> Option<u32> {
        self.event_days.or(self.days)
    }
}
