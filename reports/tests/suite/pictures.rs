//! Pictures as files: one SVG file each, the same bytes in every run.

use std::fs;
use std::path::{Path, PathBuf};

use reports::{render, write_all};
use run_record::replace_or_remove;

use crate::hostile::measured;
use crate::renderers::sample_report;

/// The SVG files of a report with everything that pictures show.
fn written(folder: &Path) -> Vec<PathBuf> {
    let files = write_all(&measured(&sample_report()), folder).expect("a report");
    let svg = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "svg");
    files.into_iter().filter(svg).collect()
}

#[test]
fn equal_reports_have_equal_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = || {
        let paths = written(folder.path());
        assert_eq!(paths.len(), render::PICTURES.len());
        let text = |path: &PathBuf| fs::read_to_string(path).expect("a picture");
        paths.iter().map(text).collect::<Vec<_>>()
    };
    let first = read();
    assert!(first.iter().all(|svg| svg.contains("<text")));
    assert!(first == read(), "the bytes of two runs differ");
}

#[test]
fn a_picture_that_is_no_longer_there_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |content| replace_or_remove(folder.path(), "growth.svg", content).expect("written");
    let path = write(Some(b"<svg/>")).expect("a path");
    assert!(path.exists());
    assert_eq!(write(None), None);
    assert!(!path.exists());
}
