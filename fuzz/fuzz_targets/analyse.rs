//! Feeds any bytes to the analysis of Python source, as a function and as a pack file.
//!
//! Besides not crashing, what is accepted must be stable: the stored form of a source is its own stored form.

#![no_main]

use libfuzzer_sys::fuzz_target;
use selfmade_model::python::{analyse, analyse_bytes, read_pack};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(first) = analyse_bytes(bytes) {
        is_stable(&first.source);
    }
    if let Ok(source) = std::str::from_utf8(bytes)
        && let Ok(pack) = read_pack(source)
    {
        for function in &pack.functions {
            is_stable(&function.source);
        }
    }
});

fn is_stable(source: &str) {
    let again = analyse(source).expect("what is stored can be analysed");
    assert_eq!(again.source, source);
}
