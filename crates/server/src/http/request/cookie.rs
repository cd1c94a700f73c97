//! The cookie of a signed-in browser. Over HTTPS its name begins with `__Host-`, so browsers accept it only over HTTPS, from
//! this host and for all of it, and no other host of the domain can set it.

use axum::http::{HeaderMap, HeaderValue, header};
use jiff::SignedDuration;
use secrecy::{ExposeSecret, SecretString};

pub(crate) const PLAIN: &str = "selfmade_session";
pub(crate) const HOST: &str = "__Host-selfmade_session";

/// What a browser sends back. Over plain HTTP the `__Host-` name says nothing, because anyone on the way could have set it; over
/// HTTPS the plain name does not, because any other host of the domain could.
pub(crate) fn session(headers: &HeaderMap, is_https: bool) -> Option<SecretString> {
    value(headers, if is_https { HOST } else { PLAIN }).map(SecretString::from)
}

/// Whether the caller is a browser, which sends its cookie with every request, whichever page made it.
pub(crate) fn is_sent(headers: &HeaderMap) -> bool {
    !headers.contains_key(header::AUTHORIZATION)
        && (value(headers, PLAIN).is_some() || value(headers, HOST).is_some())
}

fn value(headers: &HeaderMap, wanted: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
}

/// For `Set-Cookie`.
pub(crate) fn given(session: &SecretString, lasts: SignedDuration, is_https: bool) -> Option<HeaderValue> {
    written(session.expose_secret(), lasts.as_secs(), is_https)
}

/// For `Set-Cookie` when the session has ended.
pub(crate) fn cleared(is_https: bool) -> Option<HeaderValue> {
    written("", 0, is_https)
}

fn written(text: &str, seconds: i64, is_https: bool) -> Option<HeaderValue> {
    let (name, secure) = if is_https { (HOST, "; Secure") } else { (PLAIN, "") };
    let cookie = format!("{name}={text}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&cookie).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cookies: &[&str], is_https: bool) -> Option<String> {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(header::COOKIE, cookie.parse().unwrap());
        }
        session(&headers, is_https).map(|text| text.expose_secret().to_owned())
    }

    #[test]
    fn each_name_counts_where_it_was_given_alone() {
        let both = ["a=b; selfmade_session=plain", "__Host-selfmade_session=host"];
        assert_eq!(read(&both, true).as_deref(), Some("host"));
        assert_eq!(read(&both, false).as_deref(), Some("plain"));
        assert_eq!(read(&both[1..], false), None);
        assert_eq!(read(&both[..1], true), None);
        assert_eq!(read(&["selfmade_token=x; selfmade_session2=y"], true), None);
    }

    #[test]
    fn over_https_it_is_never_sent_in_plain_text() {
        let given = |is_https| given(&"x".into(), SignedDuration::from_secs(60), is_https).unwrap();
        assert_eq!(given(false), "selfmade_session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict");
        assert_eq!(
            given(true),
            "__Host-selfmade_session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure"
        );
        assert_eq!(
            cleared(true).unwrap(),
            "__Host-selfmade_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure"
        );
    }
}
