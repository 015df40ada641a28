//! The archive of a release.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use super::stage::{About, Stage};
use super::{DistError, io_at};

/// What of the stage the archive contains.
const PARTS: [&str; 5] = ["LICENSES", "README.md", "VERSION", "bin", "share"];

/// Writes the archive of the stage. Equal stages give equal bytes.
pub fn write(stage: &Stage, out: &Path) -> Result<(), DistError> {
    let about = stage.about();
    let name = format!("onnx-conformance-{}-{}", about.version, about.target);
    let path = out.join(format!("{name}.tar.gz"));
    let mut files = Vec::new();
    for part in PARTS {
        collect(&stage.folder().join(part), &mut files)?;
    }
    let file = File::create(&path).map_err(io_at(&path))?;
    let mut archive = Builder::new(GzEncoder::new(file, Compression::default()));
    for file in files {
        let inner = file.strip_prefix(stage.folder()).unwrap_or(&file);
        append(&mut archive, &file, &Path::new(&name).join(inner), about)?;
    }
    let encoder = archive.into_inner().map_err(io_at(&path))?;
    encoder.finish().map_err(io_at(&path))?;
    Ok(())
}

/// Every file of a part, in the order of their names.
fn collect(part: &Path, files: &mut Vec<PathBuf>) -> Result<(), DistError> {
    if part.is_file() {
        files.push(part.to_owned());
        return Ok(());
    }
    super::files(part)?
        .iter()
        .try_for_each(|inner| collect(inner, files))
}

/// Appends a file with the time of the commit, no owner, and only the right to execute of its own.
fn append(
    archive: &mut Builder<GzEncoder<File>>,
    file: &Path,
    inner: &Path,
    about: &About,
) -> Result<(), DistError> {
    let bytes = fs::read(file).map_err(io_at(file))?;
    let executable = inner.parent().is_some_and(|folder| folder.ends_with("bin"));
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes.len() as u64);
    header.set_mode(if executable { 0o755 } else { 0o644 });
    header.set_mtime(about.time);
    archive
        .append_data(&mut header, inner, bytes.as_slice())
        .map_err(io_at(file))
}
