//! Replaces byte sequences by others, in one piece or in a stream whose pieces may end anywhere.

use zeroize::Zeroizing;

/// What is looked for, and what stands there instead.
#[derive(Clone)]
pub(super) struct Pair {
    from: Zeroizing<Vec<u8>>,
    to: Zeroizing<Vec<u8>>,
}

impl Pair {
    pub(super) fn new(from: &[u8], to: &[u8]) -> Pair {
        Pair { from: Zeroizing::new(from.to_vec()), to: Zeroizing::new(to.to_vec()) }
    }
}

/// The text with all replaced, or `None` where there was nothing to replace.
pub(super) fn swap(text: &[u8], pairs: &[Pair]) -> Option<Zeroizing<Vec<u8>>> {
    Redactor::new(pairs.to_vec()).once(text)
}

/// A stream in which sequences are replaced. It holds back no more than what may be the beginning of one.
#[derive(Clone)]
pub(super) struct Redactor {
    /// Longest first, so that a sequence within another does not hide it.
    pairs: Vec<Pair>,
    begins: [bool; 256],
    longest: usize,
    held: Zeroizing<Vec<u8>>,
    found: bool,
}

impl Redactor {
    pub(super) fn new(mut pairs: Vec<Pair>) -> Redactor {
        pairs.retain(|pair| !pair.from.is_empty());
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.from.len()));
        let mut begins = [false; 256];
        for pair in &pairs {
            begins[usize::from(pair.from[0])] = true;
        }
        let longest = pairs.first().map_or(0, |pair| pair.from.len());
        Redactor { pairs, begins, longest, held: Zeroizing::default(), found: false }
    }

    /// Whether what it makes may be longer or shorter than what it is given.
    pub(super) fn changes_length(&self) -> bool {
        self.pairs.iter().any(|pair| pair.from.len() != pair.to.len())
    }

    pub(super) fn holds_nothing(&self) -> bool {
        self.held.is_empty()
    }

    /// Another text, apart from the stream; `None` where there was nothing to replace.
    pub(super) fn once(&self, text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let mut redactor = Redactor { held: Zeroizing::new(text.to_vec()), found: false, ..self.clone() };
        let swapped = Zeroizing::new(redactor.finish());
        redactor.found.then_some(swapped)
    }

    /// Takes a piece and gives what is certain by now.
    pub(super) fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        self.pass(false)
    }

    /// Gives what was held back.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        self.pass(true)
    }

    fn pass(&mut self, ended: bool) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        let mut out = Vec::with_capacity(held.len());
        let mut at = 0;
        while at < held.len() {
            let rest = &held[at..];
            if !self.begins[usize::from(rest[0])] {
                out.push(rest[0]);
                at += 1;
                continue;
            }
            if !ended && self.may_go_on(rest) {
                break;
            }
            match self.pairs.iter().find(|pair| rest.starts_with(&pair.from)) {
                Some(pair) => {
                    out.extend_from_slice(&pair.to);
                    at += pair.from.len();
                    self.found = true;
                }
                None => {
                    out.push(rest[0]);
                    at += 1;
                }
            }
        }
        self.held = Zeroizing::new(held[at..].to_vec());
        out
    }

    fn may_go_on(&self, rest: &[u8]) -> bool {
        let longer = |pair: &&Pair| pair.from.len() > rest.len();
        rest.len() < self.longest
            && self.pairs.iter().take_while(longer).any(|pair| pair.from.starts_with(rest))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{Pair, Redactor, swap};

    fn pairs() -> Vec<Pair> {
        [("abab", "[1]"), ("abb", "[2]"), ("ba", "[3]")]
            .map(|(from, to)| Pair::new(from.as_bytes(), to.as_bytes()))
            .to_vec()
    }

    #[test]
    fn nothing_to_replace_is_told_apart() {
        assert!(swap(b"aaaa", &pairs()).is_none());
        assert_eq!(&**swap(b"xababbax", &pairs()).unwrap(), b"x[1][3]x");
    }

    #[test]
    fn what_cannot_begin_a_secret_is_passed_on_at_once() {
        let mut redactor = Redactor::new(pairs());
        assert_eq!(redactor.push(b"xyzab"), b"xyz");
        assert_eq!(redactor.push(b"x"), b"abx");
    }

    proptest! {
        #[test]
        fn pieces_give_what_the_whole_gives(pieces in proptest::collection::vec("[abx]{0,5}", 0..8)) {
            let mut redactor = Redactor::new(pairs());
            let mut streamed: Vec<u8> = pieces.iter().flat_map(|piece| redactor.push(piece.as_bytes())).collect();
            streamed.extend(redactor.finish());
            let whole = pieces.concat();
            let swapped = swap(whole.as_bytes(), &pairs()).map_or(whole.into_bytes(), |text| text.to_vec());
            prop_assert_eq!(streamed, swapped);
        }
    }
}
