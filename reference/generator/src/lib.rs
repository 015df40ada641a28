//! Generated cases: valid models for every version, type and attribute value that the schema table allows.
//!
//! # Purpose
//! Each operator has one small declaration ([`operators`]): compatible shapes, valid values of its
//! inputs, relations between its attributes. A declaration uses a family of shapes ([`families`]). The
//! plan ([`Plan`]) runs it for every type and option, and for pairs of them. The result is a [`Case`]: a
//! model with its inputs.
//!
//! # Scope
//! There are no expected outputs, and no operator is linked. The caller computes the outputs by a
//! witness, and states which.
//!
//! # Invariants
//! - The same seed gives the same bytes on every machine: draws come from ChaCha8, and no function of a
//!   platform's library is used.
//! - Undefined behaviour of the specification is never generated: a declaration uses only values for
//!   which its operator is defined.
//! - A version without cases has a reason ([`Absent`]).

mod attribute_values;
mod case;
mod cells;
mod draft;
mod draws;
pub mod families;
pub mod graphs;
pub mod operators;
mod plan;
mod survey;
pub mod values;

pub use attribute_values::enumerated;
pub use case::Case;
pub use cells::{Parameter, parameters, short};
pub use draft::{Choices, Decision, Draft, Made, Reject, Types, element, value_type, whole};
pub use draws::Draws;
pub use graphs::SUITE as GRAPHS;
pub use plan::{Phase, Plan};
pub use survey::{Absent, Survey, cases, contrib_cases, plan, survey};
pub use values::{Beyond, Class, Domain};
