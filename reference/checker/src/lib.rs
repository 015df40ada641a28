//! The static checker: checks a decoded model against the specification, without running it.
//!
//! # Purpose
//! Every rule that can be checked from the file alone: the version of the format and the imports; names,
//! their uniqueness and order, in graphs, bodies and functions; operators, arity and attributes against the
//! signature of the imported version; and types, which are propagated from inputs and initializers through
//! every node, body and function call. [`check()`] reports all violations, each with its place and its
//! [`Rule`]; [`usage()`] lists what a model uses of the specification, with the inferred types.
//!
//! # Scope
//! The checker knows no values, and no shapes except those of initializers: whether an axis is in range or
//! two shapes broadcast is a matter of `onnx-shapes`, and is checked when a model runs (crate `onnx-
//! interpreter`, which relies on this check and repeats none of it). It does not decode (crate `onnx-
//! model`): an error that keeps a file from being decoded is one finding of [`check_file`], with the same
//! rules. An unknown type is not guessed (the output of an operator of a foreign domain, or of a function
//! that is called deeper than [`Limits`] allow) and is not checked.
//!
//! # Overview of modules
//! - [`check()`], [`check_file`]: check a model or a file. [`Findings`], [`Finding`], [`Problem`],
//!   [`Rule`]: the result.
//! - `structure`: a traversal that checks names, order, operators and attributes. `names` holds the
//!   definitions of a graph and the dependencies between nodes; `node` checks a node against its signature;
//!   `function` finds which functions call which.
//! - `types`: a second traversal with a type for each name. `bind` is the rule of type parameters, which
//!   the interpreter applies to the types of values; `infer`, `ml` and `bodies` handle operators whose
//!   signature does not determine the output type.
//! - [`resolve()`]: resolves a node to the version of an operator, or to a function of the model.
//! - [`usage()`]: the result of the second traversal as records.
//!
//! # Differences from the checker of the `onnx` package
//! Where the two differ, the text (IR.md, the schemas) decides. As of onnx 1.23.2, of the first 91
//! broken models in `onnx-rejections` `check_model` rejects 58, and 78 with `full_check`; it stops at the
//! first problem. Unlike this crate, it accepts
//! - attributes that begin with two underscores, and any number of inputs, outputs and attributes in the
//!   call of a function;
//! - an empty name in the middle of a variadic input, which the text allows only for optional parameters;
//! - opsets of ONNX's domains that do not exist, and the name of an element type in Cast-1 that does not
//!   exist;
//! - two nodes with one name, an attribute that a function declares both with and without default, and
//!   functions, defaults and overloads before the IR version that added them.
//!
//! It is stricter because `full_check` infers shapes, which this crate does not, and rejects models for
//! which that inference fails: the body of a Loop whose inputs declare no type, the static body of
//! MeanVarianceNormalization without its default. It also compares the `type` that a reference to an
//! attribute of a function states with the signature.
//!
//! Two sentences of the text are not enforced. "All names MUST adhere to C90 identifier syntax rules": no
//! exporter and no official model does. "Models MUST specify a domain": nothing refers to it. And an
//! operator of an imported domain that ONNX does not define cannot be checked.
//!
//! A sparse initializer has the type of the dense tensor that it represents, because no operator accepts
//! sparse tensors.
//!
//! # Invariants
//! - No panic and no unbounded recursion or time is reachable from a model: [`Limits`] bound depth, typed
//!   nodes and findings, and cycles are found without recursion.
//! - The names of rules are stable; messages may change.
//! - Every node of a model without findings resolves to an operator or a function, or belongs to a foreign
//!   domain.

mod attribute_kind;
mod check;
mod decode;
mod finding;
mod limits;
mod place;
mod problem;
mod resolve;
mod rule;
mod structure;
mod types;

pub use check::{check, check_file, check_within, checked_file};
pub use finding::{Finding, Findings, NodePlace};
pub use limits::Limits;
pub use place::{body_place, function_place};
pub use problem::Problem;
pub use resolve::{Functions, Imports, Resolved, resolve};
pub use rule::Rule;
pub use types::usage::{AttributeUse, NodeUse, ParameterUse, usage};
pub use types::{Bound, bind, output_types};
