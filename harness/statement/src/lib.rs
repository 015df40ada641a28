//! Conformance statements: the results of a backend as a package that others can check without
//! running anything.
//!
//! # Purpose
//! A statement lists the cases of a profile that a backend passes, and the files from which this
//! follows. It is an in-toto statement (v1) with the predicate `test-result` (v0.1), in a DSSE
//! envelope (v1.0) that may be signed with an ed25519 key. A package is a folder: the envelope and
//! every file on which the results depend (the log of the run, the lock of the corpus, the errata,
//! the tolerances, the profiles, waivers), each with its SHA-256 in the statement.
//!
//! # Scope
//! This crate runs no case: `harness-cli` repeats a sample if a verifier names a backend. It is not a
//! registry of keys: a verifier names the trusted key. It makes no claim about time: a signature
//! has no date.
//!
//! # Overview
//! - [`profile`]: the cases that must pass for a claim such as "opset 21, inference, float32",
//!   selected by what they exercise.
//! - [`result`]: the cases of a report on one backend, judged by a profile and waivers.
//! - [`predicate`]: the statement as JSON. [`envelope`]: its envelope. [`key`]: keys in PEM files.
//! - [`package`]: the folder, written. [`verify`]: the folder, verified by the [`Rules`] of the verifier.
//!
//! # Invariants
//! - A signed package is accepted only if no byte of any of its files was changed, and no file was
//!   added or removed.
//! - A package is judged by the rules of its verifier. Rules in the package are compared with them, and a
//!   difference is a finding; nothing of a package is executed or becomes an option.
//! - Only regular files of bounded length are read, each once.
//!
//! Sources: in-toto Attestation Framework v1.0 (Statement, ResourceDescriptor, Test Result v0.1),
//! DSSE v1.0.0 (protocol), RFC 8032 (Ed25519), RFC 8410 (keys in PKCS #8 and PEM).

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod envelope;
pub mod files;
pub mod key;
pub mod package;
pub mod predicate;
pub mod profile;
pub mod result;
pub mod rules;
mod verify;

pub use files::PackageError;
pub use key::{KeyError, SigningKey, VerifyingKey};
pub use package::{Evidence, write};
pub use predicate::Subject;
pub use profile::{Profile, ProfileError, Profiles};
pub use result::{Judged, Waiver, WaiverError, Waivers, judge};
pub use rules::{Finding, Rules};
pub use verify::{Verified, parse, verify};
