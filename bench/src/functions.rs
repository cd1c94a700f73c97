//! Functions to fill a brain with: made up, but with the words, sizes and dependencies that real ones have.

const VERBS: [&str; 20] = [
    "fetch",
    "parse",
    "convert",
    "count",
    "merge",
    "split",
    "filter",
    "sort",
    "validate",
    "render",
    "upload",
    "encode",
    "compare",
    "extract",
    "summarise",
    "translate",
    "group",
    "schedule",
    "format",
    "measure",
];
const NOUNS: [&str; 25] = [
    "page", "invoice", "record", "table", "image", "customer", "report", "message", "address", "price",
    "calendar", "ticket", "document", "email", "order", "product", "token", "recipe", "article", "contract",
    "sensor", "playlist", "survey", "shipment", "account",
];
const WAYS: [&str; 20] = [
    "by_date",
    "from_csv",
    "as_json",
    "in_batches",
    "with_retry",
    "for_user",
    "to_markdown",
    "by_language",
    "per_day",
    "without_duplicates",
    "in_order",
    "from_url",
    "as_text",
    "by_country",
    "with_totals",
    "to_html",
    "by_size",
    "for_team",
    "from_xml",
    "as_chart",
];

/// The name of the n-th function: readable, and its own.
pub(crate) fn name(n: usize) -> String {
    let verb = VERBS[n % VERBS.len()];
    let noun = NOUNS[(n / VERBS.len()) % NOUNS.len()];
    let way = WAYS[(n / (VERBS.len() * NOUNS.len())) % WAYS.len()];
    format!("{verb}_{noun}_{way}_{n}")
}

pub(crate) fn description(n: usize) -> String {
    let words = name(n).replace('_', " ");
    format!("Take the given items and {words}, keeping the order of what is left.")
}

/// A function of ordinary size, calling `calls` if given.
pub(crate) fn source(n: usize, calls: Option<&str>) -> String {
    let call = calls.map_or_else(|| "items".to_owned(), |other| format!("{other}(items, limit)"));
    format!(
        "def {}(items: list[str], limit: int = 10, reverse: bool = False) -> list[str]:\n    \
         \"\"\"{}\n\n    Args:\n        items: What to work on.\n        limit: How many to keep at most.\n    \"\"\"\n    \
         chosen = {call}\n    seen = set()\n    result = []\n    for item in chosen:\n        \
         if item not in seen:\n            seen.add(item)\n            result.append(item.strip())\n    \
         if reverse:\n        result.reverse()\n    return result[:limit]\n",
        name(n),
        description(n)
    )
}
