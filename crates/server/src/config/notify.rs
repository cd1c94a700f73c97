//! Who learns that something waits or keeps failing.

use hyper::Uri;
use model::name::EntryName;

use crate::settings::{Chosen, ConfigError};

/// Who learns that something waits or keeps failing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotifyConfig {
    /// The function that is run.
    pub function: Option<EntryName>,
    /// Where the event is posted. Its path may be as good as a password.
    pub webhook: Option<Uri>,
}

pub(super) fn read(chosen: &Chosen) -> Result<NotifyConfig, ConfigError> {
    let is_url = |url: &Uri| {
        matches!(url.scheme_str(), Some("http" | "https"))
            && url.authority().is_some_and(|authority| !authority.as_str().contains('@'))
    };
    let webhook = match chosen.text("notify_webhook").map(|text| text.parse::<Uri>().ok().filter(is_url)) {
        Some(None) => {
            return Err(chosen.wrong("notify_webhook", "a URL that begins with `http://` or `https://`"));
        }
        webhook => webhook.flatten(),
    };
    Ok(NotifyConfig { function: chosen.read("notify_function", "the name of a function")?, webhook })
}
