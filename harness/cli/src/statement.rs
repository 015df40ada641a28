//! `statement`: the results of a backend as a package that others can check.

mod rerun;
mod subject;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use harness_compare::policy::OFFICIAL;
use harness_console::{info, note, outln};
use harness_statement::predicate::Outcome;
use harness_statement::profile::ALL;
use harness_statement::rules::{TOLERANCES, built_in};
use harness_statement::{
    Evidence, Judged, PackageError, Profiles, Rules, SigningKey, VerifyingKey, Waivers, files, verify, write,
};
use run_record::LOG;
use run_record::shown::one_line;
use run_record::text::counted;
use run_record::{Report, read_file};

use self::rerun::Rerun;
use self::subject::subject_of_run;
use super::judging::Judging;
use super::{CliError, Exit};

/// The maximum length in bytes of a file that is put into a package.
const MAX_FILE: u64 = 1 << 30;

/// Write the results of a backend as a package that others can check, or check one.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub.pem\n  \
    cargo xtask statement make conformance-report --backend ort --profile opset21-inference-float32 --key key.pem --out claim\n  \
    cargo xtask statement verify claim --key key.pub.pem\n  \
    cargo xtask statement verify claim --key key.pub.pem --waivers accepted.toml\n  \
    cargo xtask statement verify claim --key key.pub.pem --rerun 20 --backend ort\n  \
    cargo xtask statement profiles\n\n\
    A package is an in-toto statement with a test-result predicate in a DSSE envelope, beside the files on which the results depend. \
    `verify` judges it by your policy, profiles, errata and waivers; a difference from those of the package is a finding. It starts \
    only the backend that you name.\n\n\
    Exit codes: 0 made, or accepted; 1 a case of the profile fails, a finding, or the package is not accepted; 2 usage, or an invalid \
    file; 5 the run is incomplete; 6 the backend is missing; 73 a file cannot be written.")]
pub struct Statement {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Write a package from a run.
    Make(Make),
    /// Check a package.
    Verify(Box<Verify>),
    /// List the profiles.
    Profiles,
}

#[derive(Args, Debug)]
struct Make {
    /// The folder of the run (`--out` of `conformance`).
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The backend, by its name in the run.
    #[arg(long, value_name = "BACKEND")]
    backend: String,
    /// The cases that count; `statement profiles` lists the profiles.
    #[arg(long, value_name = "NAME", default_value = ALL)]
    profile: String,
    /// Excused cases: `[[waiver]]` with `case`, `reason` and `owner`.
    #[arg(long, value_name = "FILE")]
    waivers: Option<PathBuf>,
    /// The file of policies with which the run was made. Default: the built-in one.
    #[arg(long, value_name = "FILE")]
    tolerances: Option<PathBuf>,
    /// The ed25519 signing key (PKCS #8, PEM). Without it the package is not signed.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// The folder of the package.
    #[arg(long, value_name = "DIR", default_value = "statement")]
    out: PathBuf,
}

#[derive(Args, Debug)]
struct Verify {
    /// The folder of the package.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The trusted public key (PEM).
    #[arg(long, value_name = "FILE", required_unless_present = "unsigned")]
    key: Option<PathBuf>,
    /// Check the files, but no signature: this does not verify the author.
    #[arg(long, conflicts_with = "key")]
    unsigned: bool,
    /// The cases that you excuse: `[[waiver]]` with `case`, `reason` and `owner`. Waivers of the package
    /// excuse nothing.
    #[arg(long, value_name = "FILE")]
    waivers: Option<PathBuf>,
    #[command(flatten)]
    rerun: Rerun,
}

impl Statement {
    /// Whether it repeats cases on a backend.
    pub(super) fn repeats(&self) -> bool {
        matches!(&self.action, Action::Verify(verify) if verify.rerun.names_backend())
    }

    pub(super) fn execute(self) -> Result<Exit, CliError> {
        match self.action {
            Action::Make(make) => make.execute(),
            Action::Verify(verify) => verify.execute(),
            Action::Profiles => {
                let profiles = Profiles::embedded().map_err(PackageError::from)?;
                outln(format_args!("{ALL}: every case of the run"))?;
                for profile in profiles.all() {
                    outln(format_args!("{}: {}", profile.name, profile.title))?;
                }
                Ok(Exit::Passed)
            }
        }
    }
}

impl Make {
    fn execute(self) -> Result<Exit, CliError> {
        let key = self.key.as_deref().map(SigningKey::read).transpose()?;
        let report = Report::read(&self.run)?;
        let mut files = built_in();
        files.insert(LOG.to_owned(), read(&self.run.join(LOG))?);
        let tolerances = self.tolerances.as_deref().map(read).transpose()?;
        if let Some(bytes) = &tolerances {
            files.insert(TOLERANCES.to_owned(), bytes.clone());
        }
        if let Some(waivers) = &self.waivers {
            files.insert(files::WAIVERS.to_owned(), read(waivers)?);
        }
        let waivers = self
            .waivers
            .as_deref()
            .map(waivers)
            .transpose()?
            .unwrap_or_default();
        let judging = Judging {
            policy: Some(report.started.policy.name.clone()),
            tolerances: self.tolerances.clone(),
            ..Judging::default()
        };
        let used = judging.policy(OFFICIAL)?.used.clone();
        if used != report.started.policy {
            return Err(CliError::Usage(format!(
                "the run was judged by version {} of the policy `{}`, and the file of policies has version {}: give its file (--tolerances)",
                report.started.policy.version, used.name, used.version
            )));
        }
        let rules = Rules::new(used, tolerances, waivers)?;
        let evidence = Evidence {
            subject: subject_of_run(&report, &self.backend)?,
            backend: self.backend,
            profile: self.profile,
            files,
        };
        let statement = write(&self.out, &evidence, &rules, key.as_ref())?;
        info(format_args!("wrote {}", self.out.join(files::ENVELOPE).display()));
        if key.is_none() {
            note(format_args!(
                "the package is not signed: give a key (--key) for others to trust it"
            ));
        }
        let result = statement.predicate;
        let judged = Judged {
            passed: result.passed_tests,
            warned: result.warned_tests,
            failed: result.failed_tests,
        };
        say(&evidence.backend, &evidence.profile, &judged)?;
        Ok(exit(judged.outcome()))
    }
}

impl Verify {
    fn execute(self) -> Result<Exit, CliError> {
        let key = self.key.as_deref().map(VerifyingKey::read).transpose()?;
        let judging = self.rerun.judging();
        let tolerances = judging.tolerances.as_deref().map(read).transpose()?;
        let waivers = self
            .waivers
            .as_deref()
            .map(waivers)
            .transpose()?
            .unwrap_or_default();
        let rules = Rules::new(judging.policy(OFFICIAL)?.used.clone(), tolerances, waivers)?;
        let verified = match verify(&self.folder, &rules, key.as_ref()) {
            Ok(verified) => verified,
            Err(error @ (PackageError::Io { .. } | PackageError::Incomplete)) => return Err(error.into()),
            Err(error) => {
                note(format_args!(
                    "error: {}: not accepted: {error}",
                    self.folder.display()
                ));
                return Ok(Exit::Regression);
            }
        };
        match &key {
            Some(key) => outln(format_args!("signed by {}", key.id()))?,
            None => outln(format_args!("the signature was not checked"))?,
        }
        say(&verified.backend, &verified.profile, &verified.judged)?;
        for finding in &verified.findings {
            outln(format_args!("finding: {}", one_line(&finding.to_string())))?;
        }
        let repeated = self.rerun.execute(&verified)?;
        if verified.findings.is_empty() && repeated {
            Ok(exit(verified.judged.outcome()))
        } else {
            note(format_args!("error: {}: not accepted", self.folder.display()));
            Ok(Exit::Regression)
        }
    }
}

fn waivers(path: &Path) -> Result<Waivers, CliError> {
    let text = read(path)?;
    Ok(Waivers::parse(&String::from_utf8_lossy(&text)).map_err(PackageError::from)?)
}

fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let read = read_file(path, MAX_FILE).map_err(|error| PackageError::Io {
        path: path.to_owned(),
        error,
    });
    Ok(read?)
}

/// The maximum number of failing cases that are named on the terminal.
const NAMED: usize = 10;

/// The result of a profile, with the cases that fail.
fn say(backend: &str, profile: &str, judged: &Judged) -> Result<(), CliError> {
    outln(format_args!(
        "{}, {}: {} ({} passed, {} with warnings, {} failed)",
        one_line(backend),
        one_line(profile),
        judged.outcome().name(),
        counted(judged.passed.len(), "case"),
        judged.warned.len(),
        judged.failed.len()
    ))?;
    for case in judged.failed.iter().take(NAMED) {
        outln(format_args!("  fails: {}", one_line(case)))?;
    }
    if let Some(more) = judged.failed.len().checked_sub(NAMED).filter(|more| *more > 0) {
        outln(format_args!("  and {more} more, in the statement's failedTests"))?;
    }
    Ok(())
}

fn exit(outcome: Outcome) -> Exit {
    match outcome {
        Outcome::Passed | Outcome::Warned => Exit::Passed,
        Outcome::Failed => Exit::Regression,
    }
}
