//! What a backend is, and how a harness talks to one in another process.
//!
//! An ONNX backend under test is a process of its own, a *worker*: the code that runs a model never shares a process with
//! the code that judges it. This crate is what both sides have in common. It knows values and models (`onnx-tensor`,
//! `onnx-model`), and neither tests, nor tolerances, nor how processes are started and killed (`harness`).
//!
//! # For the author of a backend in Rust
//! Implement [`Backend`] and [`Session`], and give the executable this `main`:
//!
//! ```no_run
//! # use backend_api::{Backend, BackendError, Description, LoadRequest, Options, Session};
//! # struct MyBackend;
//! # impl Backend for MyBackend {
//! #     fn describe(&self) -> Description { Description::default() }
//! #     fn load(&mut self, _: &LoadRequest) -> Result<Box<dyn Session>, BackendError> {
//! #         Err(BackendError::unsupported("everything"))
//! #     }
//! # }
//! fn main() -> std::process::ExitCode {
//!     backend_api::serve(|mut options: Options| {
//!         let threads: Option<u32> = options.take("threads", "a number of threads")?;
//!         options.finish()?;
//!         Ok(MyBackend /* with these threads */)
//!     })
//! }
//! ```
//!
//! `cargo xtask conformance --backend cmd:./my-worker` then runs it. For other languages see `docs/backends.md`.
//!
//! # The way through it
//! - [`Backend`], [`Session`], [`Description`], [`Capabilities`], [`LoadRequest`]: what a backend is asked for.
//! - [`Bounded`], [`Reach`]: what a reference answers besides: how far a right implementation may be from its outputs.
//! - [`BackendError`]: how it declines. *Unsupported* is what it knows that it cannot do; everything else is an error.
//! - [`protocol`]: frames, messages, and their encoding.
//! - [`serve`], [`Options`]: the loop of a worker.
//!
//! # Invariants
//! - Values travel as the very messages of the official test data (`TensorProto`, `SequenceProto`, …), so every element
//!   type, NaN pattern, empty sequence and absent optional arrives as it was sent.
//! - No length that a peer announces is believed before its bytes have arrived.
//! - A panic is never turned into an error: the process dies of it, and the harness sees a crash.

mod backend;
mod error;
pub mod protocol;
mod serve;

pub use backend::{
    Backend, Bounded, Capabilities, Description, LoadRequest, Named, Placement, Reach, Session,
};
pub use error::BackendError;
pub use onnx_model::Bytes;
#[doc(hidden)]
pub use serve::use_one_of;
pub use serve::{Options, Switch, end_with_channel, serve};
