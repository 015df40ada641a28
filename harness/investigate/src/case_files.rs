//! Writes cases in the official layout to a folder.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use backend_api::Named;
use backend_api::protocol::External;
use harness_conformance::case::Case;
use onnx_model::{Bytes, encode_value};
use run_record::{Folder, WriteError};

use crate::{InvestigateError, beside};

#[derive(Clone, Debug)]
pub struct CaseToWrite<'a> {
    /// The bytes of the model.
    pub model: Bytes,
    /// External data.
    pub external: &'a External,
    /// Inputs and expected outputs of each data set.
    pub sets: Vec<(Vec<Named>, Vec<Named>)>,
}

impl<'c> CaseToWrite<'c> {
    /// The files of a decoded case.
    pub fn of(case: &'c Case) -> CaseToWrite<'c> {
        let sets = case.data_sets.iter();
        CaseToWrite {
            model: case.model.clone(),
            external: &case.external,
            sets: sets
                .map(|set| (set.inputs.clone(), set.expected.clone()))
                .collect(),
        }
    }
}

impl CaseToWrite<'_> {
    /// Writes `model.onnx`, its external data and `test_data_set_N` to `folder`. Data sets of an earlier
    /// case in the folder are removed.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), InvestigateError> {
        place(folder, "model.onnx", &self.model)?;
        beside::write(self.external, folder)?;
        for number in 0.. {
            let set = folder.join(format!("test_data_set_{number}"));
            match fs::remove_dir_all(&set) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                Err(source) => return Err(WriteError { path: set, source }.into()),
            }
        }
        for (number, (inputs, outputs)) in self.sets.iter().enumerate() {
            for (what, values) in [("input", inputs), ("output", outputs)] {
                for (index, (name, value)) in values.iter().enumerate() {
                    let file = format!("test_data_set_{number}/{what}_{index}.pb");
                    place(folder, &file, &encode_value(value, name))?;
                }
            }
        }
        Ok(())
    }
}

/// Replaces a file of a folder without waiting for the disk: a case is written again from its model.
fn place(folder: &Path, name: &str, content: &[u8]) -> Result<(), WriteError> {
    let written = Folder::create(folder).and_then(|folder| folder.begin(Path::new(name), content));
    written.map(drop).map_err(|source| WriteError {
        path: folder.join(name),
        source,
    })
}
