//! The table of every operator version that ONNX has ever defined.
//!
//! What ONNX calls an operator schema is the signature of one version of one operator: its inputs, outputs
//! and attributes, the types that each may have, the defaults. This crate holds all 659 of them (onnx 1.23.2:
//! ai.onnx 629, ai.onnx.ml 25, ai.onnx.preview.training 4, ai.onnx.preview 1), the static function bodies
//! among them, and the table of ONNX releases. It is pure data with a lookup in front: no file is read and
//! nothing is allocated.
//!
//! It holds no semantics (crate `onnx-operators`), no shape inference, no documentation texts, and it does
//! not bind the nodes of a model (crate `onnx-interpreter`): it is what those are checked against.
//!
//! # Versions
//! Two numbers look alike and are not. An *opset* is what a model imports, one for each domain; a *since* is
//! the opset in which a version of an operator came into being. A model at opset 12 uses the version with the
//! greatest since that is at most 12:
//!
//! ```
//! let softmax = onnx_schema::lookup("", "Softmax", 12).unwrap();
//! assert_eq!(softmax.since, 11);
//! assert!(onnx_schema::lookup("", "Softmax", 0).is_none());
//! ```
//!
//! The domain `ai.onnx` is written `""` in nearly all models; both spellings are the same domain here
//! ([`canonical_domain`]). Deprecated versions stand in the table and are found like others: whoever refuses
//! them asks for [`OperatorSchema::deprecated`]. An opset newer than [`newest_opset`] finds the newest
//! version known; whether that may be relied on is the caller's decision.
//!
//! # The way through it
//! - [`lookup`], [`versions`], [`operator`], [`all`], [`operators`], [`domains`]: into the table
//!   (`table.rs`).
//! - [`OperatorSchema`]: one version; [`OperatorSchema::input`] and [`OperatorSchema::output`] find the
//!   parameter that stands for a position, also past the first of a variadic one; [`OperatorSchema::types`]
//!   gives the types it may have.
//! - [`Formal`], [`TypeRef`], [`TypeConstraint`]: two parameters that name the same constraint have the same
//!   type in a node.
//! - [`SchemaType`]: a type as schemas name it, without a shape; [`SchemaType::matches`] holds a value's type
//!   against it.
//! - [`AttributeSchema`], [`AttributeKind`], [`DefaultValue`]: attributes; float defaults are exact to the
//!   bit.
//! - [`FunctionKind`] and [`function_body`]: operators that ONNX itself defines by a graph of other
//!   operators.
//! - [`releases`], [`first_release`]: which release of ONNX brought which opsets and which IR version.
//!
//! # Where it comes from
//! Everything below `src/generated` is written by `cargo xtask generate schema` from the `onnx` Python
//! package, pinned to one version, and is checked in; `cargo xtask generate schema --check` fails when the
//! two differ. The tables are `static`, sorted by (domain, name, since), and use the short constructors of
//! `literal.rs`. A set of types is written once and shared by all schemas that have it.
//!
//! # Invariants
//! - (domain, name, since) is unique; versions of an operator stand oldest first.
//! - Every [`TypeRef::Constraint`] names a constraint of its own schema; a required attribute has no default.
//! - Only the last input and the last output may be variadic.
//! - `function` is [`FunctionKind::Static`] exactly when [`function_body`] has a body for some opset.

mod attribute;
mod function;
mod generated;
mod literal;
mod release;
mod resolve;
mod schema;
mod table;
mod types;

pub use attribute::{AttributeSchema, DefaultValue};
#[doc(no_inline)]
pub use onnx_model::AttributeKind;

pub use function::{FunctionBody, FunctionKind, function_bodies, function_body};
pub use release::{Release, first_release, releases};
pub use resolve::{Unresolved, operator_label, resolve};
pub use schema::{Formal, FormalOption, OperatorSchema, TypeConstraint, TypeRef};
pub use table::{
    Domain, Operator, all, canonical_domain, domains, lookup, newest_opset, operator, operators, versions,
};
pub use types::SchemaType;
