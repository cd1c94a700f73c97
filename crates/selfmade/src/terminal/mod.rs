//! The terminal: output, editors, tables, colours, prompts and interrupts.

pub(crate) mod editor;
pub(crate) mod interrupt;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod prompt;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod time;
