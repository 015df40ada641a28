//! Windows. A folder is known by its path, because the system opens no file relative to a folder: who may
//! change the folders above it can lead a write elsewhere between a check and the write. Compiled by the
//! checks of the project, not run by them.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::Builder;
use winapi_util::file::information;

use super::refused;

/// A folder that was there and no link when it was opened.
#[derive(Debug)]
pub(crate) struct Dir(PathBuf);

impl Dir {
    /// Opens a folder; a link is an error.
    pub(crate) fn open(path: &Path) -> io::Result<Dir> {
        if path.symlink_metadata()?.is_dir() {
            Ok(Dir(std::path::absolute(path)?))
        } else {
            Err(refused("the folder is a symbolic link or a file"))
        }
    }

    pub(crate) fn try_clone(&self) -> io::Result<Dir> {
        Ok(Dir(self.0.clone()))
    }

    /// Opens a folder in this one, and creates it if necessary; a link is an error.
    pub(crate) fn enter(&self, name: &OsStr) -> io::Result<Dir> {
        let path = self.0.join(name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Dir::open(&path),
        }
    }

    /// A new file of this folder for writing.
    pub(crate) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        File::create_new(self.0.join(name))
    }

    /// Opens a file of this folder for reading and writing, and creates it if necessary. With `append`, every
    /// write goes to its end, and it must exist. A link is an error.
    pub(crate) fn open_file(&self, name: &OsStr, append: bool) -> io::Result<File> {
        let path = self.0.join(name);
        if path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            return Err(refused("the file is a symbolic link: remove it"));
        }
        let mut options = OpenOptions::new();
        if append {
            options.read(true).append(true)
        } else {
            options.read(true).write(true).create(true).truncate(false)
        };
        options.open(path)
    }

    /// Gives a file of this folder another name, and replaces the one that has it.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    /// Removes a file of this folder.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// The permissions of the regular file of this name, if there is one.
    ///
    /// # Errors
    /// It may not be written.
    pub(crate) fn permissions(&self, name: &OsStr) -> io::Result<Option<Permissions>> {
        let path = self.0.join(name);
        let found = match path.symlink_metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !found.is_file() {
            return Ok(None);
        }
        OpenOptions::new().write(true).open(path)?;
        Ok(Some(found.permissions()))
    }
}

/// The number of names (hard links) of an open file.
pub(crate) fn links(file: &File) -> io::Result<u64> {
    Ok(information(file)?.number_of_links())
}

/// Opens a file for reading.
pub(crate) fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// A temporary file has the usual permissions of the folder.
pub(crate) fn ordinary(_builder: &mut Builder<'_, '_>) {}

/// Makes a file a program that everybody may start: its name decides that.
///
/// # Errors
/// None.
pub fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Lets the owner of a file change and remove it.
///
/// # Errors
/// The error of the system.
pub fn make_replaceable(path: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    // Only the attribute of the file: others have no more rights than the folder gives them.
    #[allow(
        clippy::permissions_set_readonly_false,
        reason = "this system has no write bits for others"
    )]
    permissions.set_readonly(false);
    fs::set_permissions(path, permissions)
}
