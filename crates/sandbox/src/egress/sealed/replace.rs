//! Replaces placeholders by values in one text.

use zeroize::Zeroizing;

/// What is looked for, and what stands there instead.
pub(crate) struct Pair<'a> {
    pub(crate) from: &'a str,
    pub(crate) to: Zeroizing<String>,
}

/// The text with all replaced, or `None` where there was nothing to replace. What was put in is not looked at again.
pub(crate) fn replace(text: &[u8], pairs: &[Pair<'_>]) -> Option<Zeroizing<Vec<u8>>> {
    let mut replaced = Zeroizing::new(Vec::with_capacity(text.len()));
    let (mut at, mut found) = (0, false);
    while at < text.len() {
        match pairs.iter().find(|pair| text[at..].starts_with(pair.from.as_bytes())) {
            Some(pair) => {
                replaced.extend_from_slice(pair.to.as_bytes());
                at += pair.from.len();
                found = true;
            }
            None => {
                replaced.push(text[at]);
                at += 1;
            }
        }
    }
    found.then_some(replaced)
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::{Pair, replace};

    #[test]
    fn what_is_put_in_is_not_replaced_again_and_nothing_to_replace_is_told_apart() {
        let pair = |from, to: &str| Pair { from, to: Zeroizing::new(to.to_owned()) };
        let pairs = [pair("<one>", "1<two>"), pair("<two>", "2")];
        assert!(replace(b"<one <two", &pairs).is_none());
        assert_eq!(&**replace(b"a<one><two>b", &pairs).unwrap(), b"a1<two>2b");
    }
}
