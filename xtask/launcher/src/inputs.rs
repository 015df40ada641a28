//! The files of which a program is built.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of the checkout that decide about every build.
const OF_ALL: [&str; 4] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    ".cargo/config.toml",
];

/// The files of which cargo says that `program` depends on them (`program.d` beside it), the manifests of
/// their crates, and the files of the checkout that decide about every build. `None` if cargo says nothing.
pub(super) fn of(program: &Path, root: &Path) -> Option<BTreeSet<PathBuf>> {
    let rule = fs::read_to_string(program.with_extension("d")).ok()?;
    let mut files: BTreeSet<PathBuf> = sources(&rule)?.into_iter().map(PathBuf::from).collect();
    let manifests = files.iter().filter_map(|file| manifest(file)).collect::<Vec<_>>();
    files.extend(manifests);
    let of_all = OF_ALL.iter().map(|name| root.join(name));
    files.extend(of_all.filter(|file| file.exists()));
    Some(files)
}

/// The paths after the colon of a rule of make. A space in a path stands after a backslash.
fn sources(rule: &str) -> Option<Vec<String>> {
    let (_, sources) = rule.lines().next()?.split_once(": ")?;
    // No path has a control character.
    let escaped = sources.replace("\\ ", "\u{1}");
    let paths = escaped.split_whitespace();
    Some(paths.map(|path| path.replace('\u{1}', " ")).collect())
}

/// The manifest of the crate to which a source belongs.
fn manifest(source: &Path) -> Option<PathBuf> {
    let (folder, _) = source.to_str()?.split_once("/src/")?;
    Some(Path::new(folder).join("Cargo.toml")).filter(|file| file.is_file())
}
