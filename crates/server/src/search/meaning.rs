//! What words mean, as far as everyday questions need it: which only ask, which phrases stand for another word, and which words people use for
//! the same thing. It is about English, and about words; nothing here knows a function.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::Cutter;

/// Words that ask, or hold a question together. What is looked for is in the others.
const ASKING: &str = "a about am an and any are as at be by can could did do does for from give had has have help here how i if in is it \
                      its just let like me my need of on or our please shall should some tell than that the their them then there these \
                      they this those to us want was we were what when where which who whom whose why will with would you your";

/// Phrases that ask for something that has a name of its own.
const PHRASES: &[(&[&str], &[&str])] = &[
    (&["how", "many"], &["count"]),
    (&["number", "of"], &["count"]),
    (&["how", "often"], &["count", "frequency"]),
    (&["how", "long"], &["length", "duration"]),
    (&["how", "much"], &["amount", "total"]),
    (&["how", "big"], &["size"]),
    (&["how", "large"], &["size"]),
    (&["how", "far"], &["distance"]),
    (&["how", "fast"], &["speed"]),
    (&["how", "old"], &["age"]),
    (&["how", "similar"], &["similarity"]),
    (&["how", "alike"], &["similarity"]),
    (&["what", "time"], &["time"]),
    (&["what", "day"], &["date"]),
    (&["look", "up"], &["find"]),
    (&["get", "rid"], &["remove"]),
    (&["take", "out"], &["remove"]),
    (&["turn", "into"], &["convert"]),
    (&["work", "out"], &["calculate"]),
    (&["add", "up"], &["sum"]),
    (&["put", "together"], &["join"]),
];

/// Words for the same thing. A word may be in several lines.
const ALIKE: &[&str] = &[
    "count number tally",
    "delete remove erase drop",
    "create make build generate",
    "fetch get download retrieve load obtain",
    "find search locate lookup seek",
    "send post deliver submit",
    "show list display view",
    "shorten summarize summary abbreviate truncate condense",
    "cut truncate trim",
    "convert transform change translate",
    "join merge combine concatenate",
    "split divide separate",
    "average mean",
    "largest biggest maximum max highest greatest longest",
    "smallest minimum min lowest least shortest",
    "sort order arrange",
    "rank ranking",
    "check validate verify",
    "calculate compute determine",
    "compare difference diff",
    "edit update modify alter",
    "run execute start launch",
    "stop cancel abort end",
    "save store write",
    "email mail",
    "picture image photo",
    "price cost",
    "buy purchase",
    "book reserve reservation booking",
    "near nearby close",
    "phone telephone",
    "folder directory",
    "link url address",
    "clean tidy sanitize",
    "movie film",
    "car vehicle",
    "house home property",
    "trip travel journey",
    "doctor physician",
    "shop store",
    "similar alike similarity",
    "uppercase capital capitalize",
    "duplicate repeated",
    "random chance",
];

/// What the words of a query are, one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Role {
    /// It only asks.
    pub(super) asks: bool,
    /// What the phrase that ends with it stands for, the likeliest first.
    pub(super) stands_for: Vec<&'static str>,
}

/// The roles of words in the order of a query. A query that only asks may be a name, so then no word does.
pub(super) fn roles(words: &[&str]) -> Vec<Role> {
    let mut roles: Vec<Role> =
        words.iter().map(|word| Role { asks: is_asking(word), ..Role::default() }).collect();
    for (phrase, meant) in PHRASES {
        for start in 0..words.len().saturating_sub(phrase.len() - 1) {
            let end = start + phrase.len();
            if words[start..end] == **phrase {
                roles[start..end].iter_mut().for_each(|role| role.asks = true);
                roles[end - 1].stands_for = meant.to_vec();
            }
        }
    }
    if roles.iter().all(|role| role.asks && role.stands_for.is_empty()) {
        roles.iter_mut().for_each(|role| role.asks = false);
    }
    roles
}

fn is_asking(word: &str) -> bool {
    ASKING.split_ascii_whitespace().any(|asking| asking == word)
}

/// Other words for the one with this stem.
pub(super) fn alike(stem: &str) -> &'static [&'static str] {
    static BY_STEM: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(by_stem);
    BY_STEM.get(stem).map(Vec::as_slice).unwrap_or_default()
}

fn by_stem() -> HashMap<String, Vec<&'static str>> {
    let mut cutter = Cutter::new();
    let mut by_stem: HashMap<String, Vec<&'static str>> = HashMap::new();
    for line in ALIKE {
        for word in line.split_ascii_whitespace() {
            let others = line.split_ascii_whitespace().filter(|other| *other != word);
            by_stem.entry(cutter.stem(word)).or_default().extend(others);
        }
    }
    by_stem
}
