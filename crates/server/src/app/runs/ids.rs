//! Ids of Runs as people type them: whole, any beginning or end that matches only one Run, or `last`.

use model::access::Access;
use model::access::verb::Verb;
use model::ids::RunId;
use store::RunFilter;

use super::read;
use crate::ctx::Ctx;
use crate::error::Error;

/// Fewer digits than these fit by chance.
const LEAST: usize = 4;
/// Among so many of the newest Runs, the last one that nobody else started is looked for.
const NEWEST: u32 = 20;
/// So many of those that fit are named.
const NAMED: u32 = 5;

/// The end of an id, which is chance; the beginning is the time, and shared by all Runs of a minute.
pub fn short(run: RunId) -> String {
    let digits = run.0.simple().to_string();
    digits[digits.len() - 8..].to_owned()
}

/// The one Run that is meant.
pub async fn find(ctx: &Ctx, access: &Access, text: &str) -> Result<RunId, Error> {
    access.may(Verb::ReadRuns)?;
    match text.split_once(':') {
        None if text == "last" => return last(ctx, access, text, "").await,
        Some(("last", name)) if !name.is_empty() => return last(ctx, access, text, name).await,
        _ => {}
    }
    let digits = text.replace('-', "");
    if digits.len() < LEAST || digits.len() > 32 || !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(Error::Input {
            problem: format!("`{text}` is not a run id, nor the beginning or end of one"),
            hint: format!(
                "write at least {LEAST} of its hexadecimal digits, `last`, or `last:NAME`; `selfmade runs list` shows the last eight"
            ),
        });
    }
    let mut fitting = ctx.store.run_ids(&digits, NAMED + 1, access.only()).await?;
    match (fitting.pop(), fitting.is_empty()) {
        (None, _) => Err(Error::RunNotFound { id: text.to_owned() }),
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            fitting.push(last);
            Err(Error::RunAmbiguous { text: text.to_owned(), fitting })
        }
    }
}

/// The newest Run that no other Run started; of a name, the newest one if others started all of them.
async fn last(ctx: &Ctx, access: &Access, text: &str, name: &str) -> Result<RunId, Error> {
    let named = (!name.is_empty()).then(|| name.to_owned());
    let newest = read::list(ctx, access, RunFilter { name: named, ..RunFilter::default() }, NEWEST).await?;
    if let Some(run) = newest.iter().find(|run| run.parent.is_none()) {
        return Ok(run.run_id);
    }
    let Some(mut run) = newest.into_iter().next() else {
        return Err(Error::RunNotFound { id: text.to_owned() });
    };
    // One that has started so many itself is above them.
    while let (Some(parent), true) = (run.parent, name.is_empty()) {
        match read::get(ctx, access, parent).await {
            Ok(above) => run = above,
            // It may not be seen, or was pruned.
            Err(Error::RunNotFound { .. }) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(run.run_id)
}
