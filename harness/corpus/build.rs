//! Embeds the files of own cases, so that an installed binary needs no source tree: `OWN_FILES` in
//! `src/own/mod.rs`.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = fs::canonicalize(Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../onnx-tests/own"))?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut list = String::from("&[\n");
    for domain in sorted(&folder)? {
        for file in sorted(&domain)? {
            let name = file.strip_prefix(&folder)?;
            writeln!(list, "({name:?}, include_str!({file:?})),")?;
        }
    }
    list.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("own_files.rs"), list)?;
    Ok(())
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<PathBuf> = entries.collect::<Result<_, std::io::Error>>()?;
    paths.sort();
    Ok(paths)
}
