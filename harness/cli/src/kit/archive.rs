//! The checksums and the archive of a kit.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use harness_corpus::Sha256;
use tar::{Builder, HeaderMode};

use crate::CliError;
use crate::files::{put, write_error};

/// The file with the digests, as `sha256sum --check` reads it.
const SUMS: &str = "SHA256SUMS";

/// Writes the digests of all files in `root`, then the archive `out` with them in the folder `name`. Returns
/// the number of files. Equal files give an equal archive.
pub(super) fn pack(root: &Path, name: &str, out: &Path) -> Result<usize, CliError> {
    let mut files = Vec::new();
    list(root, &mut files)?;
    files.sort();
    let mut sums = String::new();
    for file in &files {
        let mut reader = BufReader::new(File::open(file).map_err(write_error(file))?);
        let digest = Sha256::of_reader(&mut reader).map_err(write_error(file))?;
        sums.push_str(&format!("{digest}  {}\n", below(root, file)));
    }
    let list = root.join(SUMS);
    put(&list, sums.as_bytes())?;
    files.push(list);
    write(root, name, &files, out).map_err(write_error(out))?;
    Ok(files.len())
}

/// Writes the archive beside its place, and moves it there.
fn write(root: &Path, name: &str, files: &[PathBuf], out: &Path) -> std::io::Result<()> {
    let partial = out.with_extension("partial");
    let encoder = GzEncoder::new(BufWriter::new(File::create(&partial)?), Compression::default());
    let mut archive = Builder::new(encoder);
    // No times and no owners.
    archive.mode(HeaderMode::Deterministic);
    for file in files {
        archive.append_path_with_name(file, format!("{name}/{}", below(root, file)))?;
    }
    archive.into_inner()?.finish()?.flush()?;
    fs::rename(&partial, out)
}

/// The path of a file below the root, with slashes.
fn below(root: &Path, file: &Path) -> String {
    let path = file.strip_prefix(root).unwrap_or(file);
    let parts = path.iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    for entry in fs::read_dir(folder).map_err(write_error(folder))? {
        let path = entry.map_err(write_error(folder))?.path();
        if path.is_dir() {
            list(&path, files)?
        } else {
            files.push(path)
        }
    }
    Ok(())
}
