//! Pictures as files: each SVG has a PNG beside it, with the same text, and the same bytes in every run.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use reports::render::{self, ErrorGrowth, PNG_SCALE};
use reports::{write_all, write_picture, write_picture_in};

use crate::hostile::measured;
use crate::renderers::sample_report;

/// Width and height of a PNG file in pixels: two big-endian numbers after the signature, the length and
/// the name of the first chunk (PNG specification, 5.2 and 11.2.1).
fn pixels(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n", "the signature");
    assert_eq!(&png[12..16], b"IHDR", "the first chunk");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

/// Width and height of an SVG document.
fn units(svg: &str) -> (u32, u32) {
    let size = Regex::new(r#"<svg width="(\d+)" height="(\d+)""#).expect("a pattern");
    let found = size.captures(svg).expect("a size");
    let number = |group: usize| found[group].parse().expect("a number");
    (number(1), number(2))
}

/// The SVG at `path` and its PNG: two pixels for each unit, and the text is drawn.
#[track_caller]
fn check(path: &Path) -> Vec<u8> {
    let svg = fs::read_to_string(path).expect("the SVG");
    let png = fs::read(path.with_extension("png")).expect("the PNG");
    let (width, height) = units(&svg);
    let scale = PNG_SCALE as u32;
    assert_eq!(
        pixels(&png),
        (scale * width, scale * height),
        "{}",
        path.display()
    );
    let text = Regex::new(r"(?s)<text .*?</text>").expect("a pattern");
    let mute = text.replace_all(&svg, "");
    assert!(mute.len() < svg.len(), "{} has no text", path.display());
    assert_ne!(
        render::png(&mute).expect("a PNG"),
        png,
        "{}: no text is drawn",
        path.display()
    );
    png
}

/// The SVG files of a report with everything that pictures show.
fn written(folder: &Path) -> Vec<PathBuf> {
    let files = write_all(&measured(&sample_report()), folder).expect("a report");
    let svg = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "svg");
    files.into_iter().filter(svg).collect()
}

#[test]
fn each_picture_of_a_report_is_also_a_bitmap() {
    let folder = tempfile::tempdir().expect("a folder");
    let pictures = written(folder.path());
    assert_eq!(pictures.len(), render::PICTURES.len());
    let first: Vec<Vec<u8>> = pictures.iter().map(|path| check(path)).collect();
    let again: Vec<Vec<u8>> = written(folder.path()).iter().map(|path| check(path)).collect();
    assert!(first == again, "the bytes of two runs differ");
}

/// Without a picture both files of an earlier run are removed.
#[test]
fn a_picture_that_is_no_longer_there_is_removed_in_both_forms() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("growth.svg");
    let growth = ErrorGrowth {
        title: "m on b".to_owned(),
        points: vec![(0, 1e-6), (4, 1e-3)],
        found: Some(4),
    };
    let svg = render::growth_svg(&growth).expect("a picture");
    let named = write_picture(&svg, &path).expect("two files");
    let write = |svg| write_picture_in(folder.path(), Path::new("growth.svg"), svg);
    let both = write(Some(&*svg)).expect("two files");
    assert_eq!(both, [path.clone(), path.with_extension("png")]);
    assert_eq!(both, named);
    check(&path);
    assert_eq!(write(None).expect("no file"), Vec::<PathBuf>::new());
    assert!(both.iter().all(|file| !file.exists()));
}

/// A picture for a billion pixels gets a smaller bitmap, and text that is not a picture is an error.
#[test]
fn the_size_of_a_bitmap_is_bounded() {
    let svg = |width: u32, height: u32| {
        format!(r#"<svg width="{width}" height="{height}" xmlns="http://www.w3.org/2000/svg"/>"#)
    };
    let (width, height) = pixels(&render::png(&svg(20_000, 50_000)).expect("a PNG"));
    assert!(
        u64::from(width) * u64::from(height) <= 1 << 26,
        "{width} × {height}"
    );
    for broken in ["", "no picture", &svg(0, 10), &svg(1, 2_000_000_000)] {
        let error = render::png(broken).expect_err("an error").to_string();
        assert!(error.starts_with("a chart cannot be drawn: "), "{error}");
    }
}
