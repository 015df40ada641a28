//! Strings: where UTF-8 matters and where it does not.

use crate::error::ModelErrorKind;

/// A name that something refers to; an unset field is the empty name.
pub(super) fn name(bytes: Option<Vec<u8>>, field: &'static str) -> Result<String, ModelErrorKind> {
    utf8(bytes.unwrap_or_default(), field)
}

/// Names that something refers to.
pub(super) fn names(list: Vec<Vec<u8>>, field: &'static str) -> Result<Vec<String>, ModelErrorKind> {
    list.into_iter().map(|bytes| utf8(bytes, field)).collect()
}

/// Text that only people read; what is not UTF-8 becomes U+FFFD.
pub(super) fn remark(bytes: Option<Vec<u8>>) -> String {
    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
}

/// A domain; `ai.onnx` is the long form of the empty one.
pub(super) fn domain(bytes: Option<Vec<u8>>) -> Result<String, ModelErrorKind> {
    let domain = name(bytes, "domain")?;
    Ok(if domain == "ai.onnx" {
        String::new()
    } else {
        domain
    })
}

/// Text where replacing what is not UTF-8 could make two different strings one.
pub(super) fn utf8(bytes: Vec<u8>, field: &'static str) -> Result<String, ModelErrorKind> {
    String::from_utf8(bytes).map_err(|error| ModelErrorKind::NotUtf8 {
        field,
        text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// A name as part of a path in a message: nothing if there is none.
pub(super) fn quoted(bytes: Option<&[u8]>) -> String {
    match bytes {
        None | Some([]) => String::new(),
        Some(bytes) => format!(" {:?}", String::from_utf8_lossy(bytes)),
    }
}
