//! Why an expression is refused, with what to write instead.

use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CronError {
    #[error(
        "`{expression}` has {count} {}; write 5 (minute, hour, day of month, month, day of week) or 6 (with seconds first), for example `30 9 * * MON-FRI`",
        if *.count == 1 { "field" } else { "fields" }
    )]
    Fields { expression: String, count: usize },
    #[error("{field} `{given}` {problem}; allowed is {allowed}, for example `{example}`")]
    Field {
        field: &'static str,
        given: String,
        problem: String,
        allowed: &'static str,
        example: &'static str,
    },
    #[error("`{name}` is not a known shorthand; use `@hourly`, `@daily`, `@weekly`, `@monthly` or `@yearly`")]
    Name { name: String },
    #[error("`{expression}` never happens: none of its months has such a day")]
    Never { expression: String },
    #[error("the expression has {bytes} bytes; the limit is {most}")]
    TooLong { bytes: usize, most: usize },
}
