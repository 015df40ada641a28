//! Brings files to this machine: what the lock file pins, what frameworks export, what a person mirrors.
//!
//! A [`Lockfile`] lists files by their SHA-256, a [`Fetcher`] fetches them into the [`Cache`], and
//! [`pinned`] reads the cases of a release from there. `pip` and `npm` download, so that a machine's own
//! settings for proxies and mirrors hold.
//!
//! # Modules
//! - [`mod@architectures`]: networks that frameworks export on this machine, with seeded weights.
//! - [`hub`]: models of the ONNX model zoo, taken from a mirror.
//! - [`locale`]: the locale that the string operators of ONNX Runtime need.
//! - [`python`]: Python environments for scripts that need packages.
//!
//! ```no_run
//! # use harness_corpus::Filter;
//! # use harness_fetch::{Cache, Fetcher, Lockfile};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let fetcher = Fetcher::new(Cache::from_env()?, |_| {});
//! let corpus = harness_fetch::pinned("onnx-1.22.0", &Lockfile::embedded()?, &fetcher)?;
//! for case in Filter::new(["softmax"])?.select(&[corpus])?.cases {
//!     assert!(!case.model.read()?.is_empty(), "{}", case.id);
//! }
//! # Ok(())
//! # }
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod architectures;
pub mod hub;
pub mod locale;
pub mod python;

mod artifact;
mod cache;
mod corpora;
mod download;
mod error;
mod event;
mod fetch;
mod lockfile;
mod npm;
mod pin;
mod pin_provider;
mod pin_runtime;

pub use artifact::{Artifact, Origin, WheelTags};
pub use cache::Cache;
pub use corpora::{pinned, releases};
pub use download::{DownloadError, Downloader, PackageDownloader};
pub use error::FetchError;
pub use event::FetchEvent;
pub use fetch::Fetcher;
pub use lockfile::{CorpusPin, Lockfile, ProviderPin, RuntimePin};
pub use npm::NpmError;
pub use pin::{PinError, pin};
pub use pin_provider::pin_provider;
pub use pin_runtime::pin_runtime;
