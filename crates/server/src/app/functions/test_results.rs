//! What takes long to find out about a Changeset, kept while it is tried again: results of tests, each of which is run again only if
//! something that it executes has changed, what gates say that execute code, and whether packages can be installed.

use std::collections::{BTreeSet, HashMap};

use model::changeset::gates::Judgement;
use model::name::EntryName;
use model::version::ContentHash;

use super::probes::{Probe, ProbeKey};
use super::resolution::{self, Resolution};
use super::run_tests::{Trial, Tried, run_all};
use crate::ctx::Ctx;
use crate::error::Error;

/// A test, by all that it executes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TrialKey {
    pub(crate) function: EntryName,
    /// From 1; what the test says is part of the function's content.
    pub(crate) number: usize,
    pub(crate) closure: Vec<(EntryName, ContentHash)>,
}

#[derive(Default)]
pub(crate) struct TestResults {
    known: HashMap<TrialKey, Tried>,
    missing: Vec<Trial>,
    resolutions: HashMap<Vec<String>, Resolution>,
    unresolved: Vec<Vec<String>>,
    judgements: HashMap<ProbeKey, Judgement>,
    unjudged: Vec<Probe>,
    is_deferred: bool,
}

impl TestResults {
    /// Finds out whether these sets of packages can be installed, unless that is deferred.
    pub(super) async fn resolve(&mut self, ctx: &Ctx, sets: impl Iterator<Item = &Vec<String>>) {
        let unknown: BTreeSet<&Vec<String>> =
            sets.filter(|packages| !self.resolutions.contains_key(*packages)).collect();
        self.unresolved = unknown.into_iter().cloned().collect();
        if !self.is_deferred {
            self.resolve_missing(ctx).await;
        }
    }

    /// Whether these packages can be installed; nothing if that has to be found out first.
    pub(super) fn resolution(&self, packages: &[String]) -> Option<&Resolution> {
        self.resolutions.get(packages)
    }

    async fn resolve_missing(&mut self, ctx: &Ctx) {
        let unresolved = std::mem::take(&mut self.unresolved);
        self.resolutions.extend(resolution::resolve_all(ctx, unresolved).await);
    }

    /// Whether it is known which packages can be installed.
    pub(crate) fn is_resolved(&self) -> bool {
        self.unresolved.is_empty()
    }

    /// Tests are not run when they are needed, but by [`TestResults::run_missing`].
    pub(crate) fn deferred() -> TestResults {
        TestResults { is_deferred: true, ..TestResults::default() }
    }

    /// From now on tests are run when they are needed.
    pub(crate) fn run_when_needed(&mut self) {
        self.is_deferred = false;
    }

    /// What became of these, in their order; nothing if some have to be run first.
    pub(super) async fn of(&mut self, ctx: &Ctx, trials: Vec<Trial>) -> Result<Option<Vec<&Tried>>, Error> {
        let keys: Vec<TrialKey> = trials.iter().map(|trial| trial.key.clone()).collect();
        self.missing = trials.into_iter().filter(|trial| !self.known.contains_key(&trial.key)).collect();
        if self.is_deferred && !self.missing.is_empty() {
            return Ok(None);
        }
        self.run_missing(ctx).await?;
        Ok(Some(keys.iter().filter_map(|key| self.known.get(key)).collect()))
    }

    /// What these gates say, in their order; nothing if some have to look first.
    pub(crate) async fn judged(
        &mut self,
        ctx: &Ctx,
        probes: Vec<Probe>,
    ) -> Result<Option<Vec<Judgement>>, Error> {
        let keys: Vec<ProbeKey> = probes.iter().map(|probe| probe.key.clone()).collect();
        self.unjudged =
            probes.into_iter().filter(|probe| !self.judgements.contains_key(&probe.key)).collect();
        if self.is_deferred && !self.unjudged.is_empty() {
            return Ok(None);
        }
        self.judge_missing(ctx).await?;
        Ok(Some(keys.iter().filter_map(|key| self.judgements.get(key).cloned()).collect()))
    }

    async fn judge_missing(&mut self, ctx: &Ctx) -> Result<(), Error> {
        for probe in std::mem::take(&mut self.unjudged) {
            let judgement = probe.work.run(ctx).await?;
            self.judgements.insert(probe.key, judgement);
        }
        Ok(())
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.unresolved.is_empty() && self.unjudged.is_empty()
    }

    pub(crate) async fn run_missing(&mut self, ctx: &Ctx) -> Result<(), Error> {
        self.resolve_missing(ctx).await;
        let missing = std::mem::take(&mut self.missing);
        self.known.extend(run_all(ctx, missing).await?);
        self.judge_missing(ctx).await
    }
}
