//! The sources of drafts: each is analysed, together with what is kept from the live Version.

use std::collections::HashMap;
use std::num::NonZero;
use std::thread;

use model::content::Content;
use model::function::{DraftError, FunctionContent, FunctionDraft};
use model::name::EntryName;
use model::python::{Analysis, SourceError, analyse};

use super::drafts::FunctionIntent;
use crate::blocking::blocking;
use crate::ctx::Ctx;
use crate::error::Error;

/// Fewer are analysed where they are: starting a thread costs as much as one of them.
const WORTH_A_THREAD: usize = 32;

/// A function whose source is understood but whose names are not resolved yet.
pub(super) struct Analysed {
    pub(crate) draft: FunctionDraft,
    pub(crate) analysis: Analysis,
    pub(crate) kept: Option<FunctionContent>,
    pub(crate) file: Option<String>,
}

/// In the order given. The first that cannot be understood is the error.
pub(super) async fn analyse_all(ctx: &Ctx, mut intents: Vec<FunctionIntent>) -> Result<Vec<Analysed>, Error> {
    let given: Vec<Option<Analysis>> = intents.iter_mut().map(|intent| intent.analysis.take()).collect();
    let unread: Vec<Option<String>> = intents
        .iter()
        .zip(&given)
        .map(|(intent, given)| if given.is_some() { None } else { intent.draft.source.clone() })
        .collect();
    let read = if unread.len() <= WORTH_A_THREAD {
        unread.iter().map(one).collect()
    } else {
        blocking(move || on_all_cores(&unread)).await
    };

    let mut analyses = Vec::with_capacity(intents.len());
    for ((intent, given), read) in intents.iter().zip(given).zip(read) {
        let read = read.transpose().map_err(|error| in_file(intent, error.into()))?;
        analyses.push(given.or(read));
    }
    let mut live = live_contents(ctx, &intents, &analyses).await?;
    let mut all = Vec::with_capacity(intents.len());
    for (intent, analysis) in intents.into_iter().zip(analyses) {
        let name = name(&intent, analysis.as_ref())?;
        all.push(analysed(intent, analysis, live.remove(&name))?);
    }
    Ok(all)
}

fn analysed(
    intent: FunctionIntent,
    analysis: Option<Analysis>,
    live: Option<FunctionContent>,
) -> Result<Analysed, Error> {
    let analysis = match (analysis, &live) {
        (Some(analysis), _) => analysis,
        (None, Some(live)) => analyse(&live.source).map_err(|error| in_file(&intent, error.into()))?,
        (None, None) => return Err(in_file(&intent, DraftError::NoSource)),
    };
    let FunctionIntent { draft, file, .. } = intent;
    Ok(Analysed { kept: live.filter(|_| draft.keep), draft, analysis, file })
}

type Read = Option<Result<Analysis, SourceError>>;

fn one(source: &Option<String>) -> Read {
    source.as_deref().map(analyse)
}

fn on_all_cores(sources: &[Option<String>]) -> Vec<Read> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let portion = sources.len().div_ceil(cores).max(WORTH_A_THREAD);
    thread::scope(|scope| {
        let portions: Vec<_> = sources
            .chunks(portion)
            .map(|portion| scope.spawn(move || portion.iter().map(one).collect::<Vec<_>>()))
            .collect();
        let joined = portions.into_iter().map(|portion| match portion.join() {
            Ok(read) => read,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    })
}

/// What is live of those that keep something of it.
async fn live_contents(
    ctx: &Ctx,
    intents: &[FunctionIntent],
    analyses: &[Option<Analysis>],
) -> Result<HashMap<EntryName, FunctionContent>, Error> {
    let mut names = Vec::new();
    for (intent, analysis) in intents.iter().zip(analyses) {
        if intent.draft.keep || analysis.is_none() {
            names.push(name(intent, analysis.as_ref())?);
        }
    }
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let versions = ctx.store.live_callables(&names).await?.into_iter();
    let content = |version: model::version::Version| match version.content {
        Content::Function(content) => Some((version.head.key.name, *content)),
        _ => None,
    };
    Ok(versions.filter_map(content).collect())
}

fn name(intent: &FunctionIntent, analysis: Option<&Analysis>) -> Result<EntryName, Error> {
    match (&intent.draft.name, analysis) {
        (Some(name), _) => Ok(name.clone()),
        (None, Some(analysis)) => Ok(EntryName::new(&analysis.name)?),
        (None, None) => Err(in_file(intent, DraftError::NoSource)),
    }
}

fn in_file(intent: &FunctionIntent, source: DraftError) -> Error {
    match &intent.file {
        Some(file) => Error::DraftIn { file: file.clone(), source },
        None => Error::Draft(source),
    }
}
