//! What the documents of the repository link to.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A link of a document to another file of the repository, or to a heading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// The file, from the root of the repository.
    pub file: PathBuf,
    /// The anchor, without `#`; empty if there is none.
    pub anchor: String,
    /// Where the link stands in the text.
    pub place: Range<usize>,
}

/// The links of a document, which is at `path` in the repository, to files of the repository. Addresses
/// of other places are left out.
pub fn links(path: &Path, text: &str) -> Vec<Link> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let link = |(event, place)| {
        let (Event::Start(Tag::Link { dest_url, .. }) | Event::Start(Tag::Image { dest_url, .. })) = event
        else {
            return None;
        };
        let (target, anchor) = dest_url.split_once('#').unwrap_or((&dest_url, ""));
        let file = match target {
            "" => path.to_owned(),
            _ if target.contains("://") || target.starts_with("mailto:") => return None,
            _ => normal(&folder.join(target)),
        };
        Some(Link {
            file,
            anchor: anchor.to_owned(),
            place,
        })
    };
    parser(text).into_offset_iter().filter_map(link).collect()
}

/// The anchors of the headings of a document, as code hosts make them: in lower case, without
/// punctuation, with hyphens for spaces, and with a number from the second of equal ones on.
pub fn anchors(text: &str) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = Vec::new();
    let mut heading: Option<String> = None;
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let name = slug(&heading.take().unwrap_or_default());
                let count = seen.entry(name.clone()).or_default();
                anchors.push(match *count {
                    0 => name,
                    again => format!("{name}-{again}"),
                });
                *count += 1;
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            _ => {}
        }
    }
    anchors
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

fn slug(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let kept = lower.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    });
    kept.collect()
}

/// The path without `.` and `..`, as far as they lead nowhere outside.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_to_their_document() {
        let text = "[a](b.md#c) ![p](images/p.png) [e](https://e.example/f) `[no](code.md)` [up](../README.md)\n\n\
                    | [cell](#here) |\n| --- |\n\n[later]\n\n[later]: ../d.toml\n\n```\n[no](block.md)\n```\n";
        let found = links(Path::new("docs/x.md"), text);
        let found: Vec<String> = found
            .iter()
            .map(|link| format!("{}#{}", link.file.display(), link.anchor))
            .collect();
        let expected = [
            "docs/b.md#c",
            "docs/images/p.png#",
            "README.md#",
            "docs/x.md#here",
            "d.toml#",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn anchors_are_those_of_code_hosts() {
        let text = "# `check`: a model's rules\n\n## 8. On another machine\n\n## Files\n\n## Files\n\n```\n# no\n```\n";
        let expected = ["check-a-models-rules", "8-on-another-machine", "files", "files-1"];
        assert_eq!(anchors(text), expected);
    }
}
