//! `selfmade graph add`: a graph from a file.

use super::{file, name};
use crate::client::{Brain, Change, Changes};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied::{self, Submission};

/// Add a graph, or a new version of it
///
/// The file is JSON. Fields that selfmade does not know are kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph add news.json
  selfmade graph add news.json --name daily.news
  selfmade graph show news --json | selfmade graph add - --name copy
  selfmade graph add news.json --propose      look at it first: selfmade changes show")]
pub(crate) struct Arguments {
    /// A JSON file; - reads standard input
    file: String,
    /// Store it under this name [default: the name of the file]
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    submission: Submission,
    /// What the changeset is for
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let name = match &arguments.name {
        Some(text) => name(text)?,
        None => file::name_of(&arguments.file)?,
    };
    let graph = Box::new(file::graph(&arguments.file)?);
    let changes = Changes { title: arguments.title, changes: vec![Change::Graph { name, graph }] };
    applied::submit(session, brain, &changes, arguments.submission).await
}
