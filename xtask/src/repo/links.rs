//! Checks that links of documents lead to a file, and to a heading in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::documents::{anchors, links};

/// One line for each link of a document to something that is not there, or to a folder: a book of the
/// documents has no pages for folders.
pub fn faults(root: &Path, files: &[PathBuf]) -> Vec<String> {
    let is_document = |file: &&PathBuf| {
        file.extension().is_some_and(|extension| extension == "md")
            && !file.components().any(|part| part.as_os_str() == "golden")
    };
    let read = |file: &PathBuf| Some((file.clone(), fs::read_to_string(root.join(file)).ok()?));
    let texts: BTreeMap<PathBuf, String> = files.iter().filter(is_document).filter_map(read).collect();
    let headings: BTreeMap<&PathBuf, Vec<String>> =
        texts.iter().map(|(file, text)| (file, anchors(text))).collect();
    let mut faults = Vec::new();
    for (file, text) in &texts {
        for link in links(file, text) {
            let line = text[..link.place.start].matches('\n').count() + 1;
            let target = link.file.display();
            let fault = match headings.get(&link.file) {
                _ if !root.join(&link.file).is_file() => format!("`{target}` is not a file"),
                Some(anchors) if !link.anchor.is_empty() && !anchors.contains(&link.anchor) => {
                    format!("`{target}` has no heading `#{}`", link.anchor)
                }
                _ => continue,
            };
            faults.push(format!("{}:{line}: {fault}", file.display()));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_are_found() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("docs")).unwrap();
        let text = "# One\n\n[right](docs/b.md#two) [self](#one) [data](data.toml#L3)\n\n\
                    [gone](docs/c.md) [folder](docs)\n[heading](docs/b.md#three)\n";
        for (file, text) in [("a.md", text), ("docs/b.md", "## Two\n"), ("data.toml", "")] {
            fs::write(root.path().join(file), text).unwrap();
        }
        let files = ["a.md", "docs/b.md", "data.toml"].map(PathBuf::from);
        let expected = [
            "a.md:5: `docs/c.md` is not a file",
            "a.md:5: `docs` is not a file",
            "a.md:6: `docs/b.md` has no heading `#three`",
        ];
        assert_eq!(faults(root.path(), &files), expected);
    }
}
