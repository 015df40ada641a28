//! Ed25519 keys in PEM files, in the formats of `openssl genpkey -algorithm ed25519` and `openssl pkey
//! -pubout`.

use std::io;
use std::path::{Path, PathBuf};

use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey};
use ed25519_dalek::{Signature, Signer};
use harness_corpus::Sha256;
use run_record::read_text;

/// The maximum length of a file with a key in bytes.
const MAX_KEY: u64 = 64 << 10;

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read the key {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The file has no such key.
    #[error("{path} has no ed25519 {kind} key in PEM; create one by `{command}`")]
    Format {
        /// The file.
        path: PathBuf,
        /// `private` or `public`.
        kind: &'static str,
        /// A command that creates one.
        command: &'static str,
    },
}

/// A private key.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey(ed25519_dalek::VerifyingKey);

impl SigningKey {
    /// Reads a private key (PKCS #8, PEM).
    ///
    /// # Errors
    /// The file cannot be read, or contains something else.
    pub fn read(path: &Path) -> Result<SigningKey, KeyError> {
        let key = ed25519_dalek::SigningKey::from_pkcs8_pem(&text(path)?);
        key.map(SigningKey).map_err(|_| KeyError::Format {
            path: path.to_owned(),
            kind: "private",
            command: "openssl genpkey -algorithm ed25519 -out key.pem",
        })
    }

    /// The key of these 32 bytes.
    pub fn from_bytes(bytes: &[u8; 32]) -> SigningKey {
        SigningKey(ed25519_dalek::SigningKey::from_bytes(bytes))
    }

    /// The public key.
    pub fn verifying(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }

    /// The signature of a message, 64 bytes.
    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(message).to_bytes().to_vec()
    }
}

impl VerifyingKey {
    /// Reads a public key (SPKI, PEM).
    ///
    /// # Errors
    /// The file cannot be read, or contains something else.
    pub fn read(path: &Path) -> Result<VerifyingKey, KeyError> {
        let key = ed25519_dalek::VerifyingKey::from_public_key_pem(&text(path)?);
        key.map(VerifyingKey).map_err(|_| KeyError::Format {
            path: path.to_owned(),
            kind: "public",
            command: "openssl pkey -in key.pem -pubout -out key.pub.pem",
        })
    }

    /// The id of the key in an envelope: the SHA-256 of its 32 bytes, in hexadecimal digits.
    pub fn id(&self) -> String {
        Sha256::of(self.0.as_bytes()).to_string()
    }

    /// Whether a signature is valid for this key, by the strict rule that a signature has only one form.
    pub(crate) fn accepts(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.0.verify_strict(message, &signature).is_ok())
    }
}

fn text(path: &Path) -> Result<String, KeyError> {
    read_text(path, MAX_KEY).map_err(|error| KeyError::Read {
        path: path.to_owned(),
        error,
    })
}
