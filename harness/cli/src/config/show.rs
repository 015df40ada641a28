//! `config`: shows the options of the environment and of the configuration file.

use clap::{Args, Subcommand};
use harness_console::outln;
use harness_worker::BackendArg;

use super::{ConfigError, ConfigFile, FoundFile, NAME, check, settings, trust};
use crate::columns::columns;
use crate::{CliError, Exit};

/// Show the options of the environment and of onnx-conformance.toml.
#[derive(Args, Debug)]
#[command(
    after_help = "An option on the command line takes precedence; then the variable ONNX_CONFORMANCE_<OPTION>; then the file \
    onnx-conformance.toml of the working folder, or of the nearest parent folder that has one:\n\n  \
    [backends]\n  \
    my-npu = \"cmd:{dir}/npu-worker --fast\"\n\n  \
    [conformance]\n  \
    backend = [\"reference\", \"my-npu\"]\n  \
    policy = \"bound\"\n  \
    timeout = 60\n\n\
    A table has the name of a command, a key that of an option. {dir} is the folder of the file; a relative path is relative to it. \
    A file that is found is used if it and its folders belong to you and others may not write them; any other one only after \
    `config allow`. ONNX_CONFORMANCE_CONFIG=FILE uses this file, ONNX_CONFORMANCE_CONFIG=none no file.\n\n\
    Exit codes: 0 done; 2 the file cannot be used; 73 it cannot be remembered."
)]
pub struct Config {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Print each of these options, its value, and its source.
    Show,
    /// Allow the file that is found, with its present content, and print the programs that it starts. A
    /// changed file has to be allowed again.
    Allow,
}

impl Config {
    pub(crate) fn execute(self, root: &clap::Command) -> Result<Exit, CliError> {
        match self.task {
            Task::Show => show(root),
            Task::Allow => allow(root),
        }
    }
}

fn allow(root: &clap::Command) -> Result<Exit, CliError> {
    let found = FoundFile::find()?.ok_or(ConfigError::NoFile)?;
    let file = ConfigFile::parse(&found.text, &found.path)?;
    check(root, &file)?;
    print_backends(&file)?;
    trust::allow(&found.path, &found.text)?;
    outln(format_args!("allowed: {}", found.path.display()))?;
    Ok(Exit::Passed)
}

fn print_backends(file: &ConfigFile) -> Result<(), CliError> {
    let row = |(name, backend): (&String, &BackendArg)| vec![format!("backend {name}"), backend.to_string()];
    let rows: Vec<Vec<String>> = file.backends.iter().map(row).collect();
    for line in columns("", &rows) {
        outln(format_args!("{line}"))?;
    }
    Ok(())
}

fn show(root: &clap::Command) -> Result<Exit, CliError> {
    let found = FoundFile::find()?;
    match &found {
        Some(found) => outln(format_args!("file: {}", found.path.display()))?,
        None => outln(format_args!("file: no {NAME} in this folder or above"))?,
    }
    if let Some(objection) = found.as_ref().and_then(|found| found.objection.as_ref()) {
        outln(format_args!("not used: {objection}; `config allow` allows it"))?;
    }
    let parsed = found.map(|found| ConfigFile::parse(&found.text, &found.path));
    let file = parsed.transpose()?;
    if let Some(file) = &file {
        check(root, file)?;
        print_backends(file)?;
    }
    let mut rows = Vec::new();
    for command in root.get_subcommands() {
        for setting in settings(command, file.as_ref(), &|name| std::env::var(name).ok()) {
            rows.push(vec![
                command.get_name().to_owned(),
                format!("--{}", setting.option),
                setting.values.join(", "),
                setting.source.to_string(),
            ]);
        }
    }
    for line in columns("", &rows) {
        outln(format_args!("{line}"))?;
    }
    Ok(Exit::Passed)
}
