//! Patches as they are typed. Each kind has its option; a node's id ends at the first dot.

use model::graph::patch::{LinkKey, Patch};
use model::graph::{Link, Node};
use model::version::VersionNumber;
use serde_json::Number;

use crate::commands::graph::pins::{ends, pin};
use crate::commands::run::value_of;
use crate::error::Error;

#[derive(Debug, clap::Args)]
pub(in crate::commands::graph) struct Patches {
    /// Add a node with this id and block, such as each=@iterate or sum=add@3
    #[arg(long, value_name = "ID=BLOCK")]
    add: Vec<String>,
    /// Give a node another id; its links follow
    #[arg(long, value_name = "OLD=NEW")]
    rename: Vec<String>,
    /// Set a constant, as JSON or text
    #[arg(long, value_name = "ID.PIN=VALUE")]
    set: Vec<String>,
    /// Remove a constant
    #[arg(long, value_name = "ID.PIN")]
    unset: Vec<String>,
    /// Link an output pin to an input pin
    #[arg(long, value_name = "FROM.PIN=TO.PIN")]
    connect: Vec<String>,
    /// Remove a link
    #[arg(long, value_name = "FROM.PIN=TO.PIN")]
    disconnect: Vec<String>,
    /// Place a node on the canvas of an editor
    #[arg(long = "move", value_name = "ID=X,Y", allow_hyphen_values = true)]
    moved: Vec<String>,
    /// Remove a node and its links
    #[arg(long, value_name = "ID")]
    remove: Vec<String>,
}

/// Reads one edit; nothing of what is not one.
type Reading = fn(&str) -> Option<Patch>;

impl Patches {
    /// In the order of the options above, whatever order they were typed in.
    pub(in crate::commands::graph) fn read(&self) -> Result<Vec<Patch>, Error> {
        let kinds: [(&[String], Reading, &str); 8] = [
            (&self.add, add, "--add ID=BLOCK"),
            (&self.rename, rename, "--rename OLD=NEW"),
            (&self.set, set, "--set ID.PIN=VALUE"),
            (&self.unset, unset, "--unset ID.PIN"),
            (&self.connect, connect, "--connect FROM.PIN=TO.PIN"),
            (&self.disconnect, disconnect, "--disconnect FROM.PIN=TO.PIN"),
            (&self.moved, moved, "--move ID=X,Y"),
            (&self.remove, remove, "--remove ID"),
        ];
        let mut patches = Vec::new();
        for (texts, read, form) in kinds {
            for text in texts {
                patches.push(read(text).ok_or_else(|| unreadable(text, form))?);
            }
        }
        Ok(patches)
    }
}

fn unreadable(text: &str, form: &str) -> Error {
    Error::Input {
        problem: format!("`{text}` cannot be read"),
        hint: format!("write `{form}`; an id with a dot is written in a file of patches"),
    }
}

fn add(text: &str) -> Option<Patch> {
    let (id, block) = text.split_once('=')?;
    // A built-in block begins with the mark that parts a name and its version.
    let pinned = block.rsplit_once('@').filter(|(name, _)| !name.is_empty());
    let node = match pinned {
        Some((name, version)) => {
            Node { version: Some(version.parse::<VersionNumber>().ok()?), ..Node::new(id, name) }
        }
        None => Node::new(id, block),
    };
    Some(Patch::Add { node, at: None })
}

fn rename(text: &str) -> Option<Patch> {
    let (node, to) = text.split_once('=')?;
    Some(Patch::Rename { node: node.to_owned(), to: to.to_owned() })
}

fn set(text: &str) -> Option<Patch> {
    let (target, value) = text.split_once('=')?;
    let (node, pin) = pin(target)?;
    Some(Patch::Set { node, pin, value: value_of(value, None) })
}

fn unset(text: &str) -> Option<Patch> {
    let (node, pin) = pin(text)?;
    Some(Patch::Unset { node, pin })
}

fn connect(text: &str) -> Option<Patch> {
    let [from, from_pin, to, to_pin] = ends(text)?;
    Some(Patch::Connect { link: Link::new(&from, &from_pin, &to, &to_pin), at: None })
}

fn disconnect(text: &str) -> Option<Patch> {
    let [from, from_pin, to, to_pin] = ends(text)?;
    Some(Patch::Disconnect { link: LinkKey::Ends { from, from_pin, to, to_pin } })
}

fn moved(text: &str) -> Option<Patch> {
    let (node, place) = text.split_once('=')?;
    let (x, y) = place.split_once(',')?;
    let number = |text: &str| serde_json::from_str::<Number>(text.trim()).ok();
    Some(Patch::Move { node: node.to_owned(), x: number(x)?, y: number(y)? })
}

fn remove(text: &str) -> Option<Patch> {
    Some(Patch::Remove { node: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(patch: Option<Patch>) -> serde_json::Value {
        serde_json::to_value(patch.unwrap()).unwrap()
    }

    #[test]
    fn a_pin_may_have_a_path_and_a_block_a_version() {
        let link = json!({"from": "a", "from_pin": "r[0].k", "to": "b", "to_pin": "x"});
        assert_eq!(written(connect("a.r[0].k=b.x")), json!({"op": "connect", "link": link}));
        assert_eq!(written(add("a=add@3"))["node"], json!({"id": "a", "block": "add", "version": 3}));
        assert_eq!(written(add("a=@iterate"))["node"], json!({"id": "a", "block": "@iterate"}));
        assert_eq!(written(moved("a=-1.5,20")), json!({"op": "move", "node": "a", "x": -1.5, "y": 20}));
        assert_eq!(written(set("a.text=x=y"))["value"], "x=y");
    }

    #[test]
    fn what_is_incomplete_is_not_guessed() {
        assert!(
            [set("a=1"), set("a.=1"), unset(".x"), connect("a.x"), add("a"), add("a=add@x"), moved("a=1")]
                .iter()
                .all(Option::is_none)
        );
    }
}
