//! Formats for CI systems in addition to JUnit: GitHub annotations, GitLab code quality, CTRF.

mod annotations;
mod code_quality;
mod ctrf;

pub use annotations::annotations;
pub use code_quality::code_quality;
pub use ctrf::ctrf;
