//! What CI systems other than those that read JUnit take: annotations of GitHub, code quality of GitLab, CTRF.

mod annotations;
mod code_quality;
mod ctrf;

pub use annotations::annotations;
pub use code_quality::code_quality;
pub use ctrf::ctrf;
