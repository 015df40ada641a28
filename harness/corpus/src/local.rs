//! Local cases: `--cases PATH`, in the official layout.

use std::fs;
use std::path::Path;

use super::case::OfficialTolerance;
use super::layout::light;
use super::layout::{self, Found};
use super::names::shown;
use super::{CaseId, CorpusError, FileRef, Folder};

/// The corpus name of local cases.
pub const CORPUS: &str = "local";

/// The suite name of a case outside of a suite.
const NO_SUITE: &str = "single";

/// The content of `path`: one `.onnx` file, a case, a suite, or a folder of suites.
pub(super) fn read(path: &Path) -> Result<Found, CorpusError> {
    // Canonical, so that `.` and `..` also have a name.
    let path = fs::canonicalize(path).map_err(CorpusError::io("open", path))?;
    let found = if path.is_file() {
        single_model(&path)?
    } else {
        read_folder(&path)?
    };
    if found.cases.is_empty() && found.defects.is_empty() {
        return Err(CorpusError::NoCases { path });
    }
    Ok(found)
}

fn read_folder(path: &Path) -> Result<Found, CorpusError> {
    let folder = Folder::on_disk(path);
    if layout::is_case(&folder)? {
        let mut found = Found::default();
        let suite = path.parent().and_then(name);
        let case = name(path).unwrap_or_else(|| CORPUS.to_owned());
        let id = CaseId::new(CORPUS, suite.as_deref().unwrap_or(NO_SUITE), &case)?;
        found.add(id, |id| layout::read_case(id, folder));
        return Ok(found);
    }
    if light::is_light(&folder)? {
        let descriptions = path.with_file_name(light::DESCRIPTIONS);
        return light::read(CORPUS, &folder, &Folder::on_disk(&descriptions));
    }
    if layout::is_suite(&folder)? {
        let suite = name(path);
        return layout::read_suite(CORPUS, suite.as_deref().unwrap_or(NO_SUITE), &folder, None);
    }
    layout::read_data(CORPUS, &folder)
}

/// A model file with its data sets in `<stem>/` or in the same folder.
fn single_model(path: &Path) -> Result<Found, CorpusError> {
    let (Some(stem), Some(parent)) = (path.file_stem(), path.parent()) else {
        return Ok(Found::default());
    };
    if path.extension().is_none_or(|extension| extension != "onnx") {
        return Ok(Found::default());
    }
    let folder = Folder::on_disk(parent);
    let own = Folder::on_disk(&parent.join(stem));
    let own_sets = parent.join(stem).is_dir() && layout::has_data_sets(&own)?;
    let data_sets = if own_sets { own } else { folder.clone() };
    // In the official layout every model file is `model.onnx`; its folder identifies the case.
    let case = if stem == "model" {
        name(parent).unwrap_or_else(|| shown(stem))
    } else {
        shown(stem)
    };
    let mut found = Found::default();
    found.add(CaseId::new(CORPUS, NO_SUITE, &case)?, |id| {
        layout::case_of(
            id,
            FileRef::on_disk(path),
            folder.clone(),
            &data_sets,
            OfficialTolerance::default(),
        )
    });
    Ok(found)
}

/// The last part of a path, escaped for an id; `None` for a root.
fn name(path: &Path) -> Option<String> {
    path.file_name().map(shown)
}
