//! From a callable to what a cell is given. Below `app`, which checks inputs with it, and `engine`, which executes it.

mod closures;
mod graph;
mod prepared;
mod which;

pub(crate) use self::closures::Closures;
pub(crate) use self::graph::{Gives, PreparedGraph};
pub(crate) use self::prepared::{Callable, Prepared, PreparedFunction, prepare};
pub use self::which::Which;
pub(crate) use self::which::not_found;
