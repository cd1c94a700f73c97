//! Meta-tools: the eight things that a language model can ask of a brain. This table is the only list of them: host verbs, and
//! later other doors, offer what is here. A model never sees a list of functions; it searches.

pub mod description;
pub mod promotion;
pub mod text;

use serde_json::{Map, Value, json};

use crate::access::Access;
use crate::access::grants::BrainGrant;
use crate::access::verb::Verb;
use crate::function::signature::Signature;
use crate::input::{InputError, InputSchema};

/// One row of the table.
#[derive(Debug)]
pub struct MetaToolRow {
    pub name: &'static str,
    /// What a model reads to decide whether to call it.
    pub description: &'static str,
    /// What a function that offers it must be granted of the brain.
    pub needs: BrainGrant,
    /// What whoever it is offered for must be allowed to do.
    pub verb: Verb,
    schema: fn() -> Value,
}

macro_rules! meta_tools {
    ($($tool:ident: $name:literal, $needs:ident, $verb:ident, $description:literal, $schema:tt;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum MetaTool { $($tool,)* }

        impl MetaTool {
            pub const ALL: &[MetaTool] = &[$(MetaTool::$tool,)*];

            pub fn named(name: &str) -> Option<MetaTool> {
                match name { $($name => Some(MetaTool::$tool),)* _ => None }
            }

            pub fn row(self) -> &'static MetaToolRow {
                // One row for each variant, in the same order.
                &ROWS[self as usize]
            }
        }

        static ROWS: &[MetaToolRow] = &[$(MetaToolRow {
            name: $name,
            description: $description,
            needs: BrainGrant::$needs,
            verb: Verb::$verb,
            schema: || json!($schema),
        },)*];
    };
}

meta_tools! {
    Search: "search", Read, SearchFunctions,
        "Find stored functions and graphs by what they do. Say what you need in a few words, such as `count words in a text`. \
         The best matches come first, each with its signature and one line about it. Search before you write anything: what \
         is stored is tested. Use `describe` for more about one of them.",
        {
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "What it should do, in a few words." },
                "limit": { "type": "integer", "minimum": 1, "maximum": 20, "description": "How many to show; 8 if omitted." },
            },
            "required": ["query"],
            "additionalProperties": false,
        };
    Describe: "describe", Read, ReadFunctions,
        "Show everything needed to call one function or graph: its signature, its documentation, what it may reach, what it \
         calls, example calls with their results, and how often its runs succeeded. Also shows a draft of yours.",
        {
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "The full name, as `search` shows it." },
            },
            "required": ["name"],
            "additionalProperties": false,
        };
    Run: "run", Read, StartRun,
        "Run one stored function or graph, or try a draft of yours, and get what it returns. A draft is tried without network \
         and secrets. To call several functions, or to work on what they return, use `run_code`.",
        {
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "The full name of the function or graph." },
                "input": { "type": "object", "description": "Its arguments by name; none if omitted." },
            },
            "required": ["name"],
            "additionalProperties": false,
        };
    RunCode: "run_code", Read, ProposeChangeset,
        "Run a Python script in a sandbox. Stored functions are called by their names, without imports: `word_count(text)`. \
         The keys of `input` are variables. The result is the last expression, or what a top-level `return` gives; what is \
         printed is shown too. Only the result comes back, so filter and combine large data inside the script. Errors come \
         with line numbers. A script that worked can become a stored function: `draft` with `from_run`.",
        {
            "type": "object",
            "properties": {
                "code": { "type": "string", "description": "The script: Python statements." },
                "input": { "type": "object", "description": "Variables of the script, by name." },
                "grants": {
                    "type": "object",
                    "description": "What the script itself may reach, such as {\"network\": [\"api.example.com\"]}. \
                        Functions that it calls have their own grants, so this is rarely needed.",
                },
            },
            "required": ["code"],
            "additionalProperties": false,
        };
    Draft: "draft", Propose, ProposeChangeset,
        "Write a function, or change one. Give `source`: one typed function with a docstring, decorated with \
         `@selfmade.function(tests=[{\"input\": {…}, \"expect\": {\"output\": …}}])`; begin with `import selfmade`. Or give \
         `from_run`, the run of a script that worked, and `name`: the script becomes the function, its input the parameters, \
         and what it returned the first test. A draft is seen by nobody else. A second draft of the same name replaces the \
         first. `check` the drafts, then `propose` them.",
        {
            "type": "object",
            "properties": {
                "source": { "type": "string", "description": "The file with the function and its decorator." },
                "from_run": { "type": "string", "description": "The id of a run that `run_code` made." },
                "name": {
                    "type": "string",
                    "description": "The full name, if it is not the one that the source defines; needed with `from_run`.",
                },
            },
            "additionalProperties": false,
        };
    Check: "check", Propose, ProposeChangeset,
        "Check all your drafts together: whether they parse, whether every name exists, types, their tests in a sandbox, and \
         what a person has to approve. Nothing is changed. Correct what failed with `draft`, and check again.",
        { "type": "object", "properties": {}, "additionalProperties": false };
    Propose: "propose", Propose, ProposeChangeset,
        "Propose all your drafts as one change. Depending on the server's policy it is applied at once if its checks pass, or \
         a person decides. The answer says which, and why. Propose only what `check` passed.",
        {
            "type": "object",
            "properties": {
                "title": { "type": "string", "description": "What the change is for, in one line." },
            },
            "required": ["title"],
            "additionalProperties": false,
        };
    Ask: "ask", Read, StartRun,
        "Ask a person and wait for the answer, however long it takes. Use it when the request is unclear, or when only a \
         person can decide. Ask one short question, and offer options if there are few possible answers.",
        {
            "type": "object",
            "properties": {
                "question": { "type": "string", "description": "One short question." },
                "options": { "type": "array", "items": { "type": "string" }, "description": "Possible answers." },
            },
            "required": ["question"],
            "additionalProperties": false,
        };
}

impl MetaTool {
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// JSON Schema of its arguments.
    pub fn schema(self) -> Value {
        (self.row().schema)()
    }

    /// Whether a function that holds so much of the brain can offer it for somebody.
    pub fn is_offered(self, access: &Access, held: BrainGrant) -> bool {
        held >= self.row().needs && access.may(self.row().verb).is_ok()
    }

    /// What of the arguments is not as the schema says.
    pub fn check(self, arguments: &Map<String, Value>) -> Result<(), InputError> {
        let signature = Signature { input: self.schema(), ..Signature::unknown() };
        InputSchema::compile(&signature).check(arguments)
    }

    /// As model servers are told of it.
    pub fn definition(self) -> Value {
        json!({ "name": self.name(), "description": self.row().description, "parameters": self.schema() })
    }
}

/// What is said of a tool that there is not.
pub fn unknown(name: &str) -> String {
    let names: Vec<String> = MetaTool::ALL.iter().map(|tool| format!("`{}`", tool.name())).collect();
    let called = text::one_line(name, 80);
    format!(
        "there is no tool `{called}`; the tools are {}. Stored functions are no tools: call one with `run`, or by its name \
         in a script with `run_code`",
        crate::phrase::list(&names, "and")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(tool: MetaTool, arguments: &Value) -> String {
        tool.check(arguments.as_object().unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn there_are_eight_and_each_is_found_by_its_name() {
        assert_eq!(MetaTool::ALL.len(), 8);
        for tool in MetaTool::ALL {
            assert_eq!(MetaTool::named(tool.name()), Some(*tool));
        }
        let definition = unknown("word_count");
        assert!(MetaTool::ALL.iter().all(|tool| definition.contains(&format!("`{}`", tool.name()))));
    }

    #[test]
    fn every_schema_is_closed_and_says_what_each_argument_is() {
        for tool in MetaTool::ALL {
            let schema = tool.schema();
            assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
            let properties = schema["properties"].as_object().unwrap();
            assert!(properties.values().all(|property| property["description"].is_string()), "{schema}");
            let required = schema["required"].as_array().into_iter().flatten();
            assert!(required.into_iter().all(|name| properties.contains_key(name.as_str().unwrap())));
        }
    }

    #[test]
    fn a_wrong_argument_is_told_with_its_path_and_what_is_expected() {
        insta::assert_snapshot!(refusal(MetaTool::Search, &json!({})), @"`query` is required");
        insta::assert_snapshot!(refusal(MetaTool::Search, &json!({"query": 1, "limit": 99})), @"`query` must be a string, not the number 1; `limit` does not match its schema: 99 is greater than the maximum of 20");
        insta::assert_snapshot!(refusal(MetaTool::Run, &json!({"name": "f", "arguments": {}})), @"`arguments` is not a parameter; the parameters are `input`, `name`");
        insta::assert_snapshot!(refusal(MetaTool::Ask, &json!({"question": "Which?", "options": ["a", 2]})), @"`options[1]` must be a string, not the number 2");
        assert!(MetaTool::Check.check(&Map::new()).is_ok());
    }
}
