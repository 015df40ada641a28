//! An archive of the zoo, unpacked into a case: one model, and its data sets.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path};

use flate2::read::GzDecoder;
use harness_corpus::{DATA_SET, MODEL, data_set_number};
use tar::{Archive, EntryType};

use super::HubError;
use crate::FetchError;

/// Bytes of all files of an archive, and their number.
const MAX_BYTES: u64 = 16 << 30;
const MAX_FILES: usize = 100_000;

/// Writes the model and the data sets of the archive at `copy` into `folder`. Only files that the
/// official layout has are written, under names of ours; what else is in the archive is passed
/// over. `name` is the archive's name in messages.
pub(super) fn unpack(copy: &Path, name: &str, folder: &Path) -> Result<(), FetchError> {
    let wrong = |reason: String| HubError::Archive {
        file: name.to_owned(),
        reason,
    };
    let file = File::open(copy).map_err(FetchError::io("read", copy))?;
    let mut archive = Archive::new(GzDecoder::new(file));
    let (mut bytes, mut models) = (0, 0);
    for (number, entry) in archive
        .entries()
        .map_err(|error| wrong(error.to_string()))?
        .enumerate()
    {
        let mut entry = entry.map_err(|error| wrong(error.to_string()))?;
        bytes += entry.size();
        if number >= MAX_FILES || bytes > MAX_BYTES {
            return Err(wrong(format!("it has more than {MAX_FILES} files or {MAX_BYTES} bytes")).into());
        }
        let path = entry.path().map_err(|error| wrong(error.to_string()))?;
        let Some(place) = place(&path).filter(|_| entry.header().entry_type() == EntryType::Regular) else {
            continue;
        };
        models += usize::from(place == Path::new(MODEL));
        let target = folder.join(place);
        let parent = target.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(FetchError::write("make the folder", parent))?;
        let mut to = File::create(&target).map_err(FetchError::write("write", &target))?;
        io::copy(&mut entry, &mut to).map_err(|error| wrong(error.to_string()))?;
    }
    match models {
        1 => Ok(()),
        count => Err(wrong(format!("expected 1 model, got {count}")).into()),
    }
}

/// Where a file of an archive belongs in a case; none of what no case has.
fn place(path: &Path) -> Option<std::path::PathBuf> {
    let names: Vec<&str> = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect::<Option<_>>()?;
    match names.as_slice() {
        [.., set, file]
            if data_set_number(file, "input_")
                .or(data_set_number(file, "output_"))
                .is_some() =>
        {
            let digits = set.strip_prefix(DATA_SET)?;
            let plain = digits.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit());
            plain.then(|| Path::new(set).join(file))
        }
        [.., file] if file.ends_with(".onnx") && !file.starts_with('.') => Some(MODEL.into()),
        _ => None,
    }
}
