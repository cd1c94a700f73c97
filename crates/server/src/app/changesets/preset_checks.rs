//! Checks the presets of Functions and Graphs whose signature changes.

use std::collections::BTreeMap;

use model::access::Access;
use model::changeset::check::{Finding, OR_FORCE, Outcome};
use model::content::Content;
use model::function::signature::Signature;
use model::graph::block::BlockSignature;
use model::name::EntryName;
use model::preset::misfit;
use store::PresetFilter;

use crate::ctx::Ctx;
use crate::error::Error;

/// More presets of what one changeset changes are not looked at.
const MOST: u32 = 1_000;

/// Presets that fitted, and will not any more. Those outside are looked at by whoever may see them.
pub(super) async fn findings(
    ctx: &Ctx,
    access: &Access,
    outcomes: &[Outcome<'_>],
) -> Result<Vec<Finding>, Error> {
    let after: BTreeMap<&EntryName, (&Outcome<'_>, Signature)> = outcomes
        .iter()
        .filter_map(|outcome| Some((&outcome.key.name, (outcome, signature(outcome.after?)?))))
        .collect();
    if after.is_empty() {
        return Ok(Vec::new());
    }
    let callables: Vec<String> = after.keys().map(ToString::to_string).collect();
    let filter = PresetFilter { callables, after: None, scope: access.only().clone() };
    let presets = ctx.store.presets(&filter, MOST).await?;
    let mut names: Vec<EntryName> = presets.iter().map(|preset| preset.callable.clone()).collect();
    names.dedup();
    let live = ctx.store.live_callables(&names).await?.into_iter();
    let before: BTreeMap<EntryName, Signature> =
        live.filter_map(|version| Some((version.head.key.name, signature(&version.content)?))).collect();
    let finding = |preset: &model::preset::Preset| {
        let (outcome, after) = after.get(&preset.callable)?;
        let why = misfit(after, &preset.input)?;
        let fitted =
            before.get(&preset.callable).is_none_or(|before| misfit(before, &preset.input).is_none());
        let hint = format!(
            "change the preset with `selfmade preset set {} \"{}\"` after that, or keep the parameters{OR_FORCE}",
            preset.callable, preset.name
        );
        let text = format!("its preset `{}` no longer fits: {why}", preset.name);
        fitted.then(|| Finding::error(outcome.key.clone(), text).hint(hint))
    };
    Ok(presets.iter().filter_map(finding).collect())
}

fn signature(content: &Content) -> Option<Signature> {
    match content {
        Content::Function(function) => Some(function.signature.clone()),
        Content::Graph(graph) => Some(BlockSignature::of_graph(graph).to_signature()),
        Content::Trigger(_) | Content::Schedule(_) => None,
    }
}
