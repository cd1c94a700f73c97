//! Differences between two Versions, as a reader sees them: over the text in which an entry is exported, so that
//! grants, tests and source are all in it.

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    Same,
    Added,
    Removed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Line {
    pub kind: LineKind,
    pub text: String,
}

/// Lines that belong together, with where they stand (`@@ -1,3 +1,4 @@`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Hunk {
    pub header: String,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Diff {
    pub hunks: Vec<Hunk>,
}

impl Diff {
    pub fn between(old: &str, new: &str) -> Diff {
        const CONTEXT_LINES: usize = 3;
        let diff = TextDiff::from_lines(old, new);
        let mut unified = diff.unified_diff();
        let hunks = unified
            .context_radius(CONTEXT_LINES)
            .iter_hunks()
            .map(|hunk| Hunk {
                header: hunk.header().to_string(),
                lines: hunk
                    .iter_changes()
                    .map(|change| Line {
                        kind: match change.tag() {
                            ChangeTag::Equal => LineKind::Same,
                            ChangeTag::Insert => LineKind::Added,
                            ChangeTag::Delete => LineKind::Removed,
                        },
                        text: change.value().trim_end_matches(['\n', '\r']).to_owned(),
                    })
                    .collect(),
            })
            .collect();
        Diff { hunks }
    }

    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// How many lines came and went.
    pub fn counts(&self) -> (usize, usize) {
        let count =
            |kind| self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count();
        (count(LineKind::Added), count(LineKind::Removed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_is_removed_and_added() {
        let diff = Diff::between("a\nb\nc\n", "a\nB\nc\n");
        assert_eq!(diff.counts(), (1, 1));
        assert_eq!(diff.hunks[0].header, "@@ -1,3 +1,3 @@");
    }

    #[test]
    fn equal_texts_have_no_difference() {
        assert!(Diff::between("same\n", "same\n").is_empty());
    }
}
