//! What is new, for the first page of a report.

use crate::View;
use askama::filters::urlencode_strict;
use run_record::text::thousands;

use super::{Entry, news};
use crate::render::html::case_link;

/// What is new on one backend.
pub(in crate::render) struct Section {
    pub backend: String,
    pub against: String,
    pub counts: String,
    /// What the regressions have in common, and the address of the operator that shows it; empty if none
    /// does.
    pub shared: Vec<(String, String)>,
    pub groups: Vec<Part>,
    pub fixed: Option<Part>,
}

/// Cases under one title.
pub(in crate::render) struct Part {
    pub title: String,
    pub count: String,
    pub rows: Vec<Row>,
}

/// One case.
pub(in crate::render) struct Row {
    pub case: String,
    pub link: String,
    pub was: &'static str,
    pub is: &'static str,
    pub why: String,
}

/// What is new on each backend.
pub(in crate::render) fn sections(report: &View) -> Result<Vec<Section>, askama::Error> {
    let section = |news: super::News<'_>| {
        let groups = news
            .groups
            .iter()
            .map(|group| part(group.title(), &group.entries));
        let fixed = (!news.fixed.is_empty()).then(|| part("fixed".to_owned(), &news.fixed));
        let shared = news.shared.iter().map(|shared| {
            let link = match shared.operator().filter(|_| !report.catalogue.is_empty()) {
                Some(operator) => format!("operators.html#operator={}", urlencode_strict(operator)?),
                None => String::new(),
            };
            Ok((shared.words(), link))
        });
        Ok(Section {
            backend: news.backend.to_owned(),
            against: news.against.clone(),
            counts: news.counts(),
            shared: shared.collect::<Result<_, askama::Error>>()?,
            groups: groups.collect::<Result<_, askama::Error>>()?,
            fixed: fixed.transpose()?,
        })
    };
    news(report).into_iter().map(section).collect()
}

fn part(title: String, entries: &[Entry<'_>]) -> Result<Part, askama::Error> {
    let row = |entry: &Entry<'_>| {
        Ok::<_, askama::Error>(Row {
            case: entry.case.to_owned(),
            link: case_link(entry.case)?,
            was: entry.was,
            is: entry.is,
            why: entry.why.to_owned(),
        })
    };
    Ok(Part {
        title,
        count: thousands(entries.len() as u64),
        rows: entries.iter().map(row).collect::<Result<_, _>>()?,
    })
}
