//! Conversion of models to newer opsets.
//!
//! # What it is
//! It has an adapter for every step ([`steps`]) from a version of an operator to the next one. The
//! result of a converted model equals that of the original in real arithmetic; nodes that an
//! adapter adds may round once more.
//!
//! - Most steps keep the meaning of a node: the version adds types, optional inputs, optional
//!   outputs or optional attributes. [`derive`](mod@derive) finds them in the schema table; no list
//!   of them is needed.
//! - The others have a row in [`rewrite`]: an attribute becomes an input, a default becomes
//!   explicit, a node becomes several.
//! - A step for which no exact conversion exists, or none for this node, is a [`Refusal`]. All
//!   refusals of a model are reported.
//!
//! Bodies of If, Loop, Scan and SequenceMap and the functions of a model are converted too.
//! Operators of domains that ONNX does not define stay as they are.
//!
//! # What it is not
//! It does not convert to older opsets, and it runs no model. `onnx-conformance upgrade` and
//! `tests/generated.rs`, which runs every adapter on the reference, check that a converted model
//! gives the same outputs.
//!
//! # Invariants
//! - A converted model violates no rule of `onnx-checker` that the original satisfies.
//! - Inputs, outputs, and values that other nodes read keep their names.
//! - The same model and targets give the same result.

mod convert;
pub mod derive;
mod error;
mod facts;
mod names;
mod rewrite;
mod site;
mod step;
mod walk;

pub use convert::{Change, Targets, Upgraded, upgrade};
pub use error::{Refusal, UpgradeError};
pub use step::{Adapter, Step, steps};
