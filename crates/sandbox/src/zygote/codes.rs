//! Compiled functions, so that a cell need not compile what another one of the same interpreter has compiled before it. What
//! is kept is written and read by Python alone and never looked into here.
//!
//! A source is compiled in a cell that does nothing else: code that ran a function could lie about the code of another. What
//! is known lives and dies with its zygote, so it always fits the interpreter.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use crate::job::{Closure, Function};

/// What remembering a function costs besides its code, about.
const ENTRY_BYTES: usize = 160;

pub(crate) struct Codes {
    most_bytes: usize,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    entries: HashMap<Key, Entry>,
    bytes: usize,
    uses: u64,
}

/// Of a file's name and its source.
type Key = [u8; 32];

struct Entry {
    state: State,
    last_use: u64,
}

enum State {
    /// It was run once. Most of what is run is run again, and what is not is not worth a cell.
    Seen,
    Compiling,
    Known(Arc<str>),
    /// It cannot be compiled, or not in reasonable time and size.
    Hopeless,
}

impl Codes {
    pub(super) fn new(most_bytes: usize) -> Codes {
        Codes { most_bytes, held: Mutex::default() }
    }

    /// What is known of each function of a closure.
    pub(crate) fn of(&self, closure: &Closure) -> Vec<Option<Arc<str>>> {
        let keys: Vec<Key> = closure.functions.iter().map(key).collect();
        let mut held = self.held();
        held.uses += 1;
        keys.iter().map(|key| held.code(key)).collect()
    }

    /// Whether it is time to compile a function that was run. Whoever hears yes must `learn` it.
    pub(crate) fn is_wanted(&self, function: &Function) -> bool {
        let key = key(function);
        let mut held = self.held();
        match held.entries.get_mut(&key) {
            Some(entry) if matches!(entry.state, State::Seen) => {
                entry.state = State::Compiling;
                true
            }
            Some(_) => false,
            None => {
                self.put(&mut held, key, State::Seen);
                false
            }
        }
    }

    /// Keeps a code, or that there is none.
    pub(crate) fn learn(&self, function: &Function, code: Option<String>) {
        let state = code.map_or(State::Hopeless, |code| State::Known(code.into()));
        self.put(&mut self.held(), key(function), state);
    }

    /// It could not be compiled now.
    pub(crate) fn forget(&self, function: &Function) {
        let mut held = self.held();
        if let Some(entry) = held.entries.remove(&key(function)) {
            held.bytes -= size(&entry.state);
        }
    }

    fn put(&self, held: &mut Held, key: Key, state: State) {
        let last_use = held.uses;
        held.bytes += size(&state);
        if let Some(before) = held.entries.insert(key, Entry { state, last_use }) {
            held.bytes -= size(&before.state);
        }
        while held.bytes > self.most_bytes {
            held.forget_oldest();
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Nothing that holds the lock can panic half-way through a change.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn code(&mut self, key: &Key) -> Option<Arc<str>> {
        let entry = self.entries.get_mut(key)?;
        entry.last_use = self.uses;
        match &entry.state {
            State::Known(code) => Some(Arc::clone(code)),
            State::Seen | State::Compiling | State::Hopeless => None,
        }
    }

    fn forget_oldest(&mut self) {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_use).map(|(key, _)| *key);
        match oldest.and_then(|key| self.entries.remove(&key)) {
            Some(entry) => self.bytes -= size(&entry.state),
            None => self.bytes = 0,
        }
    }
}

fn size(state: &State) -> usize {
    match state {
        State::Known(code) => ENTRY_BYTES + code.len(),
        State::Seen | State::Compiling | State::Hopeless => ENTRY_BYTES,
    }
}

fn key(function: &Function) -> Key {
    let mut hash = Sha256::new();
    hash.update((function.file.len() as u64).to_le_bytes());
    hash.update(&function.file);
    hash.update(&function.source);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(source: &str) -> Function {
        Function::new("f", "1", source)
    }

    fn known(codes: &Codes, function: &Function) -> bool {
        codes.of(&Closure { functions: vec![function.clone()], entry: 0 })[0].is_some()
    }

    #[test]
    fn a_function_is_wanted_when_it_is_run_for_the_second_time_and_only_then() {
        let codes = Codes::new(1 << 20);
        let one = function("def f(): pass");
        assert_eq!([0, 1, 2].map(|_| codes.is_wanted(&one)), [false, true, false]);
        codes.learn(&one, Some("code".to_owned()));
        assert!(known(&codes, &one) && !codes.is_wanted(&one));
    }

    #[test]
    fn the_name_of_the_file_is_part_of_the_code() {
        let codes = Codes::new(1 << 20);
        let one = function("def f(): pass");
        codes.learn(&one, Some("code".to_owned()));
        let other = Function { file: "f@2".to_owned(), ..one.clone() };
        assert!(known(&codes, &one) && !known(&codes, &other));
    }

    #[test]
    fn what_was_used_longest_ago_makes_room() {
        let codes = Codes::new(3 * ENTRY_BYTES);
        let [a, b, c] = ["a = 1", "b = 1", "c = 1"].map(function);
        codes.learn(&a, Some(String::new()));
        codes.learn(&b, Some(String::new()));
        assert!(known(&codes, &b) && known(&codes, &a));
        codes.learn(&c, Some("x".to_owned()));
        assert_eq!([&a, &b, &c].map(|one| known(&codes, one)), [true, false, true]);
    }

    #[test]
    fn what_could_not_be_compiled_now_is_wanted_again() {
        let codes = Codes::new(1 << 20);
        let one = function("def f(): pass");
        assert_eq!([0, 1].map(|_| codes.is_wanted(&one)), [false, true]);
        codes.forget(&one);
        assert_eq!([0, 1].map(|_| codes.is_wanted(&one)), [false, true]);
    }

    #[test]
    fn a_source_that_does_not_compile_is_not_tried_again() {
        let codes = Codes::new(1 << 20);
        let one = function("def f(:");
        codes.learn(&one, None);
        assert!(!known(&codes, &one) && !codes.is_wanted(&one));
    }
}
