//! Writes the graph as text after each pass to the file of the option `dump`.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use backend_api::BackendError;

use crate::ir::Graph;

/// The destination of the dump, if any.
#[derive(Clone, Debug, Default)]
pub struct Dump(Option<PathBuf>);

impl Dump {
    /// Opens an empty file of this name, or stderr for `-`.
    pub fn new(path: Option<PathBuf>) -> Result<Dump, BackendError> {
        let file = path.as_ref().filter(|path| path.as_os_str() != "-");
        match file.map(File::create) {
            Some(Err(error)) => Err(BackendError::Option {
                option: "dump".to_owned(),
                message: format!("cannot write the file: {error}"),
            }),
            _ => Ok(Dump(path)),
        }
    }

    /// Writes the graph after a pass, with the report of the pass.
    pub fn write(&self, name: &str, report: &[String], graph: &Graph) {
        let Some(path) = &self.0 else { return };
        let mut text = format!("== {name}: {} nodes\n", graph.nodes.len());
        report
            .iter()
            .for_each(|line| text.push_str(&format!("-- {line}\n")));
        text.push_str(&graph.to_string());
        let written = if path.as_os_str() == "-" {
            io::stderr().write_all(text.as_bytes())
        } else {
            OpenOptions::new()
                .append(true)
                .open(path)
                .and_then(|mut file| file.write_all(text.as_bytes()))
        };
        // A failed write of the dump does not fail the request.
        if let Err(error) = written {
            eprintln!("cannot write the dump `{}`: {error}", path.display());
        }
    }
}
