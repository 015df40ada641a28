//! `statement`: the results of a backend as a package that others can check.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand};
use harness_conformance::run::program_file;
use harness_console::{info, note, outln};
use harness_corpus::{Cache, Fetcher, Lockfile, Sha256};
use harness_statement::predicate::Outcome;
use harness_statement::profile::ALL;
use harness_statement::{
    Evidence, PackageError, Profiles, SigningKey, Subject, Verified, VerifyingKey, package, verify, write,
};
use harness_worker::{WorkerSpec, backend};
use reports::Report;
use reports::record::{LOG, VerdictKind};

use super::{CliError, Exit};

/// Write the results of a backend as a package that others can check, or check one.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub.pem\n  \
    cargo xtask statement make conformance-report --backend ort --profile opset21-inference-float32 --key key.pem --out claim\n  \
    cargo xtask statement verify claim --key key.pub.pem\n  \
    cargo xtask statement verify claim --key key.pub.pem --rerun 20\n  \
    cargo xtask statement profiles\n\n\
    A package is an in-toto statement with a test-result predicate in a DSSE envelope, beside the files on which the results depend.\n\n\
    Exit codes: 0 made, or accepted; 1 a case of the profile fails, or the package is not accepted; 2 usage, or an invalid\n\
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
    Verify(Verify),
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
    /// Also repeat this number of the passing cases, and compare the verdicts.
    #[arg(long, value_name = "N", default_value_t = 0)]
    rerun: usize,
}

impl Statement {
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
        let mut files = package::embedded();
        files.insert(LOG.to_owned(), read(&self.run.join(LOG))?);
        for (option, name) in [("--tolerances", "tolerances.toml"), ("--errata", "errata.toml")] {
            if let Some(path) = value_of(&report, option) {
                files.insert(name.to_owned(), read(Path::new(path))?);
            }
        }
        if let Some(waivers) = &self.waivers {
            files.insert(package::WAIVERS.to_owned(), read(waivers)?);
        }
        let evidence = Evidence {
            subject: subject(&report, &self.backend)?,
            backend: self.backend,
            profile: self.profile,
            files,
        };
        let statement = write(&self.out, &evidence, key.as_ref())?;
        info(format_args!(
            "wrote {}",
            self.out.join(package::ENVELOPE).display()
        ));
        if key.is_none() {
            note(format_args!(
                "the package is not signed: give a key (--key) for others to trust it"
            ));
        }
        say(&evidence.backend, &evidence.profile, &statement.predicate)?;
        Ok(exit(statement.predicate.result))
    }
}

impl Verify {
    fn execute(self) -> Result<Exit, CliError> {
        let key = self.key.as_deref().map(VerifyingKey::read).transpose()?;
        let verified = match verify(&self.folder, key.as_ref()) {
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
        say(
            &verified.backend,
            &verified.profile,
            &verified.statement.predicate,
        )?;
        if self.rerun > 0 && !self.repeat(&verified)? {
            return Ok(Exit::Regression);
        }
        Ok(exit(verified.statement.predicate.result))
    }

    /// Repeats a sample of the passing cases. The digest of the log selects them, so that every verifier
    /// runs the same.
    fn repeat(&self, verified: &Verified) -> Result<bool, CliError> {
        let passed = &verified.statement.predicate.passed_tests;
        let mut order: Vec<(Sha256, &String)> = passed
            .iter()
            .map(|case| {
                (
                    Sha256::of(format!("{case}{}", verified.report.started.started).as_bytes()),
                    case,
                )
            })
            .collect();
        order.sort();
        let sample: Vec<&String> = order.into_iter().take(self.rerun).map(|(_, case)| case).collect();
        let repeat = &verified.report.started.repeat;
        let folder = tempfile::tempdir().map_err(CliError::Folder)?;
        let name = &verified.backend;
        let backend = repeat
            .named
            .get(name)
            .map_or_else(|| name.clone(), |text| format!("{name}={text}"));
        let program = std::env::current_exe().map_err(CliError::Folder)?;
        let mut command = Command::new(program);
        command
            .arg("--quiet")
            .arg("conformance")
            .args(&repeat.cases)
            .args(&repeat.options);
        command
            .args(["--backend", &backend, "--out"])
            .arg(folder.path().join("run"));
        for case in &sample {
            command.arg("--filter").arg(case);
        }
        let ran = command
            .stdout(std::process::Stdio::null())
            .status()
            .map_err(CliError::Folder)?;
        if !ran.success() {
            return Err(CliError::Usage(format!("the sample cannot be run ({ran})")));
        }
        let again = Report::read(&folder.path().join("run"))?;
        let verdicts: BTreeMap<&str, VerdictKind> = again
            .cases_of(name)
            .map(|record| (record.case.as_str(), record.verdict.kind()))
            .collect();
        let differing: Vec<&&String> = sample
            .iter()
            .filter(|case| verdicts.get(case.as_str()) != Some(&VerdictKind::Pass))
            .collect();
        for case in &differing {
            let verdict = verdicts
                .get(case.as_str())
                .map_or("not run", |verdict| verdict.label());
            note(format_args!(
                "error: {case} passes in the statement, but its verdict here is: {verdict}"
            ));
        }
        outln(format_args!(
            "{} of {} repeated cases pass",
            sample.len() - differing.len(),
            sample.len()
        ))?;
        Ok(differing.is_empty())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let read = fs::read(path).map_err(|error| PackageError::Io {
        path: path.to_owned(),
        error,
    });
    Ok(read?)
}

/// The value of an option on which the results of the run depend.
fn value_of<'r>(report: &'r Report, option: &str) -> Option<&'r str> {
    let options = &report.started.repeat.options;
    let at = options.iter().position(|word| word == option)?;
    options.get(at + 1).map(String::as_str)
}

/// The files of the backend with their digests: the program, files among its arguments, the library of
/// the runtime.
fn subject(report: &Report, name: &str) -> Result<Vec<Subject>, CliError> {
    let text = report.started.repeat.named.get(name).map_or(name, String::as_str);
    let fetcher = Fetcher::new(Cache::from_env()?, |event| info(format_args!("{event}")));
    let spec: WorkerSpec = backend::parse(text, &Lockfile::embedded()?, &fetcher)?;
    let built = report.started.fingerprint.get(&format!("backend {name}"));
    let is_same = |file: String| built.is_none_or(|built| built.contains(&file));
    if spec.launcher.is_some() {
        return Err(CliError::Usage(format!(
            "the files of `{name}` are on another machine: make the statement there"
        )));
    }
    if !program_file(&spec.command).is_none_or(is_same) {
        return Err(CliError::Usage(format!(
            "{} was rebuilt after the run: run it again",
            spec.command.display()
        )));
    }
    let mut files = vec![spec.command.clone()];
    files.extend(spec.args.iter().map(PathBuf::from).filter(|path| path.is_file()));
    files.extend(spec.env.values().map(PathBuf::from).filter(|path| path.is_file()));
    let subject = |path: &PathBuf| {
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Ok(Subject::new(file, Sha256::of(&read(path)?).to_string()))
    };
    files.iter().filter(|path| path.is_file()).map(subject).collect()
}

/// The maximum number of failing cases that are named on the terminal.
const NAMED: usize = 10;

/// The result of a profile, with the cases that fail.
fn say(
    backend: &str,
    profile: &str,
    result: &harness_statement::predicate::TestResult,
) -> Result<(), CliError> {
    outln(format_args!(
        "{backend}, {profile}: {} ({} cases pass, {} have warnings, {} fail)",
        result.result.name(),
        result.passed_tests.len(),
        result.warned_tests.len(),
        result.failed_tests.len()
    ))?;
    for case in result.failed_tests.iter().take(NAMED) {
        outln(format_args!("  fails: {case}"))?;
    }
    if let Some(more) = result
        .failed_tests
        .len()
        .checked_sub(NAMED)
        .filter(|more| *more > 0)
    {
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
