//! The official layout: `<data>/<suite>/<case>/{model.onnx, test_data_set_N/…}`, and `<data>/light`.

pub mod data_set;
pub mod light;

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::case::{CaseDefect, CaseFiles, DefectKind, OfficialTolerance};
use super::names::shown;
use super::{CaseId, CorpusError, FileRef, Folder};

/// The path of the layout in a wheel of the `onnx` distribution.
pub(super) const DATA_IN_WHEEL: [&str; 4] = ["onnx", "backend", "test", "data"];

/// The model of a case folder.
pub const MODEL: &str = "model.onnx";

/// Replaces the case name if the cases of a suite cannot be listed.
const EVERY_CASE: &str = "(every case)";

/// The description of a case: tolerances, and for the official light models the URL of the model.
pub(super) const DESCRIPTION: &str = "data.json";

/// The content of a folder.
#[derive(Default)]
pub(super) struct Found {
    pub cases: Vec<CaseFiles>,
    pub defects: Vec<CaseDefect>,
}

/// The models `<root>/<suite>/<name>/model.onnx` with their ids in `corpus`, sorted. A root need not exist.
///
/// # Errors
/// A folder cannot be read, or its name is invalid in an id.
pub fn models_in(
    corpus: &str,
    roots: impl IntoIterator<Item = PathBuf>,
) -> Result<Vec<(CaseId, PathBuf)>, CorpusError> {
    let name = |path: &Path| shown(path.file_name().unwrap_or_default());
    let mut found = Vec::new();
    for root in roots {
        for suite in folders(&root)? {
            for folder in folders(&suite)? {
                // A folder with such a name is not complete yet.
                if name(&folder).starts_with('.') {
                    continue;
                }
                let id = CaseId::new(corpus, &name(&suite), &name(&folder))?;
                found.push((id, folder.join(MODEL)));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The folders in a folder, which need not exist.
fn folders(path: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(path).map_err(CorpusError::io("read", path))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.is_dir()).collect())
}

/// Why reading a case stopped: the case is defective, or the corpus cannot be read.
pub(super) enum Halt {
    Defect(DefectKind),
    Corpus(CorpusError),
}

impl From<DefectKind> for Halt {
    fn from(kind: DefectKind) -> Self {
        Self::Defect(kind)
    }
}

impl From<CorpusError> for Halt {
    fn from(error: CorpusError) -> Self {
        Self::Corpus(error)
    }
}

impl Found {
    /// Adds a case or its defect.
    pub fn add(&mut self, id: CaseId, read: impl FnOnce(CaseId) -> Result<CaseFiles, Halt>) {
        match read(id.clone()) {
            Ok(case) => self.cases.push(case),
            Err(Halt::Defect(kind)) => self.add_defect(id, kind),
            // A case that cannot be read does not affect others.
            Err(Halt::Corpus(error)) => {
                let reason = error.to_string();
                self.add_defect(id, DefectKind::Unreadable { reason });
            }
        }
    }

    fn add_defect(&mut self, id: CaseId, kind: DefectKind) {
        self.defects.push(CaseDefect {
            id,
            also_in: Vec::new(),
            kind,
        });
    }

    /// Adds defects for the folders of `suite` with invalid names.
    fn add_invalid(&mut self, corpus: &str, suite: &str, folder: &Folder) -> Result<(), CorpusError> {
        for (name, _) in folder.folders_with_invalid_names()? {
            self.add_defect(CaseId::new(corpus, suite, &name)?, DefectKind::InvalidName);
        }
        Ok(())
    }

    pub fn append(&mut self, mut other: Self) {
        self.cases.append(&mut other.cases);
        self.defects.append(&mut other.defects);
    }
}

/// Every suite of a data folder. A subfolder without cases is not a suite.
pub(super) fn read_data(corpus: &str, data: &Folder) -> Result<Found, CorpusError> {
    let mut found = Found::default();
    for (suite, folder) in data.folders_with_invalid_names()? {
        if is_suite(&folder)? {
            found.add_defect(CaseId::new(corpus, &suite, EVERY_CASE)?, DefectKind::InvalidName);
        }
    }
    for suite in data.folders()? {
        let folder = data.folder(&suite);
        if light::is_light(&folder)? {
            found.append(light::read(corpus, &folder, &data.folder(light::DESCRIPTIONS))?);
        } else if is_suite(&folder)? {
            found.append(read_suite(
                corpus,
                &suite,
                &folder,
                Some(&data.folder(light::MODELS)),
            )?);
        }
    }
    Ok(found)
}

/// Every case of a suite folder. A subfolder that is not a case is a defect, because its model may be
/// missing. Folders that only describe one of the `lights` are left to [`light::read`].
pub(super) fn read_suite(
    corpus: &str,
    suite: &str,
    folder: &Folder,
    lights: Option<&Folder>,
) -> Result<Found, CorpusError> {
    let mut found = Found::default();
    for name in folder
        .folders()?
        .into_iter()
        .filter(|name| !name.starts_with(['.', '_']))
    {
        let case = folder.folder(&name);
        if !lights.is_some_and(|lights| light::is_described_by(&case, lights)) {
            found.add(CaseId::new(corpus, suite, &name)?, |id| read_case(id, case));
        }
    }
    found.add_invalid(corpus, suite, folder)?;
    Ok(found)
}

/// The case of a folder.
pub(super) fn read_case(id: CaseId, folder: Folder) -> Result<CaseFiles, Halt> {
    let description = Description::of(&folder)?;
    let model = match (folder.file(MODEL), &description.url) {
        (Some(model), _) => model,
        (None, Some(url)) => return Err(DefectKind::RemoteModel { url: url.clone() }.into()),
        (None, None) => return Err(DefectKind::NoModel.into()),
    };
    case_of(id, model, folder.clone(), &folder, description.tolerance())
}

/// A case whose data sets may be in another folder than its model.
pub(super) fn case_of(
    id: CaseId,
    model: FileRef,
    folder: Folder,
    data_sets: &Folder,
    tolerance: OfficialTolerance,
) -> Result<CaseFiles, Halt> {
    Ok(CaseFiles {
        id,
        also_in: Vec::new(),
        digest: None,
        form: None,
        external: None,
        model,
        data_sets: data_set::read_all(data_sets)?,
        tolerance,
        folder,
    })
}

/// Whether a folder is intended to be a case.
pub(super) fn is_case(folder: &Folder) -> Result<bool, CorpusError> {
    Ok(folder.file(MODEL).is_some() || has_data_sets(folder)?)
}

/// Whether a folder contains data sets.
pub(super) fn has_data_sets(folder: &Folder) -> Result<bool, CorpusError> {
    Ok(folder
        .folders()?
        .iter()
        .any(|name| name.starts_with(data_set::PREFIX)))
}

/// Whether a folder contains a case, or the description of one.
pub(super) fn is_suite(folder: &Folder) -> Result<bool, CorpusError> {
    let invalid = folder
        .folders_with_invalid_names()?
        .into_iter()
        .map(|(_, case)| case);
    let named = folder.folders()?;
    for case in named.iter().map(|name| folder.folder(name)).chain(invalid) {
        // A folder that cannot be listed does not show that it is a case.
        if case.file(DESCRIPTION).is_some() || is_case(&case).unwrap_or(false) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `data.json`. A missing value has the default of the official loader.
#[derive(Default, Deserialize)]
pub(super) struct Description {
    pub url: Option<String>,
    rtol: Option<f64>,
    atol: Option<f64>,
}

impl Description {
    /// The description in `folder`; empty if there is none.
    pub fn of(folder: &Folder) -> Result<Self, Halt> {
        let Some(file) = folder.file(DESCRIPTION) else {
            return Ok(Self::default());
        };
        let invalid = |reason: String| DefectKind::Description { reason };
        let description: Self =
            serde_json::from_slice(&file.read()?).map_err(|error| invalid(error.to_string()))?;
        for (name, value) in [("rtol", description.rtol), ("atol", description.atol)] {
            if value.is_some_and(|value| !(value.is_finite() && value >= 0.0)) {
                return Err(invalid(format!("`{name}` is not a tolerance")).into());
            }
        }
        Ok(description)
    }

    /// The tolerance it sets.
    pub fn tolerance(&self) -> OfficialTolerance {
        let default = OfficialTolerance::default();
        OfficialTolerance {
            rtol: self.rtol.unwrap_or(default.rtol),
            atol: self.atol.unwrap_or(default.atol),
        }
    }
}
