//! Scopes in SQL: a name is compared with the patterns inside the statement, before anything is counted or limited.
//! [`model::access::glob`] defines what the patterns mean; here they are translated for each database.

use model::access::glob;
use model::access::scope::Scope;

use crate::db::Value;
use crate::error::Error;

/// Whether a column's name is in the scope that a parameter holds, as [`Scope::covers`] decides it. A null, which stands for
/// every name, is seen before anything is compared.
///
/// SQLite's `glob` has the same `*` and `?`, and `[` besides. PostgreSQL's `like` has `%` and `_` in their place, and takes
/// the array as a constant that it makes once.
macro_rules! in_scope {
    (sqlite, $name:literal, $scope:literal) => {
        concat!(
            "(cast(",
            $scope,
            " as text) is null or exists (select 1 from json_each(",
            $scope,
            ") as pattern where ",
            $name,
            " glob replace(pattern.value, '[', '[[]')))"
        )
    };
    (postgres, $name:literal, $scope:literal) => {
        concat!(
            "(cast(",
            $scope,
            " as text) is null or ",
            $name,
            r" like any (array(
                select replace(replace(replace(replace(replace(pattern.text,
                    '\', '\\'), '%', '\%'), '_', '\_'), '*', '%'), '?', '_')
                from jsonb_array_elements_text(",
            $scope,
            "::text::jsonb) as pattern (text))))"
        )
    };
}
pub(crate) use in_scope;

/// What [`in_scope!`] reads.
pub(crate) fn scope_value(scope: &Scope) -> Result<Value, Error> {
    scope.patterns().map_or(Ok(Value::Null), Value::json_texts)
}

/// Names from one, which is included, to another, which is not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NameRange {
    pub(crate) from: String,
    pub(crate) to: String,
}

impl NameRange {
    /// All that begin like this.
    pub(crate) fn of_prefix(prefix: &str) -> NameRange {
        // No character follows the last one, so this is above all that begin like it.
        NameRange { from: prefix.to_owned(), to: format!("{prefix}\u{10ffff}") }
    }

    /// One name alone.
    fn of_name(name: &str) -> NameRange {
        // No character that a name can have comes before the first one.
        NameRange { from: name.to_owned(), to: format!("{name}\u{1}") }
    }

    fn of_pattern(pattern: &str) -> NameRange {
        let prefix = glob::literal_prefix(pattern);
        if glob::is_pattern(pattern) { NameRange::of_prefix(prefix) } else { NameRange::of_name(prefix) }
    }

    fn and(&self, other: &NameRange) -> Option<NameRange> {
        let (from, to) = (self.from.clone().max(other.from.clone()), self.to.clone().min(other.to.clone()));
        (from < to).then_some(NameRange { from, to })
    }
}

/// Ranges that hold all names of a scope that lie within another range, in order and without a name in two of them. They hold
/// other names, too, if a pattern goes on after its first `*` or `?`.
pub(crate) fn name_ranges(scope: &Scope, within: &NameRange) -> Vec<NameRange> {
    let Some(patterns) = scope.patterns() else { return vec![within.clone()] };
    let mut ranges: Vec<NameRange> =
        patterns.iter().filter_map(|pattern| NameRange::of_pattern(pattern).and(within)).collect();
    // Of two ranges, one holds the other or they have nothing in common. The one that holds others is put before them.
    ranges.sort_by(|one, other| one.from.cmp(&other.from).then(other.to.cmp(&one.to)));
    ranges.dedup_by(|next, last| next.to <= last.to);
    ranges
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ranges(patterns: &[&str], prefix: &str) -> Vec<(String, String)> {
        let scope = Scope::Names(patterns.iter().map(ToString::to_string).collect());
        let found = name_ranges(&scope, &NameRange::of_prefix(prefix));
        found.into_iter().map(|range| (range.from, range.to.escape_unicode().to_string())).collect()
    }

    #[test]
    fn ranges_that_lie_in_others_are_left_out() {
        assert_eq!(ranges(&["web.get", "web.*", "add"], "").len(), 2);
        assert_eq!(ranges(&["web.get", "we?", "*.get"], "").len(), 1);
        assert_eq!(ranges(&["web.*"], "web.get").len(), 1);
        assert_eq!(ranges(&["web.*", "add"], "mail"), []);
        assert_eq!(ranges(&[], ""), []);
    }

    proptest! {
        #[test]
        fn what_a_scope_covers_lies_in_exactly_one_of_its_ranges(
            patterns in proptest::collection::vec("[ab.*?]{0,4}", 0..5),
            prefix in "[ab.]{0,2}",
            name in "[ab.]{0,5}",
        ) {
            let scope = Scope::Names(patterns);
            let ranges = name_ranges(&scope, &NameRange::of_prefix(&prefix));
            let holding = ranges.iter().filter(|range| range.from <= name && name < range.to).count();
            if scope.covers(&name) && name.starts_with(&prefix) {
                prop_assert_eq!(holding, 1);
            } else {
                prop_assert!(holding <= 1);
            }
        }
    }
}
