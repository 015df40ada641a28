//! Stored outputs as a backend: a worker that answers with them, so that they are judged like other
//! answers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use backend_api::protocol::External;
use backend_api::{Backend, BackendError, Description, LoadRequest, Named, Options, Session};
use harness_worker::WorkerSpec;
use onnx_model::{Bytes, Folder, Limits, Model, Source, ValueInfo, decode_value, encode_value};
use run_record::WriteError;

use crate::InvestigateError;
use crate::case_files::CaseToWrite;
use crate::subject::StoredSet;

/// The name of stored outputs among the backends.
pub const NAME: &str = "stored outputs";

/// The option with the folder of such a worker.
pub const OPTION: &str = "replay";

/// A worker of this program that answers with the files in `folder`, which has a folder for each model,
/// named by its digest.
pub fn worker(program: PathBuf, folder: &Path) -> WorkerSpec {
    let mut spec = WorkerSpec::new(NAME, program);
    spec.options
        .insert(OPTION.to_owned(), folder.display().to_string());
    spec
}

/// Writes stored outputs to the folder where a worker of [`worker`] reads them.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, model: &[u8], stored: &[StoredSet]) -> Result<(), WriteError> {
    let case = CaseToWrite {
        sets: stored
            .iter()
            .map(|set| (set.inputs.clone(), set.outputs.clone()))
            .collect(),
        external: &External::default(),
        model: Default::default(),
    };
    match case.write(&folder.join(digest(model))) {
        Err(InvestigateError::Write(error)) => Err(error),
        _ => Ok(()),
    }
}

/// The model with a number in its documentation, so that the outputs stored beside several copies of one file
/// are told apart. The last value of a protobuf field counts.
pub fn numbered(model: &Bytes, number: u32) -> Bytes {
    const DOC_STRING: u8 = 6 << 3 | 2;
    let text = number.to_string();
    [&model[..], &[DOC_STRING, text.len() as u8], text.as_bytes()]
        .concat()
        .into()
}

fn digest(model: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    hex::encode(Sha256::digest(model))
}

/// The backend behind [`worker`].
#[derive(Debug)]
pub struct Replay {
    folder: PathBuf,
}

impl Replay {
    /// Reads the option [`OPTION`].
    ///
    /// # Errors
    /// The option is missing, or another option is present.
    pub fn from_options(mut options: Options) -> Result<Replay, BackendError> {
        let folder = options.take::<String>(OPTION, "a folder")?;
        options.finish()?;
        let folder = folder.ok_or_else(|| BackendError::load("the option `replay` is missing"))?;
        Ok(Replay {
            folder: folder.into(),
        })
    }
}

impl Backend for Replay {
    fn describe(&self) -> Description {
        Description {
            name: NAME.to_owned(),
            version: "of unknown origin".to_owned(),
            ..Description::default()
        }
    }

    fn load(&mut self, request: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        let folder = self.folder.join(digest(&request.model));
        if !folder.is_dir() {
            return Err(BackendError::unsupported(
                "no outputs are stored beside this model",
            ));
        }
        let external = request.folder.map(Folder::new);
        let source = Source::named("the model");
        let source = external
            .as_ref()
            .map_or(source, |folder| source.with_external(folder));
        let model = Model::decode(request.model, &source, &Limits::default()).map_err(BackendError::load)?;
        Ok(Box::new(Stored {
            outputs: model.graph.outputs.clone(),
            folder,
            answered: Vec::new(),
        }))
    }
}

/// The data sets of one model.
struct Stored {
    folder: PathBuf,
    outputs: Vec<ValueInfo>,
    /// The data sets that were requested.
    answered: Vec<PathBuf>,
}

impl Stored {
    /// The folder of the data set with these inputs. Several with the same inputs follow each other.
    fn set(&mut self, inputs: &[Named]) -> Option<PathBuf> {
        let wanted: BTreeSet<Vec<u8>> = inputs
            .iter()
            .map(|(name, value)| encode_value(value, name))
            .collect();
        let sets = (0..).map(|number| self.folder.join(format!("test_data_set_{number}")));
        let stored = |set: &PathBuf| -> BTreeSet<Vec<u8>> {
            let files = (0..inputs.len()).map(|index| set.join(format!("input_{index}.pb")));
            files.filter_map(|file| fs::read(file).ok()).collect()
        };
        let sets = sets.take_while(|set| set.is_dir());
        let same: Vec<PathBuf> = sets.filter(|set| stored(set) == wanted).collect();
        let next = same
            .iter()
            .find(|set| !self.answered.contains(set))
            .or(same.first())
            .cloned();
        self.answered.extend(next.clone());
        next
    }
}

impl Session for Stored {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        let set = self
            .set(inputs)
            .ok_or_else(|| BackendError::run("no outputs are stored for these inputs"))?;
        let value = |(index, info): (usize, &ValueInfo)| {
            let file = set.join(format!("output_{index}.pb"));
            let bytes = fs::read(&file).map_err(BackendError::run)?;
            let value_type = info
                .value_type
                .as_ref()
                .ok_or_else(|| BackendError::run("an output has no type"))?;
            let value = decode_value(&bytes, value_type, &Limits::default()).map_err(BackendError::run)?;
            Ok((info.name.clone(), value))
        };
        self.outputs.iter().enumerate().map(value).collect()
    }
}
