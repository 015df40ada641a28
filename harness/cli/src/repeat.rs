//! The command that repeats a result of a run.

use std::ffi::OsStr;
use std::path::Path;

use run_record::Repeat;

use super::generated::Generating;
use super::models::Models;
use super::selection::Cases;
use super::workers::Backends;

/// The command that repeats a result of a run with these arguments.
pub(super) fn repeat(cases: &Cases, generating: &Generating, backends: &Backends, models: &Models) -> Repeat {
    let program = command_line().into_iter().next().unwrap_or_default();
    let is_xtask = Path::new(&program).file_stem() == Some(OsStr::new("xtask"));
    Repeat {
        program: if is_xtask {
            ["cargo", "xtask", "conformance"].map(String::from).into()
        } else {
            vec![program, "conformance".to_owned()]
        },
        named: backends
            .backends
            .iter()
            .filter_map(|backend| Some((backend.alias()?.to_owned(), backend.text().to_owned())))
            .collect(),
        cases: cases.arguments().and(generating.arguments()).0,
        options: backends.arguments().and(models.arguments()).0,
    }
}

/// The command line of this process, starting with the program; invalid UTF-8 is replaced.
pub(super) fn command_line() -> Vec<String> {
    let words = std::env::args_os();
    words.map(|word| word.to_string_lossy().into_owned()).collect()
}
