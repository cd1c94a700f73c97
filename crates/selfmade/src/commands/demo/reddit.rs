//! `selfmade demo reddit`: a graph that reads Reddit, asks a language model and comments. Offline, stand-ins take the places of the
//! blocks that reach outside; the rest of the graph is the same.

use serde_json::{Value, json};
use server::http::FileBody;

use super::{start, store_graph, tell_commands, tell_run};
use crate::client::{Brain, PackLoad};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::shipped::{self, Shipped};
use crate::terminal::progress::Progress;

const GRAPH: &str = include_str!("../../../demos/reddit.json");
const STAND_INS: &str = include_str!("../../../demos/reddit_offline.py");
const GRAPH_NAME: &str = "reddit_marketing";
const OFFLINE_NAME: &str = "reddit_marketing_offline";

/// The blocks that reach outside, and what stands in for each.
const OUTSIDE: [(&str, &str); 3] = [
    ("get_reddit_posts", "demo_reddit_posts"),
    ("generate_structured", "demo_reddit_judge"),
    ("post_reddit_comment", "demo_reddit_comment"),
];

const SECRETS: [&str; 4] = ["reddit_client_id", "reddit_client_secret", "reddit_username", "reddit_password"];

/// Add the Reddit marketing graph
///
/// It finds posts that a product helps with and comments on them. With --offline, posts, language model and comments are
/// stand-ins, and the graph is run. Without it, nothing is run: a run posts comments on Reddit.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade demo reddit --offline
  selfmade demo reddit                                  then set the secrets that it names, and run the graph
  selfmade demo reddit https://brain.example --token-file token")]
pub(crate) struct Arguments {
    /// The server to add it to [default: the brain of this folder, or its server]
    #[arg(value_name = "URL")]
    pub(super) url: Option<String>,
    /// Use stand-ins for Reddit and the language model, and run it
    #[arg(long)]
    offline: bool,
}

pub(super) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    load_blocks(session, brain).await?;
    if arguments.offline { offline(session, brain).await } else { online(session, brain).await }
}

async fn online(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    store_graph(brain, GRAPH_NAME, GRAPH).await?;
    let stored = brain.secrets().await?;
    let missing: Vec<&str> =
        SECRETS.into_iter().filter(|name| stored.iter().all(|secret| secret.name != *name)).collect();
    let output = &session.output;
    output.answer(&json!({ "graph": GRAPH_NAME, "missing_secrets": missing }), |_| String::new())?;
    output.note(format!("added the graph `{GRAPH_NAME}`; nothing was run: a run posts comments on Reddit"));
    let set: Vec<String> = missing.iter().map(|name| format!("secret set {name}")).collect();
    let mut next: Vec<(&str, &str)> = set
        .iter()
        .map(|command| {
            (command.as_str(), "of an app of the type \"script\": https://www.reddit.com/prefs/apps")
        })
        .collect();
    next.extend([
        ("serve --show-config", "the language model is `model_url` and `model_key`"),
        ("graph show reddit_marketing", "its nodes and links"),
        ("run reddit_marketing --arg subreddit=selfhosted --arg product=…", "read three posts, and comment"),
        ("runs nodes RUN", "what each node did"),
    ]);
    output.note("Next:");
    tell_commands(session, &next);
    Ok(Exit::Done)
}

async fn offline(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    brain.load(&stand_ins(), false).await?;
    let graph = OUTSIDE.into_iter().fold(GRAPH.to_owned(), |graph, (real, stand_in)| {
        graph.replace(&format!("\"block\": \"{real}\""), &format!("\"block\": \"{stand_in}\""))
    });
    store_graph(brain, OFFLINE_NAME, &graph).await?;
    let run = start(brain, OFFLINE_NAME, json!({})).await?;
    let output = &session.output;
    let (run_id, result) =
        run.as_ref().map_or((Value::Null, Value::Null), |run| (json!(run.run_id), json!(run.output)));
    let document = json!({ "graph": OFFLINE_NAME, "offline": true, "run_id": run_id, "output": result });
    output.answer(&document, |_| String::new())?;
    output.note(format!(
        "added the graph `{OFFLINE_NAME}`. It is offline: posts and comments are made up, and a rule stands in for the language model"
    ));
    if let Some(run) = &run {
        tell_run(session, run);
        let id = run.run_id.to_string();
        output.note("Look at:");
        tell_commands(
            session,
            &[
                (&format!("runs show {id}"), "what each node did"),
                (&format!("runs nodes {id} --node comment"), "the comments, one execution each"),
                (&format!("graph show {OFFLINE_NAME}"), "its nodes and links"),
                ("demo reddit", "the same graph with Reddit and your language model"),
            ],
        );
    }
    let failed = run.is_none_or(|run| run.error.is_some());
    Ok(if failed { Exit::RunFailed } else { Exit::Done })
}

/// The pack that has what the graph places, unless it is loaded.
async fn load_blocks(session: &Session, brain: &Brain) -> Result<(), Error> {
    const NAME: &str = "blocks";
    if brain.packs().await?.iter().any(|pack| pack.name == NAME) {
        return Ok(());
    }
    let Some(pack) = shipped::PACKS.iter().find(|pack| pack.name == NAME) else { return Ok(()) };
    let load = PackLoad {
        name: NAME.to_owned(),
        origin: Shipped::origin(),
        files: pack.files().into_iter().map(FileBody::from).collect(),
        prefix: String::new(),
        replace: false,
    };
    let _progress = Progress::start(&session.output, "loading the pack `blocks`");
    brain.load(&load, false).await.map(drop)
}

fn stand_ins() -> PackLoad {
    let path = "reddit_offline.py".to_owned();
    PackLoad {
        name: "demo_reddit".to_owned(),
        origin: "selfmade demo reddit --offline".to_owned(),
        files: vec![FileBody { path, text: Some(STAND_INS.to_owned()), base64: None }],
        prefix: String::new(),
        replace: false,
    }
}
