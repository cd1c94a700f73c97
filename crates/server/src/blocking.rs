//! Work that blocks, on threads that may be blocked.

use tokio::task::{JoinError, spawn_blocking};

pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    joined(spawn_blocking(work).await)
}

/// A panic on the other thread goes on in this one.
pub(crate) fn joined<T>(result: Result<T, JoinError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
