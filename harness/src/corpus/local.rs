//! Cases of a person's own: `--cases PATH`, in the official layout.

use std::fs;
use std::path::Path;

use super::case::OfficialTolerance;
use super::layout::{self, Found};
use super::{CaseId, CorpusError, Folder, light};

/// The corpus name of everything local.
pub(super) const CORPUS: &str = "local";

/// The suite of a case that lies in no suite.
const NO_SUITE: &str = "single";

/// What lies at `path`: one `.onnx` file, a case, a suite, or a folder of suites.
pub(super) fn read(path: &Path) -> Result<Found, CorpusError> {
    // Resolved, so that `.` and `..` have a name too.
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
        let suite = path
            .parent()
            .and_then(|parent| name(parent).transpose())
            .transpose()?;
        let id = CaseId::new(CORPUS, suite.unwrap_or(NO_SUITE), name(path)?.unwrap_or(CORPUS))?;
        found.add(id, |id| layout::read_case(id, folder))?;
        return Ok(found);
    }
    if light::is_light(&folder)? {
        let descriptions = path.with_file_name(light::DESCRIPTIONS);
        return light::read(CORPUS, &folder, &Folder::on_disk(&descriptions));
    }
    if layout::is_suite(&folder)? {
        return layout::read_suite(CORPUS, name(path)?.unwrap_or(NO_SUITE), &folder, None);
    }
    layout::read_data(CORPUS, &folder)
}

/// A model file with its data sets in `<stem>/` or else beside it.
fn single_model(path: &Path) -> Result<Found, CorpusError> {
    let (Some(stem), Some(parent)) = (path.file_stem().and_then(|stem| stem.to_str()), path.parent()) else {
        return Err(CorpusError::NotUtf8 {
            path: path.to_path_buf(),
        });
    };
    let mut found = Found::default();
    if path.extension().is_none_or(|extension| extension != "onnx") {
        return Ok(found);
    }
    let folder = Folder::on_disk(parent);
    let own = folder.folder(stem);
    let own_sets = parent.join(stem).is_dir() && layout::has_data_sets(&own)?;
    let data_sets = if own_sets { own } else { folder.clone() };
    // Every case of the official layout has a `model.onnx`: its folder says which.
    let case = if stem == "model" {
        name(parent)?.unwrap_or(stem)
    } else {
        stem
    };
    found.add(CaseId::new(CORPUS, NO_SUITE, case)?, |id| {
        let file = format!("{stem}.onnx");
        let model = folder.file(&file).ok_or(super::DefectKind::NoModel)?;
        layout::case_of(
            id,
            model,
            folder.clone(),
            &data_sets,
            OfficialTolerance::default(),
        )
    })?;
    Ok(found)
}

/// The last part of a path, None for a root.
fn name(path: &Path) -> Result<Option<&str>, CorpusError> {
    let utf8 = |name: &std::ffi::OsStr| name.to_str().is_some();
    match path.file_name() {
        Some(name) if !utf8(name) => Err(CorpusError::NotUtf8 {
            path: path.to_path_buf(),
        }),
        name => Ok(name.and_then(|name| name.to_str())),
    }
}
