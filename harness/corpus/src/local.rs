//! Local cases: `--cases PATH`, in the official layout or as JSON text.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use super::case::OfficialTolerance;
use super::json;
use super::layout::light;
use super::layout::{self, Found, Halt};
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
    let is_text = path.to_str().is_some_and(|path| path.ends_with(json::SUFFIX));
    let found = if path.is_file() && is_text {
        texts([path.clone()])?
    } else if path.is_file() {
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
    let names = folder
        .files()?
        .into_iter()
        .filter(|name| name.ends_with(json::SUFFIX));
    let mut found = texts(names.map(|name| path.join(name)))?;
    found.append(if layout::is_suite(&folder)? {
        let suite = name(path);
        layout::read_suite(CORPUS, suite.as_deref().unwrap_or(NO_SUITE), &folder, None)?
    } else {
        layout::read_data(CORPUS, &folder)?
    });
    Ok(found)
}

/// Cases as JSON text. One that cannot be read, or whose id another has, is a defect by the name of its file.
fn texts(paths: impl IntoIterator<Item = PathBuf>) -> Result<Found, CorpusError> {
    let (mut found, mut taken) = (Found::default(), HashSet::new());
    for path in paths {
        let name = name(&path).unwrap_or_default();
        let fault = |problem: &dyn fmt::Display| {
            Halt::Corpus(CorpusError::Text {
                path: path.clone(),
                problem: problem.to_string(),
            })
        };
        let read = FileRef::on_disk(&path).read().map_err(Halt::Corpus);
        let read = read.and_then(|text| json::read(&text).map_err(|problem| fault(&problem)));
        match read {
            Ok((id, folder)) if taken.insert(id.clone()) => found.add(id, |id| layout::read_case(id, folder)),
            Ok((id, _)) => {
                let twice = format!("another file here has the case `{id}`");
                found.add(CaseId::new(CORPUS, NO_SUITE, &name)?, |_| Err(fault(&twice)));
            }
            Err(halt) => found.add(CaseId::new(CORPUS, NO_SUITE, &name)?, |_| Err(halt)),
        }
    }
    Ok(found)
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
