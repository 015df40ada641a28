//! Ed25519 keys in PEM files, as `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout` write them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey};
use ed25519_dalek::{Signature, Signer};
use harness_corpus::Sha256;

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read the key {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file holds no such key.
    #[error("{path} holds no ed25519 {kind} key in PEM; make one by `{command}`")]
    Format {
        /// The file.
        path: PathBuf,
        /// `private` or `public`.
        kind: &'static str,
        /// A command that makes one.
        command: &'static str,
    },
}

/// A key that signs.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// A key that checks signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey(ed25519_dalek::VerifyingKey);

impl SigningKey {
    /// Reads a private key (PKCS #8, PEM).
    ///
    /// # Errors
    /// A file that cannot be read, or holds something else.
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

    /// The key that checks this one's signatures.
    pub fn verifying(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }

    /// The 64 bytes of the signature of a message.
    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(message).to_bytes().to_vec()
    }
}

impl VerifyingKey {
    /// Reads a public key (SPKI, PEM).
    ///
    /// # Errors
    /// A file that cannot be read, or holds something else.
    pub fn read(path: &Path) -> Result<VerifyingKey, KeyError> {
        let key = ed25519_dalek::VerifyingKey::from_public_key_pem(&text(path)?);
        key.map(VerifyingKey).map_err(|_| KeyError::Format {
            path: path.to_owned(),
            kind: "public",
            command: "openssl pkey -in key.pem -pubout -out key.pub.pem",
        })
    }

    /// The name of the key in an envelope: the SHA-256 of its 32 bytes, in hexadecimal digits.
    pub fn id(&self) -> String {
        Sha256::of(self.0.as_bytes()).to_string()
    }

    /// Whether a signature is this key's, by the strict rule that no signature has a second form.
    pub(crate) fn accepts(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.0.verify_strict(message, &signature).is_ok())
    }
}

fn text(path: &Path) -> Result<String, KeyError> {
    fs::read_to_string(path).map_err(|error| KeyError::Read {
        path: path.to_owned(),
        error,
    })
}
