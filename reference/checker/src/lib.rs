//! The static checker: holds a decoded model against the specification, without running it.
//!
//! # What it is
//! Every rule that can be told from the file alone: the version of the format and the imports; names, their unique definition and
//! their order, in graphs, bodies and functions; operators, arity and attributes against the signature of the version that the
//! imports give; and types, which are carried from inputs and initializers through every node, body and function call.
//! [`check()`] reports all that it finds, each with its place and its [`Rule`]; [`usage()`] tells what a model uses of the
//! specification, with the types that were inferred.
//!
//! # What it is not
//! It knows no values and no shapes beside those of initializers: that an axis is in range or that two shapes can be broadcast is
//! found when a model runs (crate `onnx-interpreter`, which relies on this check and repeats none of it). It does not decode
//! (crate `onnx-model`): what keeps a file from becoming a model is one finding of [`check_file`], named by the same rules. A type
//! that cannot be known is not guessed: what an operator of a foreign domain gives, what a function gives that is called deeper
//! than [`Limits`] allow; nothing is said of it.
//!
//! # The way through it
//! - [`check()`], [`check_file`]: a model, a file. [`Findings`], [`Finding`], [`Problem`], [`Rule`]: what comes back.
//! - `structure`: one walk over names, order, operators and attributes. `names` holds what a graph has defined, and which node
//!   depends on which; `node` a node against its signature; `function` who calls whom.
//! - `types`: a second walk with a type for each name. `bind` is the rule of type parameters, which the interpreter applies to
//!   the types of values; `infer`, `ml` and `bodies` know the operators whose signature does not tell what they give.
//! - [`meaning()`]: from a node to the version of an operator, or to a function of the model.
//! - [`usage()`]: the second walk, written down.
//!
//! # Where the text decides
//! The `onnx` package has a checker of its own. Where the two differ, the text (IR.md, the schemas) decides. As of onnx 1.23.2, of
//! the 91 broken models in `tests/checker/rules.rs` `check_model` refuses 58, and 78 with `full_check`; it stops at the first
//! problem. It is laxer in that it takes
//! - attributes that begin with two underscores, and any number of inputs, outputs and attributes in the call of a function;
//! - an empty name in the middle of a variadic input, which the text allows for optional parameters only;
//! - opsets of ONNX's domains that do not exist, and the name of an element type in Cast-1 that does not exist;
//! - two nodes with one name, an attribute that a function declares both with and without default, and functions, defaults and
//!   overloads before the IR version that brought them.
//!
//! It is stricter in that `full_check` infers shapes, which is not this crate's matter, and stops where that inference cannot know
//! more than this one: the body of a Loop whose inputs declare no type, the static body of MeanVarianceNormalization without its
//! default. It also demands the `type` of an attribute that refers to another, which decoding does not keep.
//!
//! Two sentences of the text are not enforced. "All names MUST adhere to C90 identifier syntax rules": no exporter has ever
//! kept that, nor do the official models. "Models MUST specify a domain": nothing refers to it. And one thing cannot be checked:
//! an operator of a domain that ONNX does not define, imported by the model, may be anything.
//!
//! A sparse initializer is typed as the dense tensor that it stores: no operator takes a sparse one.
//!
//! # Invariants
//! - No panic and no unbounded recursion or time is reachable from a model: [`Limits`] bound depth, typed nodes and findings, and
//!   circles are found without recursion.
//! - Rules keep their names; messages may change.
//! - A model without findings binds: every node of it means something, or belongs to a foreign domain.

mod check;
mod decode;
mod finding;
mod limits;
mod meaning;
mod problem;
mod rule;
mod structure;
mod types;
mod usage;

pub use check::{check, check_file, check_within};
pub use finding::{Finding, Findings, NodePlace};
pub use limits::Limits;
pub use meaning::{Functions, Imports, Meaning, meaning};
pub use problem::Problem;
pub use rule::Rule;
pub use types::{Bound, bind};
pub use usage::{AttributeUse, NodeUse, ParameterUse, usage};
