//! Slots: the linked input pins of a node. Links to one path share a slot, where their values wait in line.

use std::collections::{HashMap, HashSet};

use super::pin_path::{Part, PinPath};
use super::resolve::Resolved;

#[derive(Debug)]
pub(super) struct Slots {
    /// Of each node, wholes before their parts.
    pub(super) of_node: Vec<Vec<PinPath>>,
    /// Of each link, the slot of the node it leads to.
    pub(super) of_link: Vec<Option<usize>>,
    /// Of each node the paths by pin: a graph may have many of them.
    by_pin: Vec<HashMap<String, HashSet<Vec<Part>>>>,
}

impl Slots {
    pub(super) fn of(resolved: &Resolved<'_>) -> Slots {
        let mut of_node: Vec<Vec<PinPath>> = vec![Vec::new(); resolved.nodes.len()];
        let mut positions: HashMap<(usize, &PinPath), usize> = HashMap::new();
        for link in resolved.links.iter().flatten() {
            positions.entry((link.to, &link.to_pin)).or_insert_with(|| {
                of_node[link.to].push(link.to_pin.clone());
                0
            });
        }
        for (node, paths) in of_node.iter_mut().enumerate() {
            paths.sort_by_key(|path| path.parts().len());
            for (at, path) in paths.iter().enumerate() {
                if let Some(position) = positions.get_mut(&(node, path)) {
                    *position = at;
                }
            }
        }
        let of_link = resolved.links.iter().map(|link| {
            let link = link.as_ref()?;
            positions.get(&(link.to, &link.to_pin)).copied()
        });
        let of_link = of_link.collect();
        let by_pin = of_node.iter().map(|paths| by_pin(paths)).collect();
        Slots { of_node, of_link, by_pin }
    }

    /// Whether a link leads to this very path, so that a constant there is ignored.
    pub(super) fn replaces(&self, node: usize, path: &PinPath) -> bool {
        self.by_pin[node].get(path.pin()).is_some_and(|paths| paths.contains(path.parts()))
    }

    /// Whether it is a part of what arrives over a link, so that a constant is written into that.
    pub(super) fn is_part(&self, node: usize, path: &PinPath) -> bool {
        let parts = path.parts();
        let paths = self.by_pin[node].get(path.pin());
        paths.is_some_and(|paths| (0..parts.len()).any(|count| paths.contains(&parts[..count])))
    }

    /// Whether a link leads to the pin or to a part of it.
    pub(super) fn has(&self, node: usize, pin: &str) -> bool {
        self.by_pin[node].contains_key(pin)
    }
}

fn by_pin(paths: &[PinPath]) -> HashMap<String, HashSet<Vec<Part>>> {
    let mut found: HashMap<String, HashSet<Vec<Part>>> = HashMap::new();
    for path in paths {
        found.entry(path.pin().to_owned()).or_default().insert(path.parts().to_vec());
    }
    found
}
