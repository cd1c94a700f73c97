//! `selfmade sync`: a folder and the brain, each with what the other changed.

mod agents;
mod carry;
mod state;
mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::changeset::diff::Diff;
use model::entry::EntryKind;
use model::revision::Revision;
use model::sync::{Live, Side, SyncPlan};
use serde_json::json;
use server::app::folder::MARK;
use server::app::packs::TextFile;

use self::state::{SyncState, sha256};
use crate::brain_folder;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;
use crate::terminal::progress::Progress;
use crate::terminal::style::{BAD, GOOD, counted, paint};
use crate::views::diff;

/// Keep a folder and the brain the same
///
/// What changed in the folder since the last sync goes to the brain, as one changeset with all its checks; what changed
/// in the brain is written to the folder. An entry that changed on both sides is shown as a difference, and nothing is
/// changed: edit the file, or decide with --keep. The folder gets an AGENTS.md that explains it to coding agents.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade sync brain                  a new folder gets everything
  selfmade sync brain --dry-run        show what would be done
  selfmade sync brain --keep folder    where both changed, the files count
  selfmade sync brain --watch          again whenever a file or the brain changes")]
pub(crate) struct Arguments {
    /// A new or empty folder, or one that was synced or exported before
    dir: PathBuf,
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Which side counts where both changed
    #[arg(long, value_name = "SIDE")]
    keep: Option<Keep>,
    /// Apply it even if stored callers, triggers, schedules or graphs no longer fit
    #[arg(long)]
    force: bool,
    /// Sync again whenever a file or the brain changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["dry_run", "keep"])]
    watch: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Keep {
    /// The files
    Folder,
    /// What the brain has
    Brain,
}

/// Both sides as they were read.
struct Sides {
    revision: Revision,
    before: SyncState,
    files: BTreeMap<String, TextFile>,
    exported: BTreeMap<String, TextFile>,
    folder: BTreeMap<String, String>,
    brain: BTreeMap<String, Live>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    brain_folder::check(&arguments.dir)?;
    if arguments.watch {
        return watch::run(session, brain, &arguments).await;
    }
    once(session, brain, &arguments).await
}

async fn once(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let progress = Progress::start(&session.output, "comparing the folder with the brain");
    let sides = read(brain, &arguments.dir).await?;
    drop(progress);
    let mut plan = SyncPlan::new(&sides.before.entries, &sides.folder, &sides.brain);
    if let Some(keep) = arguments.keep {
        let side = match keep {
            Keep::Folder => Side::Folder,
            Keep::Brain => Side::Brain,
        };
        plan = plan.decided(side, &sides.folder, &sides.brain);
    }
    if arguments.dry_run || !plan.conflicts.is_empty() {
        return shown(session, arguments, &sides, &plan);
    }
    let done = carry::out(session, brain, arguments, sides, &plan).await?;
    let document = json!({
        "folder": arguments.dir, "revision": done.revision, "changeset": done.changeset, "plan": plan,
    });
    session.output.answer(&document, |_| lines(&plan))?;
    if plan.is_empty() {
        session.output.note(format!("`{}` and the brain are the same", arguments.dir.display()));
    }
    Ok(Exit::Done)
}

async fn read(brain: &Brain, folder: &Path) -> Result<Sides, Error> {
    let brain_id = brain.holds().await?.brain_id;
    let before = SyncState::read(folder, brain_id)?;
    let files = entry_files(folder)?;
    let exported = brain.export(None).await?;
    let versions = exported.versions;
    let mut texts = BTreeMap::new();
    for body in exported.files {
        let file = brain_folder::inside(body)?;
        if file.path != MARK {
            texts.insert(file.path.clone(), file);
        }
    }
    let live = texts.iter().filter_map(|(path, file)| {
        Some((path.clone(), Live { version: *versions.get(path)?, text: sha256(&file.bytes) }))
    });
    Ok(Sides {
        revision: exported.revision,
        before,
        folder: files.iter().map(|(path, file)| (path.clone(), sha256(&file.bytes))).collect(),
        brain: live.collect(),
        files,
        exported: texts,
    })
}

/// The files of entries, by their path in the folder.
fn entry_files(folder: &Path) -> Result<BTreeMap<String, TextFile>, Error> {
    let read = |path: String| {
        let bytes = files::read(&folder.join(&path))?;
        Ok((path.clone(), TextFile { path, bytes }))
    };
    entry_paths(folder)?.into_iter().map(read).collect()
}

fn entry_paths(folder: &Path) -> Result<Vec<String>, Error> {
    let mut paths = Vec::new();
    for kind in EntryKind::ALL {
        let part = folder.join(format!("{kind}s"));
        if !part.is_dir() {
            continue;
        }
        let ending = if kind == EntryKind::Function { ".py" } else { ".json" };
        paths.extend(files::names(&part, &[ending])?.into_iter().map(|name| format!("{kind}s/{name}")));
    }
    Ok(paths)
}

/// What would be done, or what nobody but a person can decide.
fn shown(session: &Session, arguments: &Arguments, sides: &Sides, plan: &SyncPlan) -> Result<Exit, Error> {
    let output = &session.output;
    let conflicts: Vec<_> = plan.conflicts.iter().map(|path| (path, difference(sides, path))).collect();
    let document = json!({
        "folder": arguments.dir, "revision": sides.revision, "plan": plan,
        "differences": conflicts.iter().map(|(path, diff)| json!({ "path": path, "hunks": diff.hunks })).collect::<Vec<_>>(),
    });
    output.answer(&document, |_| {
        let differences = conflicts.iter().map(|(path, diff)| {
            diff::render(&format!("{path} in the brain"), &format!("{path} in the folder"), diff)
        });
        differences.chain([lines(plan)]).collect()
    })?;
    if conflicts.is_empty() {
        output.note("nothing was changed, because of `--dry-run`");
        return Ok(Exit::Done);
    }
    let changed = counted(conflicts.len(), "entry");
    output.report(&format!("{changed} changed both in the folder and in the brain; nothing was changed\n"));
    output.hint("edit the files so that they have what both sides want, then sync with `--keep folder`; `--keep brain` takes what the brain has");
    Ok(if arguments.dry_run { Exit::Done } else { Exit::Refused })
}

/// From what the brain has to what the folder has.
fn difference(sides: &Sides, path: &str) -> Diff {
    let text = |files: &BTreeMap<String, TextFile>| {
        files.get(path).map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default()
    };
    Diff::between(&text(&sides.exported), &text(&sides.files))
}

fn lines(plan: &SyncPlan) -> String {
    let parts = [
        (&plan.push, GOOD, "to the brain"),
        (&plan.push_removal, BAD, "deleted in the brain"),
        (&plan.pull, GOOD, "to the folder"),
        (&plan.pull_removal, BAD, "removed from the folder"),
        (&plan.conflicts, BAD, "changed on both sides"),
    ];
    let line = |path: &String, style, words| format!("{path}  {}\n", paint(style, words));
    parts
        .iter()
        .flat_map(|(paths, style, words)| paths.iter().map(move |path| line(path, *style, *words)))
        .collect()
}
