//! Packs: entries that are loaded together, from a file or a folder.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::access::grants::Grants;
use crate::function::FunctionContent;
use crate::ids::PackId;
use crate::name::EntryName;
use crate::python::Dialect;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Pack {
    pub pack_id: PackId,
    pub name: String,
    /// The file or folder it was read from, as the loader named it.
    pub origin: String,
    /// What stands before each of its names, such as `airtable.`; usually nothing.
    pub prefix: String,
    pub loaded_at: Timestamp,
    /// How many of its entries are live.
    pub live_entries: u64,
}

/// What a function of a BabyAGI pack gained from those it depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Widened {
    pub name: EntryName,
    /// In words, one grant each.
    pub gained: Vec<String>,
}

/// Gives each BabyAGI function of a Pack the grants of those it depends on inside the Pack, because such functions
/// pass live objects to each other and so have to share a cell.
pub fn widen(functions: &mut [(EntryName, FunctionContent)]) -> Vec<Widened> {
    let narrow: Vec<Grants> = functions.iter().map(|(_, content)| content.grants.clone()).collect();
    let places: HashMap<String, usize> =
        functions.iter().enumerate().map(|(place, (name, _))| (name.to_string(), place)).collect();
    // Grants only grow and are finitely many, so this ends also where functions call each other in circles.
    loop {
        let mut grew = false;
        for place in 0..functions.len() {
            grew |= widen_one(functions, place, &places);
        }
        if !grew {
            break;
        }
    }
    let gained = |(name, content): &(EntryName, FunctionContent), before: &Grants| {
        let had = before.lines();
        let gained: Vec<String> =
            content.grants.lines().into_iter().filter(|line| !had.contains(line)).collect();
        (!gained.is_empty()).then(|| Widened { name: name.clone(), gained })
    };
    functions.iter().zip(&narrow).filter_map(|(function, before)| gained(function, before)).collect()
}

fn widen_one(
    functions: &mut [(EntryName, FunctionContent)],
    place: usize,
    places: &HashMap<String, usize>,
) -> bool {
    let content = &functions[place].1;
    if content.dialect != Dialect::Babyagi {
        return false;
    }
    let mut grants = content.grants.clone();
    for dependency in &content.dependencies {
        if let Some(&other) = places.get(&dependency.function) {
            grants.widen(&functions[other].1.grants);
        }
    }
    let grew = grants != content.grants;
    functions[place].1.grants = grants;
    grew
}
