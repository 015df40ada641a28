//! Reads files that anybody may have written: only regular ones, and at most a given number of bytes.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::system::open_at_once;

/// The maximum length in bytes of a file that a person writes: policies, baselines, configurations.
pub const MAX_TOML: u64 = 16 << 20;

/// Reads a regular file of at most `most` bytes. A symbolic link is followed. A pipe or a device is
/// neither waited for nor read.
///
/// # Errors
/// The error of the system; the file is not a regular one, or is longer.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let mut bytes = Vec::new();
    // A file may grow while it is read, and files of the kernel state a length of zero.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("the file has more than {most} bytes"),
        ))
    } else {
        Ok(bytes)
    }
}

/// Reads a regular file of at most `most` bytes of UTF-8.
///
/// # Errors
/// Like [`read_file`]; the bytes are not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read_file(path, most)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// Opens a regular file.
fn open_regular(path: &Path) -> io::Result<File> {
    let file = open_at_once(path)?;
    match file.metadata()?.file_type() {
        kind if kind.is_file() => Ok(file),
        kind if kind.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file: pipes and devices are not read",
        )),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[track_caller]
    fn check(path: &Path, most: u64, expected: Result<&str, &str>) {
        let found = read_text(path, most).map_err(|error| error.to_string());
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
            (found, expected) => panic!("{found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        fs::write(at("bytes"), [0xff]).unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        // Nobody writes to this pipe: an ordinary open would wait without end.
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.unwrap().success());
        check(&at("file"), 4, Ok("text"));
        check(&at("link"), 4, Ok("text"));
        check(&at("file"), 3, Err("more than 3 bytes"));
        check(&at("bytes"), 4, Err("invalid utf-8"));
        check(&at("pipe"), 4, Err("not a regular file"));
        check(Path::new("/dev/zero"), 4, Err("not a regular file"));
        check(Path::new("/proc/self/status"), 4, Err("more than 4 bytes"));
        check(folder.path(), 4, Err("directory"));
        check(&at("nothing"), 4, Err("No such file"));
    }
}
