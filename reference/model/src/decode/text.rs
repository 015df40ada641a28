//! Decodes strings: names, which must be UTF-8, and text for readers, which need not be.

use crate::error::ModelErrorKind;

/// Decodes a name that is referred to; an unset field is the empty name.
pub(super) fn name(bytes: Option<Vec<u8>>, field: &'static str) -> Result<String, ModelErrorKind> {
    utf8(bytes.unwrap_or_default(), field)
}

/// Decodes names that are referred to.
pub(super) fn names(list: Vec<Vec<u8>>, field: &'static str) -> Result<Vec<String>, ModelErrorKind> {
    list.into_iter().map(|bytes| utf8(bytes, field)).collect()
}

/// Decodes text that is only shown. Bytes that are not UTF-8 become U+FFFD.
pub(super) fn lossy(bytes: Option<Vec<u8>>) -> String {
    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
}

/// Decodes a domain; `ai.onnx` becomes `""`.
pub(super) fn domain(bytes: Option<Vec<u8>>) -> Result<String, ModelErrorKind> {
    let domain = name(bytes, "domain")?;
    Ok(if domain == "ai.onnx" {
        String::new()
    } else {
        domain
    })
}

/// Decodes text that must be UTF-8, because a replacement could make two different strings equal.
pub(super) fn utf8(bytes: Vec<u8>, field: &'static str) -> Result<String, ModelErrorKind> {
    String::from_utf8(bytes).map_err(|error| ModelErrorKind::NotUtf8 {
        field,
        text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// A name in quotes, as a part of a path in a message; empty if there is no name.
pub(super) fn quoted(bytes: Option<&[u8]>) -> String {
    match bytes {
        None | Some([]) => String::new(),
        Some(bytes) => format!(" {:?}", String::from_utf8_lossy(bytes)),
    }
}
