//! Pins and links as they are typed: a node's id ends at the first dot.

use model::graph::patch::LinkKey;

/// `FROM.PIN=TO.PIN`
pub(crate) fn ends(text: &str) -> Option<[String; 4]> {
    let (from, to) = text.split_once('=')?;
    let ((from, from_pin), (to, to_pin)) = (pin(from)?, pin(to)?);
    Some([from, from_pin, to, to_pin])
}

/// The same, of a link that is there.
pub(crate) fn link(text: &str) -> Result<LinkKey, String> {
    let [from, from_pin, to, to_pin] =
        ends(text).ok_or_else(|| format!("`{text}` is not a link; write FROM.PIN=TO.PIN"))?;
    Ok(LinkKey::Ends { from, from_pin, to, to_pin })
}

/// `NODE.PIN`
pub(crate) fn pin(text: &str) -> Option<(String, String)> {
    let (node, pin) = text.split_once('.')?;
    Some((node.to_owned(), pin.to_owned())).filter(|(node, pin)| !node.is_empty() && !pin.is_empty())
}
