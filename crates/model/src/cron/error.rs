//! Why an expression is refused, with what to write instead.

use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CronError {
    #[error(
        "`{expression}` has {count} fields; write 5 (minute, hour, day of month, month, day of week) or 6 (with second first), for example `30 9 * * MON-FRI`"
    )]
    Fields { expression: String, count: usize },
    #[error("{field} `{given}` {problem}; it is {allowed}, for example `{example}`")]
    Field {
        field: &'static str,
        given: String,
        problem: String,
        allowed: &'static str,
        example: &'static str,
    },
    #[error("`{name}` is no name of times; use `@hourly`, `@daily`, `@weekly`, `@monthly` or `@yearly`")]
    Name { name: String },
    #[error("`{expression}` never happens: none of its months has such a day")]
    Never { expression: String },
    #[error("the expression has {bytes} bytes, more than the {most} it may have")]
    TooLong { bytes: usize, most: usize },
}
