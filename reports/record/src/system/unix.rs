//! Linux and other Unix systems.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;
use tempfile::Builder;

use super::refused;

/// The permissions of a new file before the umask.
const NEW_FILE: u16 = 0o666;

/// The permissions of a new folder before the umask.
const NEW_FOLDER: Mode = Mode::from_raw_mode(0o777);

/// The permissions of a program.
const PROGRAM: u32 = 0o755;

/// The permissions of a file that its owner may change.
const REPLACEABLE: u32 = 0o644;

/// An open folder. What happens to its path does not change which one it is.
#[derive(Debug)]
pub(crate) struct Dir(OwnedFd);

impl Dir {
    /// Opens a folder; a link is an error.
    pub(crate) fn open(path: &Path) -> io::Result<Dir> {
        Ok(Dir(openat(CWD, path, folder_flags(), Mode::empty())?))
    }

    pub(crate) fn try_clone(&self) -> io::Result<Dir> {
        Ok(Dir(self.0.try_clone()?))
    }

    /// Opens a folder in this one, and creates it if necessary; a link is an error.
    pub(crate) fn enter(&self, name: &OsStr) -> io::Result<Dir> {
        match mkdirat(&self.0, name, NEW_FOLDER) {
            Err(Errno::EXIST) | Ok(()) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Dir(openat(&self.0, name, folder_flags(), Mode::empty())?))
    }

    /// A new file of this folder for writing.
    pub(crate) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, new_file())?.into())
    }

    /// Opens a file of this folder for reading and writing, and creates it if necessary. With `append`, every
    /// write goes to its end, and it must exist. A link is an error.
    pub(crate) fn open_file(&self, name: &OsStr, append: bool) -> io::Result<File> {
        let how = if append { OFlags::APPEND } else { OFlags::CREATE };
        let flags =
            OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | how;
        let file = openat(&self.0, name, flags, new_file()).map_err(|error| match error {
            Errno::LOOP => refused("the file is a symbolic link: remove it"),
            error => error.into(),
        })?;
        Ok(file.into())
    }

    /// Gives a file of this folder another name, and replaces the one that has it.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    /// Removes a file of this folder.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// The permissions of the regular file of this name, if there is one.
    ///
    /// # Errors
    /// It may not be written.
    pub(crate) fn permissions(&self, name: &OsStr) -> io::Result<Option<Permissions>> {
        let found = match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => found,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Ok(None);
        }
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&self.0, name, flags, Mode::empty())?);
        Ok(Some(Permissions::from_mode(file.metadata()?.mode() & 0o7777)))
    }
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

fn new_file() -> Mode {
    Mode::from_raw_mode(NEW_FILE.into())
}

/// The number of names (hard links) of an open file.
pub(crate) fn links(file: &File) -> io::Result<u64> {
    Ok(file.metadata()?.nlink())
}

/// Opens a file for reading. Without `NONBLOCK` the open of a pipe waits for its writer.
pub(crate) fn open_at_once(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

/// Gives a temporary file, which is private to its owner otherwise, the usual permissions of the folder.
pub(crate) fn ordinary(builder: &mut Builder<'_, '_>) {
    builder.permissions(Permissions::from_mode(NEW_FILE.into()));
}

/// Makes a file a program that everybody may start.
///
/// # Errors
/// The error of the system.
pub fn make_executable(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(PROGRAM))
}

/// Lets the owner of a file change and remove it.
///
/// # Errors
/// The error of the system.
pub fn make_replaceable(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(REPLACEABLE))
}
