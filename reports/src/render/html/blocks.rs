//! Page data that is read in parts: each block is JSON, compressed (RFC 1951), in base64.
//!
//! Texts are already safe to show, so that a script can insert them as text.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

use crate::render::RenderError;
use run_record::shown;

pub(super) fn block(value: &impl Serialize) -> Result<String, RenderError> {
    let text = shown::as_shown(&serde_json::to_value(value)?).to_string();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    Ok(STANDARD.encode(encoder.finish()?))
}

/// JSON that can be inserted into a script element: characters that could end the element are escaped.
pub(in crate::render) fn plain(value: &impl Serialize) -> Result<String, RenderError> {
    let text = shown::as_shown(&serde_json::to_value(value)?).to_string();
    Ok(text.replace('<', "\\u003c").replace('&', "\\u0026"))
}
