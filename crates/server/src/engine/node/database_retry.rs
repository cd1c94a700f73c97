//! Retrying while the database is unavailable: full, locked, restarted. An outage must not fail a Run, so a write for a Run
//! is retried until it is stored.

use std::time::Duration;

use jiff::Timestamp;

use crate::ctx::Ctx;
use crate::error::Error;

/// The first rest between two tries; each is twice as long as the one before.
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(1);

/// Retries until it succeeds, or until this process stops executing Runs. The call may have been done although its
/// answer was lost, so it has to be something that can be asked again.
pub(crate) async fn retry_while_unavailable<T, F>(ctx: &Ctx, ask: impl FnMut() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    retry_while_unavailable_until(ctx, Timestamp::MAX, ask).await
}

/// The same, for so long at most.
pub(crate) async fn retry_while_unavailable_until<T, F>(
    ctx: &Ctx,
    until: Timestamp,
    mut ask: impl FnMut() -> F,
) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let mut rest = FIRST;
    loop {
        let error = match ask().await {
            Err(error) if error.is_passing() => error,
            answer => return answer,
        };
        let again = ctx.clock.now() + rest;
        if again >= until {
            return Err(error);
        }
        tokio::select! {
            biased;
            () = ctx.engine.given_up.cancelled() => return Err(error),
            () = ctx.clock.wait_until(again) => {}
        }
        rest = (rest * 2).min(LONGEST);
    }
}
