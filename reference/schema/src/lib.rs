//! The table of all operator versions of ONNX.
//!
//! An operator schema is the signature of one version of one operator: its inputs, outputs and attributes,
//! their types and defaults. This crate holds all 659 of them (onnx 1.23.2: ai.onnx 629, ai.onnx.ml 25,
//! ai.onnx.preview.training 4, ai.onnx.preview 1), their static function bodies, and the table of ONNX
//! releases. It is constant data with lookup functions; it reads no file and allocates nothing.
//!
//! It does not hold semantics (crate `onnx-operators`), shape inference or documentation texts, and it does
//! not bind the nodes of a model (crate `onnx-interpreter`).
//!
//! # Versions
//! Two numbers must not be confused. An *opset* is what a model imports, one for each domain. A *since* is
//! the opset in which a version of an operator was introduced. A model at opset 12 uses the version with the
//! greatest since that is at most 12:
//!
//! ```
//! let softmax = onnx_schema::lookup("", "Softmax", 12).unwrap();
//! assert_eq!(softmax.since, 11);
//! assert!(onnx_schema::lookup("", "Softmax", 0).is_none());
//! ```
//!
//! Nearly all models write the domain `ai.onnx` as `""`; here both are the same domain
//! ([`canonical_domain`]). The table includes deprecated versions, marked by [`OperatorSchema::deprecated`].
//! For an opset above [`newest_opset`], a lookup returns the newest known version; the caller decides whether
//! that is acceptable.
//!
//! # Contents
//! - [`lookup`], [`versions`], [`operator`], [`all`], [`operators`], [`domains`]: access to the table.
//! - [`OperatorSchema`]: one version. [`OperatorSchema::input`] and [`OperatorSchema::output`] return the
//!   parameter at a position, also within a variadic one; [`OperatorSchema::types`] returns its allowed
//!   types.
//! - [`Formal`], [`TypeRef`], [`TypeConstraint`]: parameters with the same constraint have the same type in a
//!   node.
//! - [`SchemaType`]: a type as schemas write it, without a shape; [`SchemaType::matches`] compares it with
//!   the type of a value.
//! - [`AttributeSchema`], [`AttributeKind`], [`DefaultValue`]: attributes; float defaults are exact to the
//!   bit.
//! - [`is_flag`]: integers that are 0 or 1; [`has_signed_zeros`]: operators that define the sign of a zero.
//! - [`FunctionKind`] and [`function_body`]: operators that ONNX defines by a graph of other operators.
//! - [`contrib`], [`CONTRIB_DOMAIN`], [`OperatorSchema::is_contrib`]: the operators that ONNX Runtime adds;
//!   [`foreign_domain`]: domains without schemas, with the reason.
//! - [`releases`], [`first_release`]: the opsets and IR version of each ONNX release; [`ir_version`]:
//!   that of a new model.
//!
//! # Generation
//! `cargo xtask generate schema` writes everything below `src/generated` from one pinned version each of
//! the Python packages `onnx` and `onnxruntime`; `cargo xtask generate schema --check` fails if the two
//! differ. The tables are
//! `static`, sorted by (domain, name, since), and use the constructors of `literal.rs`. Schemas with the same
//! set of types share it.
//!
//! # Invariants
//! - (domain, name, since) is unique; the versions of an operator are ordered by since.
//! - Every [`TypeRef::Constraint`] names a constraint of its own schema; a required attribute has no default.
//! - Only the last input and the last output may be variadic.
//! - `function` is [`FunctionKind::Static`] exactly when [`function_body`] has a body for some opset.

mod attribute;
mod contrib;
mod flags;
mod function;
mod generated;
mod literal;
mod release;
mod resolve;
mod rows;
mod schema;
mod table;
mod types;
mod zeros;

pub use attribute::{AttributeSchema, DefaultValue};
#[doc(no_inline)]
pub use onnx_model::AttributeKind;

pub use contrib::{CONTRIB_DOMAIN, contrib, foreign_domain, runtime_release};
pub use flags::is_flag;
pub use function::{function_bodies, function_body};
pub use release::{first_release, ir_version, releases};
pub use resolve::{Unresolved, operator_label, resolve};
pub use rows::{Domain, FunctionBody, Operator, Release, canonical_domain};
pub use schema::{Formal, FormalOption, FunctionKind, OperatorSchema, TypeConstraint, TypeRef};
pub use table::{all, domains, lookup, newest_opset, operator, operators, versions};
pub use types::SchemaType;
pub use zeros::has_signed_zeros;
