//! The interface of backends, and the protocol between the harness and a backend in another process.
//!
//! An ONNX backend under test is a separate process, a *worker*: the code that runs a model never shares a
//! process with the code that judges it. This crate is used by both sides. It knows values and models
//! (`onnx-tensor`, `onnx-model`), but not tests, tolerances, or how processes are started and terminated
//! (`harness`).
//!
//! # For the author of a backend in Rust
//! Implement [`Backend`] and [`Session`], and give the executable this `main`:
//!
//! ```no_run
//! # use backend_api::{Backend, BackendError, Description, LoadRequest, Options, Session};
//! # struct MyBackend;
//! # impl Backend for MyBackend {
//! #     fn describe(&self) -> Description { Description::default() }
//! #     fn load(&mut self, _: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
//! #         Err(BackendError::unsupported("everything"))
//! #     }
//! # }
//! fn main() -> std::process::ExitCode {
//!     backend_api::serve(|options: Options| {
//!         options.finish()?; // or settings!, if the backend has options
//!         Ok(MyBackend)
//!     })
//! }
//! ```
//!
//! `cargo xtask conformance --backend cmd:./my-worker` then runs it. For other languages see
//! `docs/backends.md`.
//!
//! # Contents
//! - [`Backend`], [`Session`], [`Description`], [`Capabilities`], [`LoadRequest`]: the interface of a
//!   backend.
//! - [`Bounded`], [`Reach`]: additional answers of a reference: how far a correct implementation may be from
//!   its outputs.
//! - [`Profile`], [`Recorder`]: the times of a backend's steps, and how a backend collects them.
//! - [`BackendError`]: errors of a backend. *Unsupported* is what it knows to be unsupported; everything else
//!   is an error.
//! - [`protocol`]: frames, messages, and their encoding.
//! - [`serve`], [`settings!`], [`Options`], [`Store`]: the main loop, the options, and the stored models of a
//!   worker.
//!
//! # Invariants
//! - Values are transferred as the messages of the official test data (`TensorProto`, `SequenceProto`, …), so
//!   every element type, NaN pattern, empty sequence and absent optional arrives unchanged.
//! - Memory is allocated for received bytes, never for an announced length.
//! - A panic never becomes an error: the process aborts, and the harness reports a crash.

#![warn(missing_docs)]
mod backend;
mod error;
mod profile;
pub mod protocol;
mod serve;
mod system;

pub use backend::{
    Answers, Backend, Bounded, Capabilities, Description, LoadRequest, Named, Placement, Reach, Session,
};
pub use error::BackendError;
pub use onnx_model::Bytes;
pub use profile::{Profile, Recorder, Step, StepOutput, Stopwatch};
#[doc(hidden)]
pub use serve::use_one_of;
pub use serve::{Below, Options, Setting, Store, Switch, Threads, end_with_channel, serve};
