//! Finds installed workers: executables named `onnx-worker-NAME`.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The prefix of the name of a worker's executable.
pub(crate) const PREFIX: &str = "onnx-worker-";

/// The folders that are searched for workers: that of `program`, its parent (tests are in `deps` below the
/// executables), and those of `PATH`.
pub(crate) fn folders(program: &Path) -> Vec<PathBuf> {
    let local = program.ancestors().skip(1).take(2).map(Path::to_path_buf);
    let path = env::var_os("PATH").unwrap_or_default();
    local.chain(env::split_paths(&path)).collect()
}

/// The name of a worker's executable on this system.
pub(crate) fn executable(name: &str) -> String {
    format!("{PREFIX}{name}{}", env::consts::EXE_SUFFIX)
}

/// Every installed worker by its name for `--backend`. Of two with the same name, the one that would be
/// started.
pub fn installed() -> BTreeMap<String, PathBuf> {
    match env::current_exe() {
        Ok(program) => installed_in(&folders(&program)),
        Err(_) => BTreeMap::new(),
    }
}

fn installed_in(folders: &[PathBuf]) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for folder in folders {
        // A folder of PATH may not exist.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (file, path) = (entry.file_name(), entry.path());
            let name = file
                .to_str()
                .and_then(|file| file.strip_prefix(PREFIX)?.strip_suffix(env::consts::EXE_SUFFIX));
            if let Some(name) = name
                && !name.contains('.')
                && path.is_file()
            {
                found.entry(name.to_owned()).or_insert(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_with_a_worker_is_used() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (folder, name) in [(&first, "a"), (&second, "a"), (&second, "b")] {
            fs::write(folder.path().join(executable(name)), "").unwrap();
        }
        fs::write(first.path().join("onnx-worker-c.d"), "").unwrap();
        let folders = [
            PathBuf::from("/nowhere"),
            first.path().into(),
            second.path().into(),
        ];
        let found = installed_in(&folders);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(found["a"], first.path().join(executable("a")));
    }
}
