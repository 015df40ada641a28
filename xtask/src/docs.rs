//! `cargo xtask docs`: makes a site of the documents with mdBook.
//!
//! `docs/SUMMARY.md` names the pages. They and the files that they link to are copied to
//! `target/docs-source`, at their places in the repository, so that each link stays as it is; the site
//! is in `target/docs`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{self, CommandError};
use crate::documents::links;

const SUMMARY: &str = "docs/SUMMARY.md";
const SOURCE: &str = "target/docs-source";
const SITE: &str = "target/docs";

/// Why there is no site.
#[derive(Debug, thiserror::Error)]
pub enum DocsError {
    /// mdBook is missing or failed.
    #[error("{0}; mdBook is installed by `cargo install --locked mdbook@0.5.4`")]
    Command(#[from] CommandError),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A page links to a document that is no page.
    #[error("{} links to {}, which docs/SUMMARY.md does not name: add it there", page.display(), document.display())]
    NoPage {
        /// The page.
        page: PathBuf,
        /// The document.
        document: PathBuf,
    },
}

/// Makes the site and returns its folder.
///
/// # Errors
/// mdBook is not installed or fails, or a page is missing.
pub fn build(root: &Path) -> Result<PathBuf, DocsError> {
    let source = root.join(SOURCE);
    if source.exists() {
        fs::remove_dir_all(&source).map_err(io_at(&source))?;
    }
    for file in files(root)? {
        let to = source.join("src").join(&file);
        create_parent(&to)?;
        fs::copy(root.join(&file), &to).map_err(io_at(&root.join(&file)))?;
    }
    write(
        &source.join("src/SUMMARY.md"),
        &summary(&read(root, Path::new(SUMMARY))?),
    )?;
    write(
        &source.join("book.toml"),
        &read(root, Path::new("docs/book.toml"))?,
    )?;
    let site = root.join(SITE);
    command::stream(
        Command::new("mdbook")
            .arg("build")
            .arg(&source)
            .arg("--dest-dir")
            .arg(&site),
    )?;
    Ok(site)
}

/// The pages, and the files that they link to.
fn files(root: &Path) -> Result<BTreeSet<PathBuf>, DocsError> {
    let linked = |page: &Path| -> Result<BTreeSet<PathBuf>, DocsError> {
        let text = read(root, page)?;
        Ok(links(page, &text).into_iter().map(|link| link.file).collect())
    };
    let pages = linked(Path::new(SUMMARY))?;
    let mut files = pages.clone();
    for page in &pages {
        for file in linked(page)? {
            let is_document = file.extension().is_some_and(|extension| extension == "md");
            if is_document && !pages.contains(&file) {
                return Err(DocsError::NoPage {
                    page: page.clone(),
                    document: file,
                });
            }
            files.insert(file);
        }
    }
    Ok(files)
}

/// The summary with its links from the root of the repository, where mdBook looks for them.
fn summary(text: &str) -> String {
    let mut moved = text.to_owned();
    // From the last to the first, so that the places of the others stay.
    for link in links(Path::new(SUMMARY), text).into_iter().rev() {
        let words = &text[link.place.clone()];
        let title = words.split_once("](").map_or(words, |(title, _)| title);
        moved.replace_range(link.place, &format!("{title}]({})", link.file.display()));
    }
    moved
}

fn read(root: &Path, file: &Path) -> Result<String, DocsError> {
    fs::read_to_string(root.join(file)).map_err(io_at(file))
}

fn write(path: &Path, text: &str) -> Result<(), DocsError> {
    create_parent(path)?;
    fs::write(path, text).map_err(io_at(path))
}

fn create_parent(path: &Path) -> Result<(), DocsError> {
    let parent = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(parent).map_err(io_at(parent))
}

/// An error at a path.
fn io_at(path: &Path) -> impl FnOnce(io::Error) -> DocsError + use<'_> {
    move |source| DocsError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_linked_document_is_a_page() {
        let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        for file in [
            "README.md",
            "docs/runs.md",
            "docs/images/report.png",
            "onnx-tests/errata.toml",
        ] {
            assert!(files.contains(Path::new(file)), "{file}");
        }
    }

    #[test]
    fn links_of_the_summary_begin_at_the_root() {
        let text =
            "# Summary\n\n[Start](../README.md)\n\n- [Runs](runs.md)\n  - [C](../backends/c/README.md)\n";
        let moved =
            "# Summary\n\n[Start](README.md)\n\n- [Runs](docs/runs.md)\n  - [C](backends/c/README.md)\n";
        assert_eq!(summary(text), moved);
    }
}
