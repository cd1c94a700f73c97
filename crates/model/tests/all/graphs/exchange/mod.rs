//! Files of other products: read, checked, run and written again.

mod generated;
mod quirks;
mod runs;
mod secrets;
mod shown;
mod writing;

use std::sync::Arc;

use selfmade_model::graph::block::BlockSignature;
use selfmade_model::graph::check::Problem;
use selfmade_model::graph::exchange::{Exported, ImportNote, Imported, ReadError, What, read, write};
use selfmade_model::graph::{Blocks, GraphContent, Link, Missing, Node, check};
use selfmade_model::python::analyse;
use selfmade_model::version::VersionNumber;
use serde_json::{Value, json};

pub(crate) const INPUT: &str = "c0a8e994-ebf1-4a9c-a4d8-89d09c86741b";
pub(crate) const SHORT_TEXT: &str = "7fcd3bcb-8e1b-4e69-903d-32d3d4a92158";
pub(crate) const NUMBER: &str = "96dae2bb-97a2-41c2-bd2f-13a3b5a8ea98";
pub(crate) const DROPDOWN: &str = "655d6fdf-a334-421c-b733-520549c07cd1";
pub(crate) const OUTPUT: &str = "363ae599-353e-4804-937e-b2ee3cef3da4";
pub(crate) const EXECUTOR: &str = "e189baac-8c20-45a1-94a7-55177ea42565";
pub(crate) const NOTE: &str = "cc10ff7b-7753-4ff2-9af6-9399b1a7eddc";
pub(crate) const STORE: &str = "1ff065e9-88e8-4358-9d82-8dc91f622ba9";
pub(crate) const TEMPLATE: &str = "db7d8f02-2f44-4c55-ab7a-eae0941f0c30";
pub(crate) const COUNT: &str = "3c9c2f42-b0c3-435f-ba35-05f7a25c772a";
pub(crate) const COMBINE: &str = "e30a4d42-7b7d-4e6a-b36e-1f9b8e3b7d85";
pub(crate) const ADD_TO_LIST: &str = "aeb08fc1-2fc1-4141-bc8e-f758f183a822";
pub(crate) const STEP: &str = "f66a3543-28d3-4ab5-8945-9b336371e2ce";
pub(crate) const OLD_STEP: &str = "f8e7d6c5-b4a3-2c1d-0e9f-8g7h6i5j4k3l";
pub(crate) const ORCHESTRATOR: &str = "3b191d9f-356f-482d-8238-ba04b6d18381";
pub(crate) const GENERATE: &str = "1f292d4a-41a4-4977-9684-7c8d560b9f91";
pub(crate) const READ_DISCORD: &str = "d3f4g5h6-1i2j-3k4l-5m6n-7o8p9q0r1s2t";
pub(crate) const GMAIL_SEND: &str = "6c27abc2-e51d-499e-a85f-5a0041ba94f0";
pub(crate) const WEB_REQUEST: &str = "6595ae1f-b924-42cb-9a41-551a0611c4b4";

/// Functions with the names and pins of the table of blocks.
const SOURCES: [&str; 9] = [
    "def convert_value(value, kind: str):\n    yield 'value', value\n",
    "def count_items(collection):\n    yield 'count', 1\n\ndef other() -> int: ...",
    "def combine_texts(texts: list, delimiter: str = '') -> str: ...",
    "def add_to_list(items: list = None, entry=None, entries: list = None, position: int = None):\n    yield 'updated_list', []\n",
    "def step_through_items(items=None, items_object=None, items_str: str = ''):\n    yield 'item', 1\n    yield 'key', 1\n",
    "def choose_tools(prompt: str, functions: list = None, model: str = '', sys_prompt: str = '', conversation_history: list = None, last_tool_output=None):\n    yield 'tools', {}\n    yield 'finished', ''\n    yield 'conversations', []\n",
    "def generate_text(prompt: str, model: str = '', sys_prompt: str = '', prompt_values: dict = None, retry: int = 3, max_tokens: int = None):\n    yield 'response', ''\n    yield 'prompt', []\n",
    "def read_discord_messages(trigger=None):\n    yield 'message_content', ''\n",
    "def send_web_request(url: str, method: str = 'POST', headers: dict = None, json_format: bool = True, body=None):\n    yield 'response', 1\n",
];

/// The functions, and the graphs of a file.
#[derive(Default)]
pub(crate) struct Brain {
    pub(crate) lacks_functions: bool,
    pub(crate) graphs: Vec<(String, Arc<GraphContent>)>,
}

impl Blocks for Brain {
    fn signature(&self, name: &str, _: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        if let Some(content) = self.graph(name, None) {
            return Ok(Arc::new(BlockSignature::of_graph(&content)));
        }
        let start = format!("def {name}(");
        let source = SOURCES.iter().find(|source| source.starts_with(&start) && !self.lacks_functions);
        let source = source.ok_or(Missing::Name)?.split("\n\n").next().unwrap();
        let mut signature = BlockSignature::of_function(&analyse(source).unwrap().signature);
        if let Some(count) = signature.outputs.iter_mut().find(|pin| pin.name == "count") {
            count.schema = json!({"type": "integer"});
        }
        Ok(Arc::new(signature))
    }

    fn graph(&self, name: &str, _: Option<VersionNumber>) -> Option<Arc<GraphContent>> {
        self.graphs.iter().find(|(known, _)| known == name).map(|(_, content)| Arc::clone(content))
    }
}

impl Brain {
    pub(crate) fn with(imported: &Imported) -> Brain {
        let graphs = imported.graphs.iter();
        let graphs = graphs.map(|graph| (graph.name.to_string(), Arc::new(graph.content.clone())));
        Brain { graphs: graphs.collect(), ..Brain::default() }
    }
}

pub(crate) fn import(file: &Value) -> Imported {
    import_into(file, &Brain::default())
}

/// Whatever is imported can be stored.
pub(crate) fn import_into(file: &Value, brain: &Brain) -> Imported {
    let imported =
        read(file.to_string().as_bytes(), brain).unwrap_or_else(|error| panic!("{error}\n{file:#}"));
    let known = Brain { lacks_functions: brain.lacks_functions, ..Brain::with(&imported) };
    for graph in &imported.graphs {
        let problems = check(&graph.content, Some(&graph.name), &known);
        let errors: Vec<String> =
            problems.iter().filter(|one| one.is_error()).map(Problem::to_string).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{:#}", serde_json::to_value(&graph.content).unwrap());
    }
    imported
}

pub(crate) fn export(imported: &Imported) -> Exported {
    let main = &imported.graphs[0];
    write(&main.name, &main.content, &Brain::with(imported), imported.format).unwrap()
}

/// What is computed is not compared.
pub(crate) fn bare(file: &Value) -> Value {
    let mut file = file.clone();
    let graph = |graph: &mut Value| {
        for key in ["input_schema", "output_schema"] {
            graph.as_object_mut().unwrap().shift_remove(key);
        }
    };
    graph(&mut file);
    file.get_mut("sub_graphs").and_then(Value::as_array_mut).into_iter().flatten().for_each(graph);
    file
}

/// Exporting what was imported gives the same file.
pub(crate) fn round_trip(file: &Value) -> Imported {
    let imported = import(file);
    let exported = export(&imported).file;
    assert_eq!(bare(&exported), bare(file), "\n{exported:#}\n{file:#}");
    imported
}

pub(crate) fn node(id: &str, block: &str, input: Value) -> Value {
    let mut node = json!({"id": id, "block_id": block, "metadata": {"position": {"x": 1.5, "y": 2}}});
    node["input_default"] = input;
    node
}

/// `a.result -> b.value`, and `=>` for a static one.
pub(crate) fn link(text: &str) -> Value {
    let link = super::link(text);
    json!({
        "id": text, "source_id": link.from, "source_name": link.from_pin,
        "sink_id": link.to, "sink_name": link.to_pin, "is_static": link.is_static
    })
}

pub(crate) fn agent(nodes: Vec<Value>, links: &[&str]) -> Value {
    let links: Vec<Value> = links.iter().map(|text| link(text)).collect();
    let mut file = json!({
        "id": "7f9d6c1e-0000-4000-8000-000000000001", "version": 4, "is_active": true, "name": "An Agent!",
        "description": "Does things.", "instructions": null, "recommended_schedule_cron": "0 9 * * 1",
        "forked_from_id": null, "forked_from_version": null, "user_id": "", "created_at": "2026-03-01T10:00:00Z",
        "links": links, "sub_graphs": [],
        "credentials_input_schema": {"properties": {}, "required": [], "title": "x", "type": "object"},
        "has_external_trigger": false, "has_human_in_the_loop": false, "trigger_setup_info": null
    });
    file["nodes"] = nodes.into();
    file
}

pub(crate) fn old(nodes: Vec<Value>, links: &[&str]) -> Value {
    let links: Vec<Value> = links.iter().map(|text| link(text)).collect();
    let mut file = json!({
        "id": "t", "version": 2, "is_active": false, "is_template": true, "name": "T", "description": "",
        "links": links
    });
    file["nodes"] = nodes.into();
    file
}

pub(crate) fn found<'a>(content: &'a GraphContent, id: &str) -> &'a Node {
    content.node(id).unwrap_or_else(|| panic!("no node `{id}` in {:?}", content.nodes))
}

pub(crate) fn ends(links: &[Link]) -> Vec<String> {
    let dot = |a: &str, b: &str| format!("{a}.{b}");
    let arrow = |link: &Link| if link.is_static { "=>" } else { "->" };
    links
        .iter()
        .map(|link| {
            format!("{} {} {}", dot(&link.from, &link.from_pin), arrow(link), dot(&link.to, &link.to_pin))
        })
        .collect()
}

pub(crate) fn notes(imported: &Imported) -> Vec<String> {
    imported.report.notes.iter().map(ImportNote::to_string).collect()
}

pub(crate) fn whats(imported: &Imported) -> Vec<What> {
    imported.report.notes.iter().map(|note| note.what).collect()
}

pub(crate) fn refused(file: &[u8]) -> ReadError {
    read(file, &Brain::default()).unwrap_err()
}
