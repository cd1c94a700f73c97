//! Prometheus' text format, as far as it is needed here: names and labels are our own, so only values of labels are escaped.

use std::fmt::Write;

#[derive(Debug, Default)]
pub(crate) struct Text(String);

impl Text {
    pub(super) fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a text cannot fail.
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// A metric without labels.
    pub(super) fn single(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        self.head(name, kind, help);
        self.count(name, &[], value);
    }

    pub(super) fn count(&mut self, name: &str, labels: &[(&str, &str)], value: u64) {
        self.series(name, labels);
        let _ = writeln!(self.0, " {value}");
    }

    pub(super) fn line(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        self.series(name, labels);
        let _ = writeln!(self.0, " {value}");
    }

    fn series(&mut self, name: &str, labels: &[(&str, &str)]) {
        self.0.push_str(name);
        for (place, (label, value)) in labels.iter().enumerate() {
            let before = if place == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{before}{label}=\"{}\"", escaped(value));
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_has_help_a_kind_and_lines_with_labels() {
        let mut text = Text::default();
        text.head("m", "counter", "What it counts");
        text.count("m", &[("a", "x\"\\\n"), ("b", "y")], 3);
        text.line("m", &[], 0.5);
        assert_eq!(
            text.into_string(),
            "# HELP m What it counts\n# TYPE m counter\nm{a=\"x\\\"\\\\\\n\",b=\"y\"} 3\nm 0.5\n"
        );
    }
}
