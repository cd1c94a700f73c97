//! How many bytes a value takes as JSON, without writing it out.

use std::io::{self, Write};

use serde::Serialize;

/// What is written to it is only counted.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The length of the value as compact JSON.
pub fn json_size(value: &impl Serialize) -> u64 {
    let mut count = Count(0);
    // Neither counting nor our values, whose keys are all text, can fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_size_is_the_length_of_the_text() {
        for value in [json!(null), json!({ "a": ["ä\n", 1.5, { "b": "\u{0}" }] })] {
            assert_eq!(json_size(&value), value.to_string().len() as u64);
        }
    }
}
