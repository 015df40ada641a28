//! Conversion of models to newer opsets.
//!
//! # What it is
//! An adapter for every operator version step ([`steps`]): from a version of an operator to the next one. The result of a converted
//! model is equal to that of the original one in real arithmetic; nodes that an adapter adds may round once more.
//!
//! - Most steps keep the meaning of a node: the version adds types, optional inputs, optional outputs or optional attributes. The
//!   schema table tells that ([`derive`](mod@derive)); such steps are not listed by hand.
//! - The others have a row in [`rewrite`]: an attribute becomes an input, a default becomes explicit, a node becomes several.
//! - A step for which no exact conversion exists, or none for this node, is a [`Refusal`]. All refusals of a model are reported.
//!
//! Bodies of If, Loop, Scan and SequenceMap and the functions of a model are converted too. Operators of domains that ONNX does
//! not define stay as they are.
//!
//! # What it is not
//! It lowers no opset. It runs no model: that the converted model gives the same outputs is for the harness to show
//! (`onnx-conformance upgrade`), and for `tests/generated.rs`, which holds every adapter against the reference.
//!
//! # Invariants
//! - A converted model breaks no rule of `onnx-checker` that the original does not break.
//! - Names of inputs and outputs stay. Values that other nodes read keep their names.
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
