//! Host verbs: everything a Function can ask of the server while it runs. This table is the only list of them: the module
//! `selfmade` in a cell, the engine, trials and `docs/functions.md` are generated from it or compared with it.

use crate::access::grants::{BrainGrant, Grants, StorageGrant};
use crate::access::verb::Verb;

/// What a Function must be granted to ask for a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbGrant {
    /// Nothing: it reaches only the Run's own record, time, chance and people.
    Free,
    Brain(BrainGrant),
    Model,
    Files,
    Storage(StorageGrant),
    /// Only generated code asks for it, never an author's.
    Hidden,
}

/// What a trial answers if the test has no mock for the verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTrial {
    /// The time it is.
    Time,
    /// A random number.
    Chance,
    /// Nothing, at once.
    Nothing,
    /// A refusal that asks for a mock.
    Refused,
}

/// The values that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbType {
    Text,
    Number,
    List,
    Object,
    TextOrBytes,
    Any,
    /// Everything that follows, by position or by name, for the function that the verb runs.
    Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerbParameter {
    pub name: &'static str,
    pub takes: VerbType,
    /// As Python writes it; absent if the parameter is required.
    pub default: Option<&'static str>,
}

/// One row of the table.
#[derive(Debug)]
pub struct HostVerbRow {
    /// As functions write it after `selfmade.`.
    pub name: &'static str,
    pub parameters: &'static [VerbParameter],
    pub grant: VerbGrant,
    pub in_trial: InTrial,
    /// Whether it is a Step of the Run.
    pub is_journaled: bool,
    /// What it answers, in one line.
    pub description: &'static str,
}

const fn required(name: &'static str, takes: VerbType) -> VerbParameter {
    VerbParameter { name, takes, default: None }
}

const fn optional(name: &'static str, takes: VerbType, default: &'static str) -> VerbParameter {
    VerbParameter { name, takes, default: Some(default) }
}

const NAME: VerbParameter = required("name", Text);
const ARGUMENTS: VerbParameter = required("arguments", Rest);
const READ: VerbGrant = VerbGrant::Brain(BrainGrant::Read);
const KEY: VerbParameter = required("key", Text);
const SCOPE: VerbParameter = optional("scope", Text, "'function'");
const STORED: VerbGrant = VerbGrant::Storage(StorageGrant::Read);
const STORE: VerbGrant = VerbGrant::Storage(StorageGrant::Write);
const PROPOSE: VerbGrant = VerbGrant::Brain(BrainGrant::Propose);

/// Whether a verb is a Step.
const STEP: bool = true;
const UNRECORDED: bool = false;

macro_rules! host_verbs {
    ($($verb:ident: $name:literal, [$($parameter:expr),*], $grant:expr, $in_trial:ident, $journaled:expr,
        $description:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum HostVerb { $($verb,)* }

        impl HostVerb {
            pub const ALL: &[HostVerb] = &[$(HostVerb::$verb,)*];

            /// The verb of this name, if there is one.
            pub fn named(name: &str) -> Option<HostVerb> {
                match name { $($name => Some(HostVerb::$verb),)* _ => None }
            }

            pub fn row(self) -> &'static HostVerbRow {
                // One row for each variant, in the same order.
                &ROWS[self as usize]
            }
        }

        static ROWS: &[HostVerbRow] = &[$(HostVerbRow {
            name: $name,
            parameters: &[$($parameter),*],
            grant: $grant,
            in_trial: InTrial::$in_trial,
            is_journaled: $journaled,
            description: $description,
        },)*];
    };
}

use VerbGrant::{Files, Free, Hidden, Model};
use VerbType::{Any, List, Number, Object, Rest, Text, TextOrBytes};

host_verbs! {
    Now: "now", [], Free, Time, STEP,
        "the time, in seconds since 1970";
    Random: "random", [], Free, Chance, STEP,
        "a random number from 0 to 1";
    Sleep: "sleep", [required("seconds", Number)], Free, Nothing, STEP,
        "nothing, after that many seconds; a long sleep releases the cell";
    Log: "log", [required("message", Any)], Free, Nothing, STEP,
        "nothing; the message appears in the run's stream, in order with what the function prints";
    Emit: "emit", [NAME, optional("data", Any, "None")], Free, Nothing, STEP,
        "nothing; appends the event `custom.NAME`, which triggers may watch";
    Ask: "ask", [required("question", Text), optional("options", List, "None")], Free, Refused, STEP,
        "a person's answer, however long it takes; one of the options, if there are any";
    AskBudget: "ask_budget", [required("reason", Text), optional("money", Number, "None"),
        optional("tokens", Number, "None"), optional("turns", Number, "None"), optional("functions", Number, "None"),
        optional("seconds", Number, "None"), optional("depth", Number, "None")], Free, Refused, STEP,
        "what a person added to the run's budget, by name, however long it takes; nothing if they said no";
    Run: "run", [NAME, ARGUMENTS], READ, Refused, STEP,
        "what that function returns, run in a cell of its own";
    BrainList: "brain.list", [optional("after", Text, "None"), optional("limit", Number, "200")], READ, Refused, STEP,
        "names and descriptions of stored functions, in order of their names";
    BrainSearch: "brain.search", [required("query", Text), optional("limit", Number, "10")], READ, Refused, STEP,
        "the stored functions that match the query, best first";
    BrainRead: "brain.read", [NAME], READ, Refused, STEP,
        "everything stored about a function, or the run's own draft of it";
    BrainDraft: "brain.draft", [required("source", Text), optional("name", Text, "None")], PROPOSE, Refused, STEP,
        "what the source would be stored as; only this run sees the draft";
    BrainCheck: "brain.check", [], PROPOSE, Refused, STEP,
        "the results of checking the run's drafts";
    BrainPropose: "brain.propose", [optional("title", Text, "None"), optional("wait", Any, "False")], PROPOSE, Refused,
        STEP,
        "the changeset made from the run's drafts, its state, its checks and what was said about it; with `wait`, once somebody has decided";
    ModelChat: "model.chat",
        [required("messages", List), optional("model", Text, "'strong'"), optional("tools", List, "None"),
        optional("schema", Object, "None"), optional("max_tokens", Number, "None"), optional("temperature", Number, "None"),
        optional("effort", Text, "None")], Model, Refused, STEP,
        "what a language model says: text, calls of tools, tokens and cost; its `message` belongs to the next turn";
    ToolsList: "tools.list", [], READ, Refused, STEP,
        "the meta-tools that a language model can be offered, each with name, description and parameters";
    ToolsCall: "tools.call", [NAME, optional("arguments", Object, "None")], READ, Refused, STEP,
        "what a meta-tool answers: ok, a text for the model, and data; what goes wrong is a text, too";
    ModelComplete: "model.complete", [required("request", Object)], Model, Refused, STEP,
        "a chat completion of the language model, in the form of OpenAI's API";
    ModelEmbed: "model.embed", [required("request", Object)], Model, Refused, STEP,
        "embeddings of the language model, in the form of OpenAI's API";
    FilesList: "files.list", [], Files, Refused, STEP,
        "the names of the files in the run's own folder";
    FilesRead: "files.read", [NAME], Files, Refused, STEP,
        "the content of a file in the run's own folder: text, or bytes if it is not UTF-8";
    FilesWrite: "files.write", [NAME, required("content", TextOrBytes)], Files, Refused, STEP,
        "nothing; writes a file into the run's own folder";
    FilesRemove: "files.remove", [NAME], Files, Refused, STEP,
        "nothing; removes a file from the run's own folder";
    StorageGet: "storage.get", [KEY, optional("default", Any, "None"), SCOPE], STORED, Refused, STEP,
        "the value that is stored under a key, or the default; the scope is function, graph or brain";
    StorageList: "storage.list", [optional("after", Text, "None"), optional("limit", Number, "200"), SCOPE], STORED,
        Refused, STEP,
        "the keys of a scope that have values, in order";
    StorageSet: "storage.set", [KEY, optional("value", Any, "None"), SCOPE], STORE, Refused, STEP,
        "nothing; stores a value that later runs can get";
    StorageRemove: "storage.remove", [KEY, SCOPE], STORE, Refused, STEP,
        "whether there was a value to remove";
    FuncRun: "babyagi.run", [NAME, ARGUMENTS], READ, Refused, STEP,
        "what the live version of that function returns, run in a cell of its own";
    FuncGetFunction: "babyagi.get_function", [NAME], READ, Refused, STEP,
        "a function as it is stored now, in BabyAGI's form";
    FuncGetFunctions: "babyagi.get_functions", [optional("after", Text, "None")], READ, Refused, STEP,
        "the next 200 functions in order of their names, in BabyAGI's form";
    FuncGetFunctionVersions: "babyagi.get_function_versions", [NAME], READ, Refused, STEP,
        "all versions of a function, in BabyAGI's form";
    FuncGetFunctionImports: "babyagi.get_function_imports", [NAME], READ, Refused, STEP,
        "what a function imports";
    FuncGetAllImports: "babyagi.get_all_imports", [], READ, Refused, STEP,
        "what all functions import";
    FuncGetTriggers: "babyagi.get_triggers", [NAME], READ, Refused, STEP,
        "the functions after which this one runs";
    FuncGetTriggered: "babyagi.get_triggered", [NAME], READ, Refused, STEP,
        "the functions that run after this one";
    FuncAddFunction: "babyagi.add_function", [NAME, required("stated", Object)], PROPOSE, Refused, STEP,
        "whether the function is stored now, and if not, why";
    FuncUpdateFunction: "babyagi.update_function", [NAME, required("stated", Object)], PROPOSE, Refused, STEP,
        "whether the function is changed now, and if not, why";
    FuncActivateFunctionVersion: "babyagi.activate_function_version", [NAME, required("version", Number)], PROPOSE,
        Refused, STEP,
        "whether that version is live now, and if not, why";
    FuncAddTrigger: "babyagi.add_trigger", [required("triggered", Text), optional("triggering", Text, "None")], PROPOSE,
        Refused, STEP,
        "whether the trigger is stored now, and if not, why";
    FuncRemoveFunction: "babyagi.remove_function", [NAME], PROPOSE, Refused, STEP,
        "whether the function is deleted now, and if not, why";
    Call: "call", [required("version", Text), required("positional", List), required("named", Object)], Hidden, Refused,
        STEP,
        "what a dependency returns that runs in a cell of its own";
    Mock: "mock", [NAME], Hidden, Nothing, UNRECORDED,
        "what a test says that a dependency returns";
}

impl HostVerb {
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Those that a Function with these grants can ask for.
    pub fn granted(grants: &Grants) -> impl Iterator<Item = HostVerb> {
        HostVerb::ALL.iter().copied().filter(|verb| match verb.row().grant {
            Free => true,
            VerbGrant::Brain(least) => grants.brain >= least,
            Model => grants.model,
            Files => grants.files,
            VerbGrant::Storage(least) => grants.storage >= least,
            Hidden => false,
        })
    }

    /// What the starter of the Run must be allowed to do. The other verbs are checked by what they lead to.
    pub fn needs(self) -> Option<Verb> {
        match (self, self.row().grant) {
            (HostVerb::Emit, _) => Some(Verb::EmitEvent),
            (HostVerb::Ask | HostVerb::AskBudget, _) | (_, Model | Files | VerbGrant::Storage(_)) => {
                Some(Verb::StartRun)
            }
            _ => None,
        }
    }

    /// Whether its answer depends on what the Run may see of the brain.
    pub fn shows_the_brain(self) -> bool {
        matches!(self.row().grant, VerbGrant::Brain(_))
    }
}

impl HostVerbRow {
    /// The parameters as Python declares them, with types.
    pub fn signature(&self) -> String {
        self.parameters.iter().map(VerbParameter::declared).collect::<Vec<_>>().join(", ")
    }

    /// The verb as a document shows it: `brain.search(query, limit=10)`.
    pub fn usage(&self) -> String {
        let shown = self.parameters.iter().map(|parameter| match (parameter.takes, parameter.default) {
            (Rest, _) => "…".to_owned(),
            (_, Some(default)) => format!("{}={default}", parameter.name),
            (_, None) => parameter.name.to_owned(),
        });
        format!("{}({})", self.name, shown.collect::<Vec<_>>().join(", "))
    }
}

impl VerbParameter {
    fn declared(&self) -> String {
        let kind = match self.takes {
            // The slash lets the function that is run have a parameter of the same name as one before it.
            Rest => return "/, *args, **kwargs".to_owned(),
            Text => ": str",
            Number => ": float",
            List => ": list",
            Object => ": dict",
            TextOrBytes => ": str | bytes",
            Any => "",
        };
        match self.default {
            Some("None") if !kind.is_empty() => format!("{}{kind} | None = None", self.name),
            Some(default) if kind.is_empty() => format!("{}={default}", self.name),
            Some(default) => format!("{}{kind} = {default}", self.name),
            None => format!("{}{kind}", self.name),
        }
    }
}
