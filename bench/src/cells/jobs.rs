//! The jobs that are measured.

use std::sync::Arc;

use sandbox::{Closure, Environment, Function, Isolation, Job, JobLimits, Value};

/// A function of the size and manners of most.
const SMALL: &str = "def f(x, y=2):\n    import math\n    return {'sum': x + y, 'root': math.sqrt(x)}";

pub(super) fn small(environment: &Arc<Environment>) -> Job {
    of(environment, &[("f", SMALL)], vec![("x".to_owned(), Value::Int(16))])
}

pub(super) fn warm(environment: &Arc<Environment>) -> Job {
    Job { isolation: Isolation::Warm { key: "small".to_owned() }, ..small(environment) }
}

/// Functions by name, the first being the entry, which calls the others.
pub(super) fn of(
    environment: &Arc<Environment>,
    sources: &[(&str, &str)],
    input: Vec<(String, Value)>,
) -> Job {
    let mut functions: Vec<Function> =
        sources.iter().map(|(name, source)| Function::new(name, "1", source)).collect();
    let others = sources.iter().enumerate().skip(1);
    functions[0].dependencies = others.map(|(place, (name, _))| ((*name).to_owned(), place)).collect();
    let closure = Arc::new(Closure { functions, entry: 0 });
    Job::new(Arc::clone(environment), closure, Value::Map(input), JobLimits::default())
}
