//! Carries out what is to be synced: first what the brain changed, then the changeset of what the folder changed.

use std::collections::BTreeMap;

use model::changeset::document;
use model::revision::Revision;
use model::sync::{SyncPlan, Synced};
use model::version::VersionNumber;
use server::app::changesets::Applied;
use server::app::folder::MARK;
use server::app::packs::TextFile;

use super::{Arguments, Sides, agents};
use crate::brain_folder;
use crate::client::{Brain, FolderImport};
use crate::error::Error;
use crate::session::Session;
use crate::views::applied;

pub(super) struct Done {
    pub(super) revision: Revision,
    pub(super) changeset: Option<u64>,
}

pub(super) async fn out(
    session: &Session,
    brain: &Brain,
    arguments: &Arguments,
    mut sides: Sides,
    plan: &SyncPlan,
) -> Result<Done, Error> {
    let folder = &arguments.dir;
    std::fs::create_dir_all(folder).map_err(|source| Error::write(folder, source))?;
    if !folder.join(MARK).is_file() {
        brain_folder::write(folder, &mark())?;
    }
    pull(folder, &mut sides, plan)?;
    agents::write(folder, &mut sides.before)?;
    // What was pulled is in sync, whatever becomes of the rest.
    sides.before.write(folder)?;
    if !plan.pushes() {
        return Ok(Done { revision: sides.revision, changeset: None });
    }
    let import = import(arguments, &sides, plan);
    let applied = applied::checked(&session.output, brain.import(&import)).await?;
    applied::tell(&session.output, &applied);
    remember_pushed(&mut sides, plan, &applied);
    sides.before.write(folder)?;
    Ok(Done { revision: applied.revision, changeset: applied.changeset })
}

/// Says that the folder is a brain, as `selfmade export` does.
fn mark() -> TextFile {
    TextFile { path: MARK.to_owned(), bytes: b"{\n  \"format\": 1\n}\n".to_vec() }
}

fn pull(folder: &std::path::Path, sides: &mut Sides, plan: &SyncPlan) -> Result<(), Error> {
    for path in &plan.pull {
        brain_folder::write(folder, &sides.exported[path])?;
        sides.folder.insert(path.clone(), sides.brain[path].text.clone());
    }
    for path in &plan.pull_removal {
        brain_folder::remove(folder, path)?;
        sides.folder.remove(path);
    }
    let Sides { before, folder, brain, .. } = sides;
    before.entries.retain(|path, _| folder.contains_key(path) || brain.contains_key(path));
    for (path, live) in brain.iter() {
        if folder.get(path) == Some(&live.text) {
            let synced = Synced { version: live.version, file: live.text.clone() };
            before.entries.insert(path.clone(), synced);
        }
    }
    Ok(())
}

/// Applied only if the brain still has the versions that were compared.
fn import(arguments: &Arguments, sides: &Sides, plan: &SyncPlan) -> FolderImport {
    let pushed = plan.push.iter().filter_map(|path| sides.files.get(path).cloned());
    let changed = plan.push.iter().chain(&plan.push_removal);
    FolderImport {
        files: [mark()].into_iter().chain(pushed).collect(),
        removed: plan.push_removal.clone(),
        expected: changed
            .map(|path| (path.clone(), sides.brain.get(path).map(|live| live.version)))
            .collect(),
        force: arguments.force,
        ..FolderImport::default()
    }
}

/// A file whose content was the same has no new version.
fn remember_pushed(sides: &mut Sides, plan: &SyncPlan, applied: &Applied) {
    let moved: BTreeMap<String, VersionNumber> =
        applied.moves.iter().filter_map(|moved| Some((document::path(&moved.key), moved.to?))).collect();
    for path in &plan.push {
        let version = moved.get(path).copied().or_else(|| sides.brain.get(path).map(|live| live.version));
        if let (Some(version), Some(file)) = (version, sides.folder.get(path)) {
            sides.before.entries.insert(path.clone(), Synced { version, file: file.clone() });
        }
    }
    for path in &plan.push_removal {
        sides.before.entries.remove(path);
    }
}
