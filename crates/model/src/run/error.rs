//! What a Function raised, or why its Run could not continue.

use serde::{Deserialize, Serialize};

/// What a Function raised, or why a Run could not continue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunError {
    #[serde(rename = "type")]
    pub type_name: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl RunError {
    pub fn of(type_name: impl Into<String>, message: impl Into<String>) -> RunError {
        RunError { type_name: type_name.into(), message: message.into(), traceback: None, hint: None }
    }

    /// Only its type: its text may contain the input.
    #[must_use]
    pub fn forgotten(&self) -> RunError {
        RunError::of(self.type_name.clone(), "")
    }

    /// With the lines of functions that may be seen alone: a traceback shows their sources.
    #[must_use]
    pub fn seen(&self, may_see: impl Fn(&str) -> bool) -> RunError {
        let traceback = self.traceback.as_ref().map(|text| {
            let mut is_shown = true;
            let mut shown = String::with_capacity(text.len());
            for line in text.split_inclusive('\n') {
                if let Some(function) = frame_of(line) {
                    is_shown = may_see(function);
                } else if !line.starts_with("    ") {
                    is_shown = true;
                }
                if is_shown {
                    shown.push_str(line);
                }
            }
            shown
        });
        RunError { traceback, ..self.clone() }
    }
}

/// The function whose line a frame of a traceback shows: `  File "name@3", line 1, in name`.
fn frame_of(line: &str) -> Option<&str> {
    let (file, _) = line.strip_prefix("  File \"")?.split_once('"')?;
    Some(file.rsplit_once('@').map_or(file, |(name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceback_shows_lines_of_functions_that_may_be_seen() {
        let traceback = "Traceback (most recent call last):\n  File \"web.a@1\", line 2, in a\n    return hidden(1)\n  File \"mail.b@7\", line 3, in b\n    raise ValueError(\"x\")\n    ^^^^^\nValueError: x\n";
        let error = RunError { traceback: Some(traceback.to_owned()), ..RunError::of("ValueError", "x") };
        assert_eq!(error.seen(|_| true), error);
        let seen = error.seen(|name| name.starts_with("web.")).traceback.unwrap();
        assert_eq!(
            seen,
            "Traceback (most recent call last):\n  File \"web.a@1\", line 2, in a\n    return hidden(1)\nValueError: x\n"
        );
    }
}
