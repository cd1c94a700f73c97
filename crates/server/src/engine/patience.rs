//! Patience with a database that cannot be used for a while: full, locked, restarted. That is no fault of a Run, so whoever has
//! something to store for one tries again until it is stored.

use std::time::Duration;

use jiff::Timestamp;

use crate::app::error::Error;
use crate::ctx::Ctx;

/// The first rest between two tries; each is twice as long as the one before.
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(1);

/// Asks until it is answered, or until this process no longer carries anything out. What is asked may have been done although its
/// answer was lost, so it has to be something that can be asked again.
pub(crate) async fn patiently<T, F>(ctx: &Ctx, ask: impl FnMut() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    patiently_until(ctx, Timestamp::MAX, ask).await
}

/// The same, for so long at most.
pub(crate) async fn patiently_until<T, F>(
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
