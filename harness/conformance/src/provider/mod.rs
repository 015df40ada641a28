//! Provider profiles: what an execution provider claims to run, where it may differ, and which cases are
//! excluded; and the result of a run by the claims, in the five results of ONNX Runtime's design for a
//! conformance suite of providers.
//!
//! - [`ProviderProfile`]: a profile, read and checked. Its format is `docs/schemas/provider-profile.json`.
//! - [`ProviderResults`]: the result of each case, as a document of stable form,
//!   `docs/schemas/provider-results.json`.

mod claim;
mod profile;
mod results;
#[cfg(test)]
mod tests;

pub use claim::Claim;
pub use profile::{Exclusion, ProviderProfile, ProviderProfileError, WrittenProfile};
pub use results::{ProviderResult, ProviderResults};
