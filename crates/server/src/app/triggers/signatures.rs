//! Signatures of webhooks: HMAC-SHA256 with a Secret that both sides know.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, Timestamp};
use sha2::Sha256;

/// Clocks differ, and what is older may have been overheard and sent again.
const OLDEST: SignedDuration = SignedDuration::from_mins(5);
/// Marks a key that is written in base64, as services that follow Standard Webhooks hand it out.
const BASE64_KEY: &str = "whsec_";

/// A signature, as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature<'a> {
    /// As Standard Webhooks have it: over `ID.TIMESTAMP.BODY`, `v1,BASE64`, several parted by spaces.
    Standard { id: &'a str, timestamp: &'a str, signatures: &'a str },
    /// As GitHub has it: over the body alone, `sha256=HEX`.
    Hub(&'a str),
}

/// The one answer to what is not signed as it should be, whatever the reason.
pub(crate) const WRONG: &str = "it is not signed with its secret";

/// What is wrong with a signature, in words.
pub fn check(
    secret: &[u8],
    signature: Signature<'_>,
    body: &[u8],
    now: Timestamp,
) -> Result<(), &'static str> {
    let key = key(secret).ok_or("the secret begins with `whsec_`, but no base64 follows")?;
    let wrong = Err(WRONG);
    match signature {
        Signature::Hub(text) => {
            let Some(tag) = text.strip_prefix("sha256=").and_then(|tag| hex::decode(tag).ok()) else {
                return wrong;
            };
            if is_right(&key, &[body], &tag) { Ok(()) } else { wrong }
        }
        Signature::Standard { id, timestamp, signatures } => {
            let signed = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body];
            let tags = signatures.split(' ').filter_map(|one| STANDARD.decode(one.strip_prefix("v1,")?).ok());
            if !tags.into_iter().any(|tag| is_right(&key, &signed, &tag)) {
                return wrong;
            }
            let at = timestamp.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
            let is_fresh = at.is_some_and(|at| now.duration_since(at).abs() <= OLDEST);
            if is_fresh { Ok(()) } else { Err("it was signed more than five minutes ago or from now") }
        }
    }
}

fn key(secret: &[u8]) -> Option<Vec<u8>> {
    match std::str::from_utf8(secret).ok().and_then(|text| text.strip_prefix(BASE64_KEY)) {
        // What is signed with an empty key anyone can sign.
        Some(encoded) => STANDARD.decode(encoded).ok().filter(|key| !key.is_empty()),
        None => Some(secret.to_vec()),
    }
}

/// Compared in the same time whatever is wrong with it.
fn is_right(key: &[u8], signed: &[&[u8]], tag: &[u8]) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return false };
    for part in signed {
        mac.update(part);
    }
    mac.verify_slice(tag).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const AT: i64 = 1_614_265_330;

    /// The example that the specification of Standard Webhooks gives.
    const STANDARD_EXAMPLE: Signature<'_> = Signature::Standard {
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp: "1614265330",
        signatures: "v1,bm9ldHUjKzFob2VudXRob2VodWUzMjRvdWVvdW9ldQo= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const STANDARD_KEY: &[u8] = b"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn what_others_signed_is_understood() {
        assert_eq!(check(STANDARD_KEY, STANDARD_EXAMPLE, BODY, at(AT)), Ok(()));
        // The example in GitHub's documentation.
        let hub = Signature::Hub("sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
        assert_eq!(check(b"It's a Secret to Everybody", hub, b"Hello, World!", at(0)), Ok(()));
    }

    #[test]
    fn what_was_changed_or_signed_by_another_is_refused() {
        let refused = Err("it is not signed with its secret");
        assert_eq!(check(STANDARD_KEY, STANDARD_EXAMPLE, b"{}", at(AT)), refused);
        assert_eq!(check(b"another key", STANDARD_EXAMPLE, BODY, at(AT)), refused);
        let Signature::Standard { timestamp, signatures, .. } = STANDARD_EXAMPLE else { unreachable!() };
        let other = Signature::Standard { id: "other", timestamp, signatures };
        assert_eq!(check(STANDARD_KEY, other, BODY, at(AT)), refused);
        for text in [
            "",
            "sha256=",
            "sha256=zz",
            "sha1=00",
            "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
        ] {
            assert_eq!(
                check(b"It's a Secret to Everybody", Signature::Hub(text), b"Hello, World!", at(0)),
                refused,
                "{text}"
            );
        }
    }

    #[test]
    fn a_key_that_anybody_has_signs_nothing() {
        let mut mac = Hmac::<Sha256>::new_from_slice(b"").unwrap();
        mac.update(BODY);
        let signature = format!("sha256={}", hex::encode(mac.finalize().into_bytes()));
        for secret in [b"whsec_".as_slice(), b"whsec_!"] {
            assert!(check(secret, Signature::Hub(&signature), BODY, at(0)).is_err());
        }
    }

    #[test]
    fn what_was_overheard_cannot_be_sent_again_later() {
        for second in [AT - 300, AT + 300] {
            assert_eq!(check(STANDARD_KEY, STANDARD_EXAMPLE, BODY, at(second)), Ok(()));
        }
        for second in [AT - 301, AT + 301] {
            assert!(check(STANDARD_KEY, STANDARD_EXAMPLE, BODY, at(second)).is_err());
        }
    }
}
