//! Blocks: AutoGPT's, by all ids they ever had, and every other function and graph of this brain.

use std::collections::HashMap;

use model::access::Access;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::EntryKind;
use model::graph::aliases::{BlockAlias, all};
use model::graph::block::{BlockSignature, OUTPUT};
use model::graph::builtin::{Answer, Builtin, Effect, execute};
use model::graph::exchange::{OURS, TheirBlock, schemas};
use model::graph::values;
use model::input::tagged::elements;
use model::name::EntryName;
use model::run::Run;
use serde_json::{Map, Value, json};

use crate::app::runs::{StartRun, Target};
use crate::ctx::Ctx;
use crate::engine::render_template;
use crate::error::Error;

const PAGE: u32 = 200;

/// What is done when a block is executed by itself.
pub(crate) enum Executed {
    /// It was done at once.
    Outputs(Map<String, Value>),
    Run(Box<ToRun>),
}

/// A block that is a function or a graph.
pub(crate) struct ToRun {
    pub(crate) request: StartRun,
    content: Content,
    block: Option<TheirBlock>,
}

/// All that can be placed.
pub(crate) async fn list(ctx: &Ctx, access: &Access) -> Result<Vec<Value>, Error> {
    access.may(Verb::ReadFunctions)?;
    let stored = stored(ctx, access).await?;
    let mut shown = Vec::new();
    for alias in all().filter(|alias| alias.is_available()) {
        let Some((signature, description)) = meaning(alias, &stored) else { continue };
        for id in alias.ids {
            let block = TheirBlock { alias };
            let (input, output) = (block.input_schema(&signature), block.output_schema(&signature));
            shown.push(row(id, alias.class, &description, &(input, output), alias.is_static));
        }
    }
    let known: Vec<&str> = all().map(|alias| alias.block).collect();
    let mut own: Vec<_> = stored.iter().filter(|(name, _)| !known.contains(&name.as_str())).collect();
    own.sort_by_key(|(name, _)| *name);
    for (name, Stored { signature, description }) in own {
        let is_static = signature.outputs.iter().any(|pin| pin.is_static);
        shown.push(row(&format!("{OURS}{name}"), name, description, &schemas(signature), is_static));
    }
    Ok(shown)
}

fn row(id: &str, name: &str, description: &str, schemas: &(Value, Value), is_static: bool) -> Value {
    json!({
        "id": id,
        "name": name,
        "inputSchema": schemas.0,
        "outputSchema": schemas.1,
        "description": description,
        "categories": [],
        "contributors": [],
        "staticOutput": is_static,
    })
}

/// A function or graph, as a block.
struct Stored {
    signature: BlockSignature,
    description: String,
}

/// Functions and graphs, by name.
async fn stored(ctx: &Ctx, access: &Access) -> Result<HashMap<String, Stored>, Error> {
    let mut found = HashMap::new();
    for kind in [EntryKind::Function, EntryKind::Graph] {
        let mut after = None::<String>;
        loop {
            let page = ctx.store.live_versions(kind, after.as_deref(), PAGE, access.only()).await?;
            after = page.last().map(|last| last.head.key.name.to_string());
            let is_last = page.len() < PAGE as usize;
            // Sources are not kept.
            found.extend(page.iter().filter_map(|version| {
                let signature = BlockSignature::of_content(&version.content)?;
                let description = description(&version.content).to_owned();
                Some((version.head.key.name.to_string(), Stored { signature, description }))
            }));
            if is_last {
                break;
            }
        }
    }
    Ok(found)
}

fn meaning(alias: &BlockAlias, stored: &HashMap<String, Stored>) -> Option<(BlockSignature, String)> {
    match alias.block.strip_prefix('@') {
        Some(name) => {
            let builtin = Builtin::from_name(name).ok()?;
            Some((builtin.signature(&Map::new()), builtin.description().to_owned()))
        }
        None => {
            let Stored { signature, description } = stored.get(alias.block)?;
            Some((signature.clone(), description.clone()))
        }
    }
}

fn description(content: &Content) -> &str {
    match content {
        Content::Function(function) => &function.description,
        Content::Graph(graph) => &graph.description,
        Content::Trigger(_) | Content::Schedule(_) => "",
    }
}

/// What executing a block by itself means; nothing if there is none with this id.
pub(crate) async fn to_execute(
    ctx: &Ctx,
    access: &Access,
    id: &str,
    input: &Map<String, Value>,
) -> Result<Option<Executed>, Error> {
    access.may(Verb::StartRun)?;
    let block = TheirBlock::of(id);
    let name = block.map(|block| block.alias.block).or_else(|| id.strip_prefix(OURS));
    let Some(name) = name else { return Ok(None) };
    let input = match block {
        Some(block) => block.input(input).map_err(|problem| wrong(problem, "send each pin once"))?,
        None => input.clone(),
    };
    if let Some(builtin) = name.strip_prefix('@') {
        let Ok(builtin) = Builtin::from_name(builtin) else { return Ok(None) };
        return at_once(ctx, builtin, block, &input).await.map(|outputs| Some(Executed::Outputs(outputs)));
    }
    let Ok(name) = EntryName::new(name) else { return Ok(None) };
    if !access.covers(name.as_str()) {
        return Ok(None);
    }
    access.may_touch(Verb::StartRun, name.as_str())?;
    let Some(found) = ctx.store.live_callables(std::slice::from_ref(&name)).await?.pop() else {
        return Ok(None);
    };
    let request = StartRun::of(Target::Live(name), input);
    Ok(Some(Executed::Run(Box::new(ToRun { request, content: found.content, block }))))
}

/// A built-in block, which does nothing but pass values on.
async fn at_once(
    ctx: &Ctx,
    builtin: Builtin,
    block: Option<TheirBlock>,
    input: &Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    let signature = builtin.signature(input);
    if let Some(missing) = signature.inputs.iter().find(|pin| pin.required && !input.contains_key(&pin.name))
    {
        return Err(wrong(
            format!("the input `{}` is missing", missing.name),
            "`GET /blocks` lists the pins",
        ));
    }
    let outputs = match execute(builtin, &values(Value::Object(input.clone()))) {
        Answer::Outputs(outputs) => Ok(outputs),
        Answer::Failed(message) => Err(message),
        Answer::Effect(Effect::Render { template, values }) => {
            render_template(&ctx.expressions, template, values).await.map_err(|error| error.message)
        }
        Answer::Effect(_) => {
            return Err(wrong(
                format!("`{}` cannot be executed by itself", builtin.name()),
                "place it in a graph and run that",
            ));
        }
    };
    let outputs = outputs.map_err(|problem| wrong(problem, "`GET /blocks` says what the block takes"))?;
    Ok(by_pin(outputs.into_iter().map(|(pin, value)| (pin, Value::clone(&value))), block))
}

impl ToRun {
    pub(crate) fn request(&self) -> StartRun {
        self.request.clone()
    }

    /// What left the block, by pin.
    pub(crate) fn outputs(&self, run: Run) -> Map<String, Value> {
        let output = run.output.unwrap_or_default();
        let pairs: Vec<(String, Value)> = match &self.content {
            Content::Graph(_) => match output {
                Value::Object(outputs) => outputs.into_iter().collect(),
                _ => Vec::new(),
            },
            Content::Function(function) if !function.signature.pins.is_empty() => {
                elements(&output).into_iter().flatten().filter_map(pair).collect()
            }
            Content::Function(function) if function.signature.kind.is_generator() => {
                let values = elements(&output).into_iter().flatten();
                values.map(|value| (OUTPUT.to_owned(), value.clone())).collect()
            }
            _ => vec![(OUTPUT.to_owned(), output)],
        };
        by_pin(pairs.into_iter(), self.block)
    }
}

fn pair(value: &Value) -> Option<(String, Value)> {
    match elements(value)? {
        [Value::String(pin), value] => Some((pin.clone(), value.clone())),
        _ => None,
    }
}

fn by_pin(outputs: impl Iterator<Item = (String, Value)>, block: Option<TheirBlock>) -> Map<String, Value> {
    let mut found: Map<String, Value> = Map::new();
    for (pin, value) in outputs {
        if let Value::Array(values) = found.entry(pin).or_insert_with(|| json!([])) {
            values.push(value);
        }
    }
    match block {
        Some(block) => block.outputs(found),
        None => found,
    }
}

fn wrong(problem: String, hint: &str) -> Error {
    Error::Input { problem, hint: hint.to_owned() }
}
