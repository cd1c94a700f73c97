//! Blocks of AutoGPT's graph files, by their ids, and how each is placed here: as a built-in block or a Function of the pack
//! `blocks`, with its pins renamed. Ids are opaque texts; eleven of those of 2024 are not UUIDs.
//!
//! This says what a block is called. Reading and writing graph files is left to others.

mod lists;
mod models;
mod services;
mod texts;

use self::lists::LISTS;
use self::models::MODELS;
use self::services::SERVICES;
use self::texts::TEXTS;

/// A block of a graph file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAlias {
    /// All ids it ever had; today's comes first.
    pub ids: &'static [&'static str],
    /// Its class today, such as `AddToListBlock`.
    pub class: &'static str,
    /// What stands for it: a built-in block such as `@store`, or a Function of the pack `blocks`. Empty if there is nothing.
    pub block: &'static str,
    /// Its input pins where ours are named differently, as (theirs, ours). Ours may be a path into a pin. Of several names of one
    /// pin today's comes first.
    pub inputs: &'static [(&'static str, &'static str)],
    /// The same for output pins. Of several names of one pin that of August 2024 comes last.
    pub outputs: &'static [(&'static str, &'static str)],
    /// Input pins that we do not have: what they say is lost, or said elsewhere, as credentials are by the secrets of a Function.
    pub dropped: &'static [&'static str],
    /// Constants that the placed block gets besides, as (pin, JSON).
    pub constants: &'static [(&'static str, &'static str)],
    /// Whether its output links keep their last value.
    pub is_static: bool,
    pub uses: Uses,
}

/// What a block needs beyond itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uses {
    Nothing,
    /// A language model.
    Model,
    /// A service, named as the provider of its credentials is.
    Service(&'static str),
    /// Another graph, which its constants name.
    Graph,
}

impl BlockAlias {
    const fn new(ids: &'static [&'static str], class: &'static str, block: &'static str) -> BlockAlias {
        BlockAlias {
            ids,
            class,
            block,
            inputs: &[],
            outputs: &[],
            dropped: &[],
            constants: &[],
            is_static: false,
            uses: Uses::Nothing,
        }
    }

    const fn inputs(self, inputs: &'static [(&'static str, &'static str)]) -> BlockAlias {
        BlockAlias { inputs, ..self }
    }

    const fn outputs(self, outputs: &'static [(&'static str, &'static str)]) -> BlockAlias {
        BlockAlias { outputs, ..self }
    }

    const fn dropped(self, dropped: &'static [&'static str]) -> BlockAlias {
        BlockAlias { dropped, ..self }
    }

    const fn constants(self, constants: &'static [(&'static str, &'static str)]) -> BlockAlias {
        BlockAlias { constants, ..self }
    }

    const fn kept(self) -> BlockAlias {
        BlockAlias { is_static: true, ..self }
    }

    const fn uses(self, uses: Uses) -> BlockAlias {
        BlockAlias { uses, ..self }
    }

    /// Whether it can be run here; if not, a placeholder stands for it.
    pub fn is_available(&self) -> bool {
        !self.block.is_empty()
    }

    /// The name here of an input pin or of a path into one, such as `list` or `input_$_0`; `None` if it is dropped.
    pub fn input(&self, pin: &str) -> Option<String> {
        let (name, path) = split(pin);
        if self.dropped.contains(&name) {
            return None;
        }
        Some(renamed(self.inputs, pin, name, path))
    }

    /// The same for an output pin. All of them are there if the block is.
    pub fn output(&self, pin: &str) -> String {
        let (name, path) = split(pin);
        renamed(self.outputs, pin, name, path)
    }

    /// Today's name of an input pin of ours.
    pub fn their_input(&self, pin: &str) -> String {
        original(self.inputs.iter(), pin)
    }

    /// Today's name of an output pin of ours.
    pub fn their_output(&self, pin: &str) -> String {
        original(self.outputs.iter(), pin)
    }

    /// What it was called in August 2024.
    pub fn output_in_2024(&self, pin: &str) -> String {
        original(self.outputs.iter().rev(), pin)
    }
}

/// The block of an id.
pub fn alias(id: &str) -> Option<&'static BlockAlias> {
    all().find(|alias| alias.ids.contains(&id))
}

/// All blocks that are known, those that are not available included.
pub fn all() -> impl Iterator<Item = &'static BlockAlias> {
    [TEXTS, LISTS, MODELS, SERVICES].into_iter().flatten()
}

/// The marks that begin a path into a pin.
const PATH: [&str; 3] = ["_$_", "_#_", "_@_"];

fn split(pin: &str) -> (&str, &str) {
    let at = PATH.iter().filter_map(|mark| pin.find(mark)).min().unwrap_or(pin.len());
    pin.split_at(at)
}

/// A whole path may have a name of its own.
fn renamed(names: &[(&str, &str)], pin: &str, name: &str, path: &str) -> String {
    let find = |theirs: &str| names.iter().find(|(known, _)| *known == theirs).map(|(_, ours)| *ours);
    match find(pin) {
        Some(ours) => ours.to_owned(),
        None => format!("{}{path}", find(name).unwrap_or(name)),
    }
}

/// The first that fits.
fn original<'a>(mut names: impl Iterator<Item = &'a (&'a str, &'a str)>, pin: &str) -> String {
    let rest = |ours: &str| pin.strip_prefix(ours).filter(|rest| split(rest).0.is_empty());
    let found = names.find_map(|(theirs, ours)| Some(format!("{theirs}{}", rest(ours)?)));
    found.unwrap_or_else(|| pin.to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn an_id_and_a_class_name_one_block() {
        let mut ids = HashSet::new();
        let mut classes = HashSet::new();
        for block in all() {
            assert!(classes.insert(block.class), "`{}` stands there twice", block.class);
            assert!(!block.ids.is_empty());
            for id in block.ids {
                assert!(id.len() == 36 && ids.insert(id), "`{id}` of `{}`", block.class);
            }
        }
        assert_eq!(alias("no such id"), None);
    }

    #[test]
    fn ids_that_are_no_uuids_are_known() {
        let is_uuid = |id: &&&str| id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        let odd: Vec<&str> = all().flat_map(|block| block.ids).filter(|id| !is_uuid(id)).copied().collect();
        // Those of the blocks of 2024, and a note of September 2024.
        assert_eq!(odd.len(), 11 + 1, "{odd:?}");
    }

    #[test]
    fn pins_of_both_generations_are_renamed_and_paths_stay() {
        let output = alias("363ae599-353e-4804-937e-b2ee3cef3da4").unwrap();
        assert_eq!((output.output("output"), output.output("value")), ("output".into(), "output".into()));
        let input = alias("c0a8e994-ebf1-4a9c-a4d8-89d09c86741b").unwrap();
        assert_eq!((input.output("result"), input.output("value")), ("output".into(), "output".into()));
        assert_eq!(input.their_output("output"), "result");
        assert_eq!(input.output_in_2024("output"), "value");
        let timer = alias("d67a9c52-5e4e-11e2-bcfd-0800200c9a71").unwrap();
        assert_eq!(
            (timer.their_output("message"), timer.output_in_2024("message_#_a")),
            ("output_message".into(), "message_#_a".into())
        );
        assert_eq!(
            (timer.output("message"), timer.output("output_message")),
            ("message".into(), "message".into())
        );
        let list = alias("aeb08fc1-2fc1-4141-bc8e-f758f183a822").unwrap();
        assert_eq!(list.input("list_$_0").as_deref(), Some("items_$_0"));
        assert_eq!(list.their_input("items_$_0"), "list_$_0");
        assert_eq!(list.their_input("entry"), "entry");
        let text = alias("db7d8f02-2f44-4c55-ab7a-eae0941f0c30").unwrap();
        assert_eq!(text.input("texts_$_1").as_deref(), Some("values_#_texts_$_1"));
        assert_eq!(text.their_input("values_#_a"), "values_#_a");
        assert_eq!(text.input("escape_html"), None);
        let combine = alias("e30a4d42-7b7d-4e6a-b36e-1f9b8e3b7d85").unwrap();
        assert_eq!(combine.input("input2").as_deref(), Some("texts_$_1"));
        assert_eq!(combine.their_input("texts_$_1_#_a"), "input_$_1_#_a");
    }
}
