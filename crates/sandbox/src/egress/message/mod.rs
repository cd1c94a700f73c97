//! HTTP/1.1 messages as they pass through the proxy: heads, bodies, framing and encodings.

pub(crate) mod answer;
pub(crate) mod body;
pub(crate) mod coding;
pub(crate) mod framing;
pub(crate) mod head;
