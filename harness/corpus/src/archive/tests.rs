//! Valid archives, and invalid ones.

use std::io::Write;

use rand::{RngExt, SeedableRng};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::super::Sha256;
use super::*;

/// A zip archive of these files, compressed.
pub(in super::super) fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The archive of `bytes`, read from a file.
pub(in super::super) fn archive_of(bytes: &[u8]) -> Result<Archive, CorpusError> {
    Archive::open(&verified(bytes))
}

fn verified(bytes: &[u8]) -> VerifiedFile {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.whl");
    std::fs::write(&path, bytes).unwrap();
    VerifiedFile::open(&path, Sha256::of(bytes)).unwrap()
}

#[test]
fn entries_are_read_in_place_from_several_threads() {
    let long: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
    let archive = archive_of(&zip_of(&[("a/b", &long), ("a/c", b""), ("a-b", b"x")])).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(archive.read_named("a/b").unwrap(), long));
        }
    });
    assert_eq!(archive.read_named("a/c").unwrap(), b"");
    assert_eq!(
        archive.names_below("a/").map(|name| &**name).collect::<Vec<_>>(),
        ["a/b", "a/c"]
    );
    assert!(matches!(
        archive.read_named("a/d"),
        Err(CorpusError::Entry { .. })
    ));
}

#[test]
fn names_outside_the_tree_are_rejected() {
    for name in [
        "../evil",
        "a/../../evil",
        "/etc/evil",
        "a\\..\\evil",
        "C:/evil",
        "a//evil",
        "./evil",
    ] {
        // The writer would normalise some of these names, so the name is replaced afterwards with one of
        // equal length.
        let plain = "n".repeat(name.len());
        let bytes = zip_of(&[(&plain, b"x")]);
        let forged = replace(&bytes, plain.as_bytes(), name.as_bytes());
        let error = archive_of(&forged).err();
        assert!(
            matches!(error, Some(CorpusError::UnsafeName { .. })),
            "{name}: {error:?}"
        );
    }
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let starts: Vec<_> = bytes
        .windows(from.len())
        .enumerate()
        .filter(|(_, w)| *w == from)
        .map(|(i, _)| i)
        .collect();
    assert!(!starts.is_empty());
    for start in starts {
        bytes[start..start + to.len()].copy_from_slice(to);
    }
    bytes
}

#[test]
fn entries_beyond_a_limit_are_rejected_before_decompression() {
    let bytes = zip_of(&[("zeros", &[0; 100_000])]);
    let read = |limits| {
        let archive = Archive::new(Path::new("a.whl"), verified(&bytes).bytes().clone(), limits).unwrap();
        archive.read_named("zeros").map_err(|error| error.to_string())
    };
    assert_eq!(read(LIMITS).unwrap().len(), 100_000);
    let large = read(Limits {
        bytes: 99_999,
        ..LIMITS
    })
    .unwrap_err();
    assert!(large.contains("the limit is 99999"), "{large}");
    let steep = read(Limits { ratio: 100, ..LIMITS }).unwrap_err();
    assert!(steep.contains("claims to expand"), "{steep}");
}

#[test]
fn a_directory_with_wrong_size_or_checksum_is_rejected() {
    let bytes = zip_of(&[("abcd", b"some twelve letters in a row")]);
    let directory = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    // Offsets of APPNOTE.TXT 4.3.12: CRC-32 at 16, uncompressed size at 24.
    for (offset, value) in [(16, 0xAA), (24, 27), (24, 29)] {
        let mut forged = bytes.clone();
        forged[directory + offset] = value;
        let read = archive_of(&forged).and_then(|archive| archive.read_named("abcd"));
        assert!(
            read.is_err(),
            "byte {offset} of the directory set to {value}: {read:?}"
        );
    }
    assert!(matches!(
        archive_of(b"no zip at all"),
        Err(CorpusError::Archive { .. })
    ));
}

#[test]
fn a_subset_of_an_archive_has_the_same_bytes_and_no_other_files() {
    let long: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let noise: Vec<u8> = (0..100_000).map(|_| rng.random()).collect();
    let bytes = zip_of(&[("a/b", &long), ("lib.so", &noise), ("a/c", b""), ("a-b", b"x")]);
    let archive = archive_of(&bytes).unwrap().only(["a/"]).unwrap();
    assert_eq!(archive.read_named("a/b").unwrap(), long);
    assert_eq!(archive.read_named("a/c").unwrap(), b"");
    assert!(archive.entry("lib.so").is_none() && archive.entry("a-b").is_none());
    let held = archive.zip.clone().into_inner().into_inner();
    assert!(
        held.as_ref().len() + noise.len() / 2 < bytes.len(),
        "the library is still held"
    );
    assert!(
        archive_of(&bytes)
            .unwrap()
            .only(["none/"])
            .unwrap()
            .entry("a/b")
            .is_none()
    );
}
