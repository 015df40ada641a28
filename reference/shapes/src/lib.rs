//! Shape inference: the extents of every value of a model, and the conditions that inputs must meet.
//!
//! # Purpose
//! For each of the 659 operator versions there is a rule from what is known of the inputs (types, ranks,
//! extents, elements of small tensors) to the extents of the outputs and the conditions that must hold.
//! [`infer`] walks a model with these rules. Extents are expressions over symbols ([`Expr`]): the names
//! that the model declares, and unknown ones. A condition binds a symbol where it can; a contradiction is
//! a [`Finding`] that names the node and, if a symbol was bound before, the node that bound it. What is
//! left is a [`Constraint`], and [`solve()`] finds extents of inputs that meet all of them.
//!
//! # Scope
//! Elements are followed as far as shapes depend on them: constants, and the arithmetic of integers from
//! Shape to Reshape, Expand, Range, Resize and the like, also through bodies and functions. Element types
//! come from `onnx-checker`. No operator is evaluated (`onnx-operators`); an extent that depends on other
//! values is an unknown symbol, never a guess.
//!
//! # Overview of modules
//! - `extent`: polynomials over symbols, functions such as ⌊a / b⌋, and the table of symbols.
//! - `rules`: one file for each family of operators, and the table of rows (operator, first version, rule).
//!   `call` is the vocabulary of rules.
//! - `walker`: the state of a walk; `walk`: graphs, functions and nodes; `bodies`: If, Loop,
//!   SequenceMap; `scans`: Scan; `declared`: declarations.
//! - `witness`: an inference against the values of a run; `opened`: a model with open extents.
//! - `elements`, `operands`: what the elements of operands are: axes, counts, shapes.
//! - `parameters`, `choices`: attributes that no inputs make right.
//! - `solve`: extents and lists of integers that meet the constraints.
//!
//! # Invariants
//! - An extent that is a number has this value in every run without an error.
//! - Equal expressions have equal values. A name of the model stands for one extent (IR.md); `?` and empty
//!   names do not.
//! - No panic, and time in proportion to the number of visited nodes ([`Limits`]).

mod bodies;
mod call;
mod choices;
mod conditions;
mod constraint;
mod declared;
mod elements;
mod extent;
mod fact;
mod finding;
mod limits;
mod merge;
mod model;
mod opened;
mod operands;
mod parameters;
mod rules;
mod scans;
mod solve;
mod walk;
mod walker;
mod witness;

pub use constraint::{Constraint, Relation};
pub use declared::is_name;
pub use elements::Elements;
pub use extent::{Atom, Expr, Mark, Operation, Symbols};
pub use fact::{Content, Fact, SequenceFact, Shape, TensorFact};
pub use finding::{Finding, Rule};
pub use limits::Limits;
pub use model::{Inference, Inferred, infer, infer_within};
pub use opened::opened;
pub use solve::{Solution, Unsolved, Wishes, solve};
pub use witness::{Agreement, Run};
