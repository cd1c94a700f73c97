//! Redaction: the values of secrets are redacted of texts, bytes and JSON values.
//!
//! A Redaction is made of some secrets and depends on no others: of those that a Run was handed, or of those that whoever gives an
//! input may use. So nobody can find out about a secret by looking at what is redacted of their own texts.
//!
//! Whole occurrences are redacted, wherever they stand. Two kinds of text are seen in parts:
//!
//! * What is printed comes in pieces. `engine/output` hands over whole lines, and a line of a secret counts as a secret of its own.
//! * What was cut inside the cell may end or begin with half a secret. There as many characters as the longest value has are left
//!   out beside the cut, whatever they are: were it half a secret that is looked for, cuts would tell its beginning.

use std::borrow::Cow;
use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::run::RunError;
use serde_json::{Value, json};

/// Values shorter than this stand in too many innocent texts to be redacted.
const SHORTEST: usize = model::access::secret::SHORTEST_SECRET_BYTES;

/// The values to redact.
#[derive(Clone, Default)]
pub(crate) struct Redaction {
    values: Vec<Form>,
    /// The same line by line.
    lines: Vec<Form>,
    /// The most bytes of a value, and of a line.
    longest: usize,
    longest_line: usize,
}

/// One way in which a value is written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Form {
    text: String,
    name: String,
}

/// Where something is to be redacted, and what is put there.
struct Span {
    from: usize,
    to: usize,
    instead: String,
}

impl Redaction {
    /// Of secrets by name. A value is also redacted as JSON and as Python write it inside a text.
    pub(crate) fn of<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) -> Redaction {
        let (mut values, mut lines) = (BTreeSet::new(), BTreeSet::new());
        for (name, value) in secrets {
            values.extend(forms(name, value));
            lines.extend(value.lines().flat_map(|line| forms(name, line.trim())));
            // A line may hold the whole value, its line ends escaped.
            lines.extend(forms(name, value).filter(|form| !form.text.contains(['\n', '\r'])));
        }
        let longest = |forms: &BTreeSet<Form>| forms.iter().map(|form| form.text.len()).max().unwrap_or(0);
        Redaction {
            longest: longest(&values),
            longest_line: longest(&lines),
            values: values.into_iter().collect(),
            lines: lines.into_iter().collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.lines.is_empty()
    }

    /// Of these secrets and of those.
    pub(crate) fn and(&self, more: Redaction) -> Redaction {
        let both = |ours: &[Form], theirs: Vec<Form>| {
            let all: BTreeSet<Form> = ours.iter().cloned().chain(theirs).collect();
            all.into_iter().collect()
        };
        Redaction {
            values: both(&self.values, more.values),
            lines: both(&self.lines, more.lines),
            longest: self.longest.max(more.longest),
            longest_line: self.longest_line.max(more.longest_line),
        }
    }

    /// Of those of its secrets alone that are in a value.
    pub(crate) fn only_in(&self, value: &Value) -> Redaction {
        let mut found = BTreeSet::new();
        self.find_in(value, &mut found);
        let of_found = |forms: &[Form]| -> Vec<Form> {
            forms.iter().filter(|form| found.contains(&form.name)).cloned().collect()
        };
        let (values, lines) = (of_found(&self.values), of_found(&self.lines));
        let longest = |forms: &[Form]| forms.iter().map(|form| form.text.len()).max().unwrap_or(0);
        Redaction { longest: longest(&values), longest_line: longest(&lines), values, lines }
    }

    fn find_in(&self, value: &Value, found: &mut BTreeSet<String>) {
        let mut look = |text: &[u8]| {
            let here = self.values.iter().filter(|form| find(text, form.text.as_bytes()).is_some());
            found.extend(here.map(|form| form.name.clone()));
        };
        match value {
            Value::String(text) => look(text.as_bytes()),
            Value::Array(items) => items.iter().for_each(|item| self.find_in(item, found)),
            Value::Object(fields) => {
                if let Some(bytes) = packed(fields) {
                    look(&bytes);
                }
                fields.keys().for_each(|key| look(key.as_bytes()));
                fields.values().for_each(|value| self.find_in(value, found));
            }
            _ => {}
        }
    }

    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !self.is_in(text) {
            return Cow::Borrowed(text);
        }
        Cow::Owned(shown(&replaced(text.as_bytes(), &spans(text.as_bytes(), &self.values))))
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.values.iter().any(|form| text.contains(&form.text))
    }

    /// In bytes, which need not be text.
    pub(crate) fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let spans = spans(&bytes, &self.values);
        if spans.is_empty() { bytes } else { replaced(&bytes, &spans) }
    }

    /// In whole lines that were printed.
    pub(crate) fn printed(&self, lines: &[u8]) -> String {
        shown(&replaced(lines, &spans(lines, &self.lines)))
    }

    /// In the beginning of a line whose end has not been printed: what can be shown of it, and of how many bytes that is. Of the
    /// last ones, in which a secret may have begun, nothing is shown.
    pub(crate) fn printed_so_far(&self, line: &[u8]) -> (String, usize) {
        let mut end = line.len().saturating_sub(self.longest_line);
        while end > 0 && is_inside_character(line[end]) {
            end -= 1;
        }
        let mut spans = spans(line, &self.lines);
        spans.retain(|span| span.from < end);
        let end = spans.last().map_or(end, |last| end.max(last.to));
        (shown(&replaced(&line[..end], &spans)), end)
    }

    pub(crate) fn error(&self, error: RunError) -> RunError {
        RunError {
            type_name: self.text(&error.type_name).into_owned(),
            message: self.cut_text(&error.message),
            traceback: error.traceback.map(|traceback| self.cut_text(&traceback)),
            hint: error.hint.map(|hint| self.cut_text(&hint)),
        }
    }

    /// In a text that the cell may have cut.
    fn cut_text(&self, text: &str) -> String {
        match cut(text).filter(|_| !self.is_empty()) {
            None => self.text(text).into_owned(),
            Some(Cut { before, told, after }) => {
                let before = self.beginning(before);
                let dropped = after.len().min(self.longest);
                let after = self.part(after, |span| span.to > dropped, dropped..after.len());
                format!("{before}{told}{after}")
            }
        }
    }

    /// In a text that was cut at its end.
    pub(crate) fn beginning(&self, text: &str) -> String {
        let kept = text.len().saturating_sub(self.longest);
        self.part(text, |span| span.from < kept, 0..kept)
    }

    /// A part of a text, without the secrets that reach into it.
    fn part(&self, text: &str, reaches: impl Fn(&Span) -> bool, part: std::ops::Range<usize>) -> String {
        let mut spans = spans(text.as_bytes(), &self.values);
        spans.retain(reaches);
        let from = spans.first().map_or(part.start, |first| part.start.min(first.from));
        let to = spans.last().map_or(part.end, |last| part.end.max(last.to));
        let (from, to) = (text.ceil_char_boundary(from), text.floor_char_boundary(to));
        for span in &mut spans {
            (span.from, span.to) = (span.from - from, span.to - from);
        }
        if from >= to { String::new() } else { shown(&replaced(&text.as_bytes()[from..to], &spans)) }
    }

    /// In all texts of a JSON value, keys included, and in bytes.
    pub(crate) fn json(&self, value: Value) -> Value {
        if self.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.text(&text).into_owned()),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.json(item)).collect()),
            Value::Object(fields) => self.object(fields),
            other => other,
        }
    }

    fn object(&self, fields: serde_json::Map<String, Value>) -> Value {
        if let Some(bytes) = packed(&fields) {
            return json!({ "$bytes": STANDARD.encode(self.bytes(bytes)) });
        }
        match fields.get("$described").filter(|_| fields.len() == 1) {
            Some(description) => self.described(description),
            None => fields
                .into_iter()
                .map(|(key, value)| (self.text(&key).into_owned(), self.json(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }

    /// A description may be cut.
    fn described(&self, description: &Value) -> Value {
        let text = |field: &str| description[field].as_str().map(|text| self.cut_text(text));
        json!({ "$described": { "type": text("type"), "text": text("text") } })
    }
}

fn forms<'a>(name: &'a str, value: &'a str) -> impl Iterator<Item = Form> + use<'a> {
    let forms = [value.to_owned(), escaped(value), in_ascii(&escaped(value)), of_bytes(value)];
    let is_long = value.len() >= SHORTEST;
    forms.into_iter().filter(move |_| is_long).map(|text| Form { text, name: name.to_owned() })
}

/// Where the forms stand. Those that overlap are one: nothing of either is left.
fn spans(bytes: &[u8], forms: &[Form]) -> Vec<Span> {
    let mut all: Vec<(usize, usize, &str)> = Vec::new();
    for form in forms {
        let (mut at, length) = (0, form.text.len());
        while let Some(next) = find(&bytes[at..], form.text.as_bytes()) {
            all.push((at + next, at + next + length, &form.name));
            at += next + length;
        }
    }
    // The longest first: one secret may be part of another, and is told by the name of that.
    all.sort_by_key(|(from, to, _)| (*from, std::cmp::Reverse(*to)));
    let mut spans: Vec<Span> = Vec::new();
    for (from, to, name) in all {
        match spans.last_mut() {
            Some(last) if from < last.to => last.to = last.to.max(to),
            _ => spans.push(Span { from, to, instead: in_place_of(name) }),
        }
    }
    spans
}

fn replaced(bytes: &[u8], spans: &[Span]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    for Span { from, to, instead } in spans {
        out.extend_from_slice(&bytes[at..*from]);
        out.extend_from_slice(instead.as_bytes());
        at = *to;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    let first = *part.first()?;
    let mut at = 0;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == first)?;
        if bytes[at..].starts_with(part) {
            return Some(at);
        }
        at += 1;
    }
}

fn is_inside_character(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

fn packed(fields: &serde_json::Map<String, Value>) -> Option<Vec<u8>> {
    let text = fields.get("$bytes").filter(|_| fields.len() == 1)?.as_str()?;
    STANDARD.decode(text).ok()
}

/// A text of which something was left out inside the cell.
struct Cut<'a> {
    before: &'a str,
    /// What tells of it.
    told: &'a str,
    after: &'a str,
}

/// As `errors.py` and `describe.py` tell of what they leave out. Whoever writes the same by hand only gets less recorded.
fn cut(text: &str) -> Option<Cut<'_>> {
    const END: &str = " characters left out …\n";
    if let Some(end) = text.find(END).map(|at| at + END.len()) {
        let start = text[..end - END.len()].rfind("\n… ")?;
        return Some(Cut { before: &text[..start], told: &text[start..end], after: &text[end..] });
    }
    let start = text.rfind("… (").filter(|_| text.ends_with(" characters)"))?;
    Some(Cut { before: &text[..start], told: &text[start..], after: "" })
}

/// With all but ASCII as `\u` escapes, as Python's `json` writes it.
fn in_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            let mut units = [0; 2];
            ascii.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    ascii
}

/// As it stands inside the quotes of a JSON text.
fn escaped(value: &str) -> String {
    let quoted = Value::String(value.to_owned()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// As Python shows the bytes of a text.
fn of_bytes(value: &str) -> String {
    let mut shown = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'\n' => shown.push_str("\\n"),
            b'\r' => shown.push_str("\\r"),
            b'\t' => shown.push_str("\\t"),
            b'\\' => shown.push_str("\\\\"),
            b' '..=b'~' => shown.push(byte.into()),
            other => shown.push_str(&format!("\\x{other:02x}")),
        }
    }
    shown
}

/// What stands where the value of a secret was.
pub(crate) fn in_place_of(name: &str) -> String {
    format!("[secret {name}]")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_redacted_in_keys_values_and_the_middle_of_texts() {
        let redaction = Redaction::of([("KEY", "s3cret"), ("LONG", "s3cret-and-more")]);
        let given = json!({"a s3cret key": ["x=s3cret", {"n": 1, "t": "s3cret-and-more"}]});
        let expected = json!({"a [secret KEY] key": ["x=[secret KEY]", {"n": 1, "t": "[secret LONG]"}]});
        assert_eq!(redaction.json(given), expected);
    }

    #[test]
    fn a_secret_is_redacted_as_it_is_escaped() {
        let redaction = Redaction::of([("KEY", "line\nbreak")]);
        assert_eq!(redaction.text(r#"{"a": "line\nbreak"}"#), r#"{"a": "[secret KEY]"}"#);
    }

    #[test]
    fn a_secret_is_redacted_as_python_writes_it_in_json_and_as_bytes() {
        let redaction = Redaction::of([("KEY", "schlüssel")]);
        assert_eq!(redaction.text(r#""schl\u00fcssel""#), r#""[secret KEY]""#);
        assert_eq!(redaction.text(r"b'schl\xc3\xbcssel'"), "b'[secret KEY]'");
        let packed = STANDARD.encode("a schlüssel b");
        let expected = json!({"$bytes": STANDARD.encode("a [secret KEY] b")});
        assert_eq!(redaction.json(json!({"$bytes": packed})), expected);
    }

    #[test]
    fn beside_a_cut_as_much_is_left_out_as_could_be_half_a_secret_whatever_it_is() {
        let redaction = Redaction::of([("KEY", "s3cret-and-long")]);
        let described = |text: &str| json!({"$described": {"type": "str", "text": text}});
        for last in ["s3cret-and-lon", "not-at-all-it-"] {
            let text = format!("it begins {last}… (99 characters)");
            assert_eq!(redaction.json(described(&text)), described("it begins… (99 characters)"));
        }
        let whole = redaction.json(described("it is s3cret-and-long and mor… (99 characters)"));
        assert_eq!(whole, described("it is [secret KEY]… (99 characters)"));
        let middle = |text: &str| {
            let error = RunError::of("E", text);
            redaction.error(error).message
        };
        let left_out = "\n… 9 characters left out …\n";
        let cut = middle(&format!("first s3cret-and-lo{left_out}3cret-and-long last"));
        assert_eq!(cut, format!("firs{left_out}last"));
        let cut = middle(&format!("first s3cret-and-long{left_out}s3cret-and-long last"));
        assert_eq!(cut, format!("first {left_out} last"));
        assert_eq!(Redaction::default().cut_text(&cut), cut);
    }

    #[test]
    fn of_secrets_that_overlap_nothing_is_left() {
        let redaction = Redaction::of([("A", "first-middle"), ("B", "middle-last"), ("C", "[secret A]")]);
        assert_eq!(redaction.text("a first-middle-last b"), "a [secret A] b");
    }

    #[test]
    fn a_secret_of_several_lines_is_redacted_line_by_line_where_it_is_printed() {
        let redaction = Redaction::of([("KEY", "-----BEGIN\n  abcdef\nxy\n-----END")]);
        assert_eq!(redaction.printed(b"> -----BEGIN\n"), "> [secret KEY]\n");
        assert_eq!(redaction.printed(b"  abcdef\nxy\n"), "  [secret KEY]\nxy\n");
        assert_eq!(redaction.printed(br"'-----BEGIN\n  abcdef\nxy\n-----END'"), "'[secret KEY]'");
    }

    #[test]
    fn those_that_are_in_a_value_are_found() {
        let redaction = Redaction::of([("A", "aaaaa"), ("B", "bbbbb"), ("C", "ccccc")]);
        let bytes = STANDARD.encode("-bbbbb-");
        let found = redaction.only_in(&json!({"x aaaaa": 1, "y": [{"$bytes": bytes}]}));
        assert_eq!(found.text("aaaaa bbbbb ccccc"), "[secret A] [secret B] ccccc");
        assert!(redaction.only_in(&json!({"x": "cccc"})).is_empty());
        assert_eq!(found.and(Redaction::of([("D", "ddddd")])).text("aaaaa ddddd"), "[secret A] [secret D]");
    }

    #[test]
    fn values_too_short_to_be_secret_stay() {
        assert_eq!(Redaction::of([("KEY", "yes")]).text("yes, sir"), "yes, sir");
    }
}
