//! `conformance --provider-profile`: the results of a run by what an execution provider claims.

use std::path::Path;

use harness_conformance::provider::{ProviderProfile, ProviderResult, ProviderResults};
use harness_console::{info, note, outln};
use reports::render::RenderError;
use run_record::Report;

use super::clock::now;
use super::workers::Backends;
use super::{CliError, Exit};

/// The document, in the folder of the run.
const FILE: &str = "provider-results.json";

/// Reads a profile, and applies it to the backends of a command: its tolerances, and its backend if the
/// command has only the default ones.
pub(super) fn load(path: &Path, backends: &mut Backends) -> Result<ProviderProfile, CliError> {
    let profile = ProviderProfile::load(path)?;
    if let (Some(text), true) = (&profile.backend, backends.are_default()) {
        backends.backends = vec![text.parse()?];
    }
    if backends.backends.len() != 1 {
        return Err(CliError::Usage(
            "--provider-profile judges one backend: name it by --backend, or by `backend` in the profile"
                .to_owned(),
        ));
    }
    backends.run.judging.rules.clone_from(&profile.tolerances);
    Ok(profile)
}

/// Writes the results of the only backend. Returns the exit code: a failure is a regression, unless the run
/// is incomplete.
pub(super) fn judge(
    report: &Report,
    profile: &ProviderProfile,
    out: &Path,
    exit: Exit,
) -> Result<Exit, CliError> {
    let Some(backend) = report.backends.first() else {
        return Ok(exit);
    };
    let today = now()?.date();
    let results = ProviderResults::of(report, &backend.info, profile, today);
    outln(format_args!("{}: {}", profile.name, results.words()))?;
    for exclusion in results.expired() {
        note(format_args!(
            "the exclusion of {exclusion} does not hold any more"
        ));
    }
    let file = out.join(FILE);
    let text = run_record::shown::to_json(&results).map_err(RenderError::from)?;
    run_record::replace(&file, text.as_bytes())?;
    info(format_args!("wrote {}", file.display()));
    Ok(match exit {
        Exit::Passed if results.count(ProviderResult::Fail) > 0 => Exit::Regression,
        exit => exit,
    })
}
