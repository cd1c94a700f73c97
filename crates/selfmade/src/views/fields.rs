//! What is shown of one thing: a heading, and fields with their names in a column.

use crate::terminal::style::{DIM, TITLE, paint, printable};

#[derive(Default)]
pub(crate) struct Fields {
    text: String,
}

impl Fields {
    /// Its name and version, the state it is in, and what it is for.
    pub(crate) fn of(name: &str, version: &str, state: &str, description: &str) -> Fields {
        let mut text = format!("{}{}  {state}\n", paint(TITLE, name), paint(DIM, format!("@{version}")));
        if !description.is_empty() {
            text.push_str(&format!("{}\n", printable(description)));
        }
        text.push('\n');
        Fields { text }
    }

    /// Nothing is shown of what is empty.
    pub(crate) fn add(&mut self, name: &str, value: impl AsRef<str>) {
        let value = value.as_ref();
        if !value.is_empty() {
            self.text.push_str(&format!("  {}  {}\n", paint(DIM, format!("{name:<10}")), printable(value)));
        }
    }

    /// With a table below, if it has rows.
    pub(crate) fn above(mut self, table: &str) -> String {
        if !table.is_empty() {
            self.text.push('\n');
            self.text.push_str(table);
        }
        self.text
    }
}
