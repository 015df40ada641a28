//! `config`: shows the options of the environment and of the configuration file.

use clap::{Args, Subcommand};
use harness_console::outln;

use super::{ConfigFile, NAME, check, settings};
use crate::columns::columns;
use crate::{CliError, Exit};

/// Show the options of the environment and of onnx-conformance.toml.
#[derive(Args, Debug)]
#[command(
    after_help = "An option on the command line takes precedence; then the variable ONNX_CONFORMANCE_<OPTION>; then the file\n\
    onnx-conformance.toml of the working folder, or of the nearest parent folder that has one:\n\n  \
    [backends]\n  \
    my-npu = \"cmd:{dir}/npu-worker --fast\"\n\n  \
    [conformance]\n  \
    backend = [\"reference\", \"my-npu\"]\n  \
    policy = \"bound\"\n  \
    timeout = 60\n\n\
    A table has the name of a command, a key that of an option. {dir} is the folder of the file.\n\n\
    Exit codes: 0 done; 2 the file cannot be used."
)]
pub struct Config {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Print each of these options, its value, and its source.
    Show,
}

impl Config {
    pub(crate) fn execute(self, root: &clap::Command) -> Result<Exit, CliError> {
        let Task::Show = self.task;
        let file = ConfigFile::nearest()?;
        match &file {
            Some(file) => outln(format_args!("file: {}", file.path.display()))?,
            None => outln(format_args!("file: no {NAME} in this folder or above"))?,
        }
        if let Some(file) = &file {
            check(root, file)?;
            let rows: Vec<Vec<String>> = file
                .backends
                .iter()
                .map(|(name, text)| vec![format!("backend {name}"), text.clone()])
                .collect();
            for line in columns("", &rows) {
                outln(format_args!("{line}"))?;
            }
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
}
