//! What is new, for the summary of a CI job.

use std::fmt::Write;

use crate::View;
use run_record::shown::markdown as escape;
use run_record::text::{clip, thousands};

use super::text::words;
use super::{Entry, news};

/// The maximum number of listed cases of one group; the page lists all.
const LISTED: usize = 10;

/// Writes what is new: regressions open, fixed cases folded, known failures as a number.
pub(in crate::render) fn news_markdown(report: &View, text: &mut String) -> std::fmt::Result {
    for news in news(report) {
        writeln!(text, "### {}: {}\n", escape(news.backend), news.counts())?;
        writeln!(text, "Against {}.\n", escape(&news.against))?;
        for shared in news.shared {
            writeln!(text, "- **{}**", escape(&clip(&shared.words(), 300)))?;
        }
        for group in &news.groups {
            let count = thousands(group.entries.len() as u64);
            writeln!(text, "\n**{}** ({count})\n", escape(&group.title()))?;
            list(&group.entries, text)?;
        }
        if !news.fixed.is_empty() {
            let count = thousands(news.fixed.len() as u64);
            writeln!(text, "\n<details><summary>{count} fixed</summary>\n")?;
            list(&news.fixed, text)?;
            writeln!(text, "\n</details>")?;
        }
        writeln!(text)?;
    }
    Ok(())
}

fn list(entries: &[Entry<'_>], text: &mut String) -> std::fmt::Result {
    for entry in entries.iter().take(LISTED) {
        writeln!(text, "- {}", escape(&clip(&words(entry), 300)))?;
    }
    match entries.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(text, "- and {} more", thousands(more as u64)),
    }
}
