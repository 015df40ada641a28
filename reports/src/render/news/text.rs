//! What is new, for a terminal.

use crate::View;
use run_record::common::Shared;
use run_record::shown::one_line;
use run_record::text::{clip, thousands};

use super::{Entry, News, news};

/// The maximum number of listed cases of one group without `all`.
const LISTED: usize = 10;

/// The maximum number of characters of a line.
const CLIPPED: usize = 300;

/// What is new in a run, as lines; `all` lists every case. Empty without a gate or an earlier run.
pub fn news_text(report: &View, all: bool) -> String {
    let lines: Vec<String> = news(report).iter().flat_map(|news| lines(news, all)).collect();
    let lines: Vec<_> = lines.iter().map(|line| one_line(line)).collect();
    lines.join("\n")
}

fn lines(news: &News<'_>, all: bool) -> Vec<String> {
    let mut lines = vec![format!(
        "{} against {}: {}",
        news.backend,
        news.against,
        news.counts()
    )];
    lines.extend(
        news.shared
            .iter()
            .map(|shared| format!("  {}", shared_words(shared))),
    );
    let most = if all { usize::MAX } else { LISTED };
    let mut part = |title: String, entries: &[Entry<'_>]| {
        lines.push(format!("  {title} ({})", thousands(entries.len() as u64)));
        let listed = entries.iter().take(most).map(words);
        lines.extend(listed.map(|line| {
            if all {
                format!("    {line}")
            } else {
                format!("    {}", clip(&line, CLIPPED))
            }
        }));
        let more = entries.len().saturating_sub(most);
        lines.extend((more > 0).then(|| format!("    and {} more", thousands(more as u64))));
    };
    for group in &news.groups {
        part(group.title(), &group.entries);
    }
    if !news.fixed.is_empty() {
        part("fixed".to_owned(), &news.fixed);
    }
    lines
}

/// `regression: onnx-1.22.0/node/test_a was pass, is mismatch: the reason`.
pub(super) fn words(entry: &Entry<'_>) -> String {
    let why = match entry.why {
        "" => String::new(),
        why => format!(": {why}"),
    };
    format!(
        "{}: {} was {}, is {}{why}",
        entry.kind, entry.case, entry.was, entry.is
    )
}

/// What is shared, with the page of its operator.
pub(in crate::render) fn shared_words(shared: &Shared) -> String {
    match shared.operator() {
        Some(operator) => format!("{} (operators.html#operator={operator})", shared.words()),
        None => shared.words(),
    }
}
