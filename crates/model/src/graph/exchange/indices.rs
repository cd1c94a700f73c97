//! Indices of lists in files of 2024. They said only in which order values were appended to the list that was there: `texts_$_1`,
//! `texts_$_2` made a list of two. Here an index is a place.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::graph::GraphContent;
use crate::graph::pin_path::{Part, PinPath};

/// A node, and the pin with the path to a list.
type ListAt = (String, String, Vec<Part>);

pub(super) fn renumber(content: &mut GraphContent) {
    let mut lists: BTreeMap<ListAt, BTreeSet<i64>> = BTreeMap::new();
    let links = content.links.iter().map(|link| (&link.to, &link.to_pin));
    let constants = content.nodes.iter().flat_map(|node| node.input.keys().map(|pin| (&node.id, pin)));
    for (node, pin) in links.chain(constants) {
        if let Some((list, index, _)) = split(node, pin) {
            lists.entry(list).or_default().insert(index);
        }
    }
    let places: HashMap<ListAt, HashMap<i64, i64>> = lists
        .into_iter()
        .map(|(list, indices)| {
            let first = appended_to(content, &list);
            let places = indices.into_iter().zip(first..).collect();
            (list, places)
        })
        .collect();
    let new = |node: &str, pin: &str| {
        let (list, index, rest) = split(node, pin)?;
        let place = *places.get(&list)?.get(&index)?;
        (place != index).then(|| spelled(&list.1, list.2.iter().chain(&[Part::Index(place)]).chain(&rest)))
    };
    for link in &mut content.links {
        if let Some(pin) = new(&link.to, &link.to_pin) {
            link.to_pin = pin;
        }
    }
    for node in &mut content.nodes {
        let input = std::mem::take(&mut node.input);
        node.input =
            input.into_iter().map(|(pin, value)| (new(&node.id, &pin).unwrap_or(pin), value)).collect();
    }
}

/// The list that a path leads into, the index there, and what follows.
fn split(node: &str, pin: &str) -> Option<(ListAt, i64, Vec<Part>)> {
    let path = PinPath::parse(pin).ok()?;
    let at = path.parts().iter().position(|part| matches!(part, Part::Index(_)))?;
    let Part::Index(index) = path.parts()[at] else { return None };
    let list = (node.to_owned(), path.pin().to_owned(), path.parts()[..at].to_vec());
    Some((list, index, path.parts()[at + 1..].to_vec()))
}

/// How many elements the list has to begin with.
fn appended_to(content: &GraphContent, (node, pin, parts): &ListAt) -> i64 {
    let given = content.node(node).and_then(|node| node.input.get(pin)).and_then(|value| value.as_array());
    given.filter(|_| parts.is_empty()).map_or(0, |items| items.len() as i64)
}

fn spelled<'a>(pin: &str, parts: impl Iterator<Item = &'a Part>) -> String {
    parts.fold(pin.to_owned(), |text, part| match part {
        Part::Key(key) => format!("{text}_#_{key}"),
        Part::Index(index) => format!("{text}_$_{index}"),
    })
}
