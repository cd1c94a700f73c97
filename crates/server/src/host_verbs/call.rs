//! A dependency that does not fit into this cell: it runs in one of its own, and only values go back and forth.

use model::run::step::Step;
use sandbox::{Arguments, Value};

use super::{Host, Refusal, StepReply, finish, run};
use crate::app::runs::{By, Target};
use crate::error::Error;

/// The stand-in hands over the Version's id, the positional arguments and the named ones.
pub(super) async fn execute(host: &Host<'_>, step: Step, arguments: Arguments) -> Result<StepReply, Error> {
    let mut given = arguments.positional.into_iter();
    let (id, positional, named) = (given.next(), given.next(), given.next());
    let version = match &id {
        Some(Value::Str(id)) => {
            host.prepared.function().and_then(|function| function.elsewhere.get(id).copied())
        }
        _ => None,
    };
    let (Some(version), Some(Value::List(positional)), Some(Value::Map(named))) =
        (version, positional, named)
    else {
        let refusal = Refusal::Refused("only dependencies of the function can be called this way".to_owned());
        return finish(host, step, Err(refusal)).await;
    };
    let arguments = Arguments { positional, named: named.into_iter().collect() };
    run::start(host, step, Target::Exact(version), arguments, By::Dependency).await
}
