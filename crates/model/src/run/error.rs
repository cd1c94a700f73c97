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
}

impl RunError {
    /// Only its type: its text may contain the input.
    #[must_use]
    pub fn forgotten(&self) -> RunError {
        RunError { type_name: self.type_name.clone(), message: String::new(), traceback: None }
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
        let error = RunError {
            type_name: "ValueError".to_owned(),
            message: "x".to_owned(),
            traceback: Some(traceback.to_owned()),
        };
        assert_eq!(error.seen(|_| true), error);
        let seen = error.seen(|name| name.starts_with("web.")).traceback.unwrap();
        assert_eq!(
            seen,
            "Traceback (most recent call last):\n  File \"web.a@1\", line 2, in a\n    return hidden(1)\nValueError: x\n"
        );
    }
}
