//! Brings programs of the workspace up to date. Cargo is called only if a file of theirs has changed since it
//! built them: otherwise nothing waits for the lock of another build, and nothing of cargo is printed.
//!
//! The library has no dependencies: `cargo xtask` compiles it before everything else.

mod inputs;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// The flags of the compiler: with others, cargo builds everything anew.
const FLAGS: [&str; 2] = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"];

/// The folder for the times of builds, in the folder of the programs.
const STAMPS: &str = ".xtask";

/// Files that cargo writes into a target folder: the first only where it made the folder itself.
const OF_TARGET: [&str; 2] = ["CACHEDIR.TAG", ".rustc_info.json"];

/// The folder of this crate when it was compiled.
const THIS_CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// A checkout and the folder of its programs.
#[derive(Debug)]
pub struct Checkout {
    root: PathBuf,
    programs: PathBuf,
}

impl Checkout {
    /// The checkout from which this program was built.
    ///
    /// # Errors
    /// The path of this program is unknown, or not in a target folder of cargo.
    pub fn of_this_program() -> io::Result<Checkout> {
        let program = std::env::current_exe()?;
        let target = target_of(&program)
            .ok_or_else(|| io::Error::other("this program is in no target folder of cargo"))?;
        Ok(Checkout {
            root: checkout_of(target).unwrap_or_else(|| Path::new(THIS_CRATE).join("../..")),
            programs: target.join("debug"),
        })
    }

    /// The path of a program.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// Builds those of the programs that are not there as their files are now.
    ///
    /// Features of dependencies are selected as in `cargo build --workspace`, so that each dependency is
    /// built once.
    ///
    /// # Errors
    /// Cargo does not start; a failed build is in its status.
    pub fn build(&self, programs: &[&str]) -> io::Result<ExitStatus> {
        let old: Vec<&str> = programs
            .iter()
            .copied()
            .filter(|name| !self.is_current(name))
            .collect();
        if old.is_empty() {
            return Ok(ExitStatus::default());
        }
        let began = self.begin(&old);
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .args(["build", "--workspace", "--manifest-path"])
            .arg(self.root.join("Cargo.toml"))
            .args(old.iter().map(|name| format!("--bin={name}")))
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let status = command.status()?;
        if status.success() {
            // Without a stamp cargo is asked again, which is slower and never wrong.
            let _ = began.and_then(|()| self.end(&old));
        }
        Ok(status)
    }

    /// Whether no file of a program has changed since cargo built it.
    fn is_current(&self, name: &str) -> bool {
        let stamp = self.stamp(name);
        let built = fs::metadata(&stamp).and_then(|stamp| stamp.modified());
        let (Ok(built), Ok(flags)) = (built, fs::read(&stamp)) else {
            return false;
        };
        let is_older = |path: &Path| {
            let changed = fs::metadata(path).and_then(|file| file.modified());
            changed.is_ok_and(|changed| changed < built)
        };
        let Some(files) = inputs::of(&self.program(name), &self.root) else {
            return false;
        };
        flags == flags_now().as_encoded_bytes()
            && self.program(name).is_file()
            && files.iter().all(|file| is_older(file))
    }

    fn stamp(&self, name: &str) -> PathBuf {
        self.programs.join(STAMPS).join(name)
    }

    /// Notes the time before the build: a file that is changed while cargo runs is newer.
    fn begin(&self, programs: &[&str]) -> io::Result<()> {
        fs::create_dir_all(self.programs.join(STAMPS))?;
        for name in programs {
            let path = self.stamp(name).with_extension("began");
            fs::write(&path, flags_now().as_encoded_bytes())?;
            File::open(&path)?.sync_all()?;
        }
        Ok(())
    }

    fn end(&self, programs: &[&str]) -> io::Result<()> {
        let mut named = programs.iter().map(|name| self.stamp(name));
        named.try_for_each(|stamp| fs::rename(stamp.with_extension("began"), &stamp))
    }
}

/// The target folder of cargo in which a program is.
fn target_of(program: &Path) -> Option<&Path> {
    let is_target = |folder: &&Path| OF_TARGET.iter().any(|name| folder.join(name).is_file());
    program.ancestors().find(is_target)
}

/// The checkout with this target folder, also after both were copied or moved: cargo does not compile this
/// crate again then. `None` if the target folder is elsewhere (`CARGO_TARGET_DIR`).
fn checkout_of(target: &Path) -> Option<PathBuf> {
    let root = target.parent()?;
    let manifest = root.join("xtask/launcher/Cargo.toml");
    manifest.is_file().then(|| root.to_owned())
}

fn flags_now() -> OsString {
    let values = FLAGS.map(|name| std::env::var_os(name).unwrap_or_default());
    values.join("\n".as_ref())
}

#[cfg(test)]
mod tests;
