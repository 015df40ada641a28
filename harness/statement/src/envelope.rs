//! The envelope (DSSE v1.0.0): a payload with its type, and signatures over both.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::key::{SigningKey, VerifyingKey};

/// The type of an in-toto statement as JSON.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// The JSON form of an envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Envelope {
    payload_type: String,
    payload: String,
    signatures: Vec<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    keyid: String,
    sig: String,
}

/// Why an envelope is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// The file is not an envelope.
    #[error("the file is not a DSSE envelope: {0}")]
    Format(String),
    /// The file is an envelope, but not in the form that this program writes.
    #[error("the envelope was changed: its bytes are not the canonical form of its content")]
    Bytes,
    /// The payload has another type.
    #[error("the envelope has a payload of type `{0}`, expected `{PAYLOAD_TYPE}`")]
    Type(String),
    /// There is no signature.
    #[error("the statement is not signed")]
    Unsigned,
    /// The signature is not valid for the key.
    #[error("the signature is not valid for the key {0}")]
    Signature(String),
}

/// The file of a payload, signed if a key is given.
pub fn seal(payload: &[u8], key: Option<&SigningKey>) -> String {
    let signature = |key: &SigningKey| Signature {
        keyid: key.verifying().id(),
        sig: STANDARD.encode(key.sign(&signed_bytes(PAYLOAD_TYPE, payload))),
    };
    text(&Envelope {
        payload_type: PAYLOAD_TYPE.to_owned(),
        payload: STANDARD.encode(payload),
        signatures: key.map(signature).into_iter().collect(),
    })
}

/// The payload of a file, if its signature is valid for the key; without a key the signature is not
/// checked.
///
/// # Errors
/// The file is not an envelope or was changed, or its signature is not valid.
pub fn open(file: &str, key: Option<&VerifyingKey>) -> Result<Vec<u8>, EnvelopeError> {
    let format = |error: &dyn std::fmt::Display| EnvelopeError::Format(error.to_string());
    let envelope: Envelope = serde_json::from_str(file).map_err(|error| format(&error))?;
    // Whitespace and escapes are not signed.
    if text(&envelope) != file {
        return Err(EnvelopeError::Bytes);
    }
    if envelope.payload_type != PAYLOAD_TYPE {
        return Err(EnvelopeError::Type(envelope.payload_type));
    }
    let decode = |text: &str| STANDARD.decode(text).map_err(|error| format(&error));
    let payload = decode(&envelope.payload)?;
    if let Some(key) = key {
        let [signature] = envelope.signatures.as_slice() else {
            return Err(EnvelopeError::Unsigned);
        };
        let message = signed_bytes(&envelope.payload_type, &payload);
        if signature.keyid != key.id() || !key.accepts(&message, &decode(&signature.sig)?) {
            return Err(EnvelopeError::Signature(key.id()));
        }
    }
    Ok(payload)
}

/// The signed bytes: type and payload with their lengths (DSSE, "Pre-Authentication Encoding").
fn signed_bytes(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

fn text(envelope: &Envelope) -> String {
    // The struct contains only strings, which can be serialised.
    serde_json::to_string_pretty(envelope).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signed_bytes_agree_with_the_specification() {
        // The example in protocol.md of the specification.
        assert_eq!(
            signed_bytes("http://example.com/HelloWorld", b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
    }

    #[test]
    fn every_changed_byte_is_detected() {
        let key = SigningKey::from_bytes(&[7; 32]);
        let file = seal(b"{\"a\": 1}", Some(&key));
        let opened = open(&file, Some(&key.verifying()));
        assert_eq!(opened.as_deref(), Ok(b"{\"a\": 1}".as_slice()));
        for at in 0..file.len() {
            for bit in 0..7 {
                let mut bytes = file.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(bytes) else {
                    continue;
                };
                assert!(
                    open(&changed, Some(&key.verifying())).is_err(),
                    "byte {at}, bit {bit}: {changed}"
                );
            }
        }
    }

    #[test]
    fn another_key_and_a_missing_signature_are_refused() {
        let (key, other) = (SigningKey::from_bytes(&[7; 32]), SigningKey::from_bytes(&[8; 32]));
        let signed = seal(b"x", Some(&other));
        let id = key.verifying().id();
        assert_eq!(
            open(&signed, Some(&key.verifying())),
            Err(EnvelopeError::Signature(id))
        );
        let unsigned = seal(b"x", None);
        assert_eq!(
            open(&unsigned, Some(&key.verifying())),
            Err(EnvelopeError::Unsigned)
        );
        assert_eq!(open(&unsigned, None).as_deref(), Ok(b"x".as_slice()));
    }
}
