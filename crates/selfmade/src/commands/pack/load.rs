//! `selfmade pack load`: decorated functions of a file, a folder or a Pack that is shipped, as one Changeset.

use std::path::{Path, PathBuf};

use server::app::packs::{Loaded, Refusal, TextFile};
use server::http::FileBody;

use crate::client::{Brain, PackLoad};
use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;
use crate::shipped::{self, Shipped};
use crate::terminal::progress::Progress;
use crate::terminal::style::{BAD, DIM, counted, paint, printable};
use crate::views::applied;
use crate::views::findings;

/// Load a pack that comes with selfmade, or the decorated functions of a file or a folder
///
/// The files are read, never run. Functions that cannot be loaded are listed with the reason, and the rest is loaded:
/// the exit code is then 1. Loading a pack again updates it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade pack load core                       one that comes with selfmade, see `pack list --available`
  selfmade pack load tools.py
  selfmade pack load ./tools                    all .py files of a folder
  selfmade pack load airtable.py --as airtable.   names such as airtable.create_record
  selfmade pack load text.py --replace          over functions of the same name")]
pub(crate) struct Arguments {
    #[arg(value_name = "NAME|FILE|DIR")]
    path: PathBuf,
    /// Prefix each name with this
    #[arg(long = "as", value_name = "PREFIX.")]
    prefix: Option<String>,
    /// The pack's name [default: that of the file or folder]
    #[arg(long)]
    name: Option<String>,
    /// Replace existing functions of the same name
    #[arg(long)]
    replace: bool,
    /// Apply it even if stored callers, triggers, schedules or graphs no longer fit
    #[arg(long)]
    force: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let output = &session.output;
    let load = read(session, &arguments)?;
    let before = brain.packs().await?;
    if let Some(old) = before.iter().find(|pack| pack.name == load.name)
        && old.origin != load.origin
    {
        output.warning(format!("pack `{}` was previously loaded from `{}`", load.name, old.origin));
        output.hint("use `--name` to give this pack another name");
    }
    let loaded = {
        let _progress = Progress::start(output, format!("loading {}", counted(load.files.len(), "file")));
        brain.load(&load, arguments.force).await?
    };
    output.answer(&loaded, |_| applied::moves(&loaded.applied.moves))?;
    tell(session, &loaded);
    Ok(if loaded.refused.is_empty() { Exit::Done } else { Exit::InPart })
}

fn read(session: &Session, arguments: &Arguments) -> Result<PackLoad, Error> {
    let path = &arguments.path;
    let shipped = shipped::named(path);
    let files = shipped.map_or_else(|| read_files(session, path), |pack| Ok(pack.files()))?;
    let origin = match shipped {
        Some(_) => Shipped::origin(),
        None => path.canonicalize().as_deref().unwrap_or(path).display().to_string(),
    };
    Ok(PackLoad {
        name: match (&arguments.name, shipped) {
            (Some(name), _) => name.clone(),
            (None, Some(pack)) => pack.name.to_owned(),
            (None, None) => name_of(path)?,
        },
        origin,
        files: files.into_iter().map(FileBody::from).collect(),
        prefix: prefix(arguments.prefix.as_deref()),
        replace: arguments.replace,
    })
}

fn read_files(session: &Session, path: &Path) -> Result<Vec<TextFile>, Error> {
    let shown = path.display().to_string();
    if !path.is_dir() {
        if is_word(&shown) && !path.exists() {
            return Err(Error::Input {
                problem: format!("there is no pack, file or folder `{shown}`"),
                hint: format!("the packs that come with selfmade are {}", shipped::names()),
            });
        }
        return Ok(vec![files::read_file(&shown)?]);
    }
    let _progress = Progress::start(&session.output, format!("reading {shown}"));
    let files = files::read_folder(path, &[".py"])?;
    if files.is_empty() {
        return Err(Error::Input {
            problem: format!("there is no `.py` file in `{shown}`"),
            hint: "choose a folder with decorated Python files".to_owned(),
        });
    }
    Ok(files)
}

/// What nobody calls a file with functions.
fn is_word(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric) && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn name_of(path: &Path) -> Result<String, Error> {
    let full = path.canonicalize().ok();
    let stem = full.as_deref().and_then(Path::file_stem).and_then(|stem| stem.to_str());
    stem.map(str::to_owned).ok_or_else(|| Error::Input {
        problem: format!("no pack name can be derived from `{}`", path.display()),
        hint: "give one with `--name`".to_owned(),
    })
}

/// The dot may be left out.
fn prefix(given: Option<&str>) -> String {
    match given {
        None | Some("") => String::new(),
        Some(prefix) => format!("{}.", prefix.trim_end_matches('.')),
    }
}

fn tell(session: &Session, loaded: &Loaded) {
    let output = &session.output;
    let skipped = loaded.skipped.iter().map(|skipped| {
        format!(
            "  {}:{} `{}`: {}\n",
            skipped.file, skipped.notice.line, skipped.notice.name, skipped.notice.reason
        )
    });
    let skipped: Vec<String> = skipped.collect();
    findings::section(
        output,
        &skipped,
        "function without a decorator was skipped",
        "functions without a decorator were skipped",
    );
    let left_over: Vec<String> = loaded.left_over.iter().map(|name| format!("  {name}\n")).collect();
    findings::section(
        output,
        &left_over,
        "function that is no longer in the pack is still live",
        "functions that are no longer in the pack are still live",
    );
    applied::tell(output, &loaded.applied);
    if loaded.unchanged > 0 {
        output.aside(format!("{} unchanged", counted(loaded.unchanged as usize, "function")));
    }
    let refused: Vec<String> = loaded.refused.iter().map(refusal).collect();
    if !refused.is_empty() {
        output.warning(format!(
            "of pack `{}`, {} could not be loaded:",
            loaded.pack,
            counted(refused.len(), "part")
        ));
        output.report(&refused.concat());
    }
}

fn refusal(refusal: &Refusal) -> String {
    let hint = match &refusal.hint {
        Some(hint) => format!("    {}\n", paint(DIM, format!("hint: {hint}"))),
        None => String::new(),
    };
    format!("  {} {}\n{hint}", paint(BAD, format!("`{}`:", refusal.file)), printable(&refusal.message))
}
