//! Failures by backend, then by reason. The page shows one case of each group; its data contains the
//! others.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::super::repeat_command;
use super::super::severity::{BY_SEVERITY, Class};
use super::brief::brief;
use super::case_link;
use super::rows::Row;
use run_record::Report;
use run_record::text::thousands;
use run_record::{CaseRecord, Repeat, VariantId, VerdictKind};

pub(super) struct Failures<'a> {
    /// The number of results other than passes; an excluded case counts once.
    pub count: String,
    pub backends: Vec<Backend<'a>>,
}

/// The results of one backend, or the excluded cases.
pub(super) struct Backend<'a> {
    pub name: String,
    pub count: String,
    pub sections: Vec<Section<'a>>,
}

/// The groups of one kind of verdict.
pub(super) struct Section<'a> {
    pub key: &'static str,
    pub label: &'static str,
    pub count: String,
    /// `37 reasons`, if there are so many that the section is collapsed.
    pub folded: Option<String>,
    pub groups: Vec<Group<'a>>,
}

/// The maximum number of reasons that are shown without collapsing, so that the following sections
/// remain visible.
const UNFOLDED: usize = 12;

/// The end of the reason of a group of wrong answers.
const DIFFER: &str = ": the outputs differ";

/// Cases with the same verdict for the same reason.
pub(super) struct Group<'a> {
    /// The number of the group in the page's data.
    pub number: usize,
    pub key: &'static str,
    pub verdict: String,
    pub reason: String,
    /// The reason without parts that do not help to distinguish it.
    pub brief: String,
    pub count: String,
    /// The first case, the address of its page, and the command that repeats it.
    pub example: String,
    pub link: String,
    pub command: String,
    pub records: Vec<&'a CaseRecord>,
}

impl Group<'_> {
    /// Whether the cases have different reasons.
    pub fn varies(&self) -> bool {
        self.records.iter().any(|record| record.reason != self.reason)
    }
}

/// `mismatch · numeric`.
pub(super) fn verdict_words(record: &CaseRecord) -> String {
    let (label, detail) = (record.verdict.kind().label(), record.verdict.detail());
    if detail.is_empty() {
        label.to_owned()
    } else {
        format!("{label} · {detail}")
    }
}

/// The groups by backend, and at the end the excluded cases, each once.
pub(super) fn failures<'a>(report: &'a Report, rows: &[Row<'a>]) -> Result<Failures<'a>, askama::Error> {
    let mut number = 0;
    let class = |record: &CaseRecord| Class::of(record.verdict.kind());
    let judged = |record: &&CaseRecord| !matches!(class(record), Class::Passed | Class::Excluded);
    let mut parts: Vec<(String, Vec<&CaseRecord>)> = Vec::new();
    for backend in &report.backends {
        let name = &backend.info.name;
        parts.push((name.clone(), report.cases_of(name).filter(judged).collect()));
    }
    let excluded = rows.iter().filter_map(|row| {
        let mut records = row.records.iter().flatten().copied();
        records.find(|record| class(record) == Class::Excluded)
    });
    parts.push(("Excluded cases".to_owned(), excluded.collect()));
    let backends = parts.into_iter().filter(|(_, records)| !records.is_empty());
    let backends = backends.map(|(name, records)| {
        Ok(Backend {
            name,
            count: thousands(records.len() as u64),
            sections: sections(&records, &report.started.repeat, &mut number)?,
        })
    });
    let backends: Vec<_> = backends.collect::<Result<_, askama::Error>>()?;
    let groups = backends
        .iter()
        .flat_map(|backend| &backend.sections)
        .flat_map(|section| &section.groups);
    let count: usize = groups.map(|group| group.records.len()).sum();
    Ok(Failures {
        count: thousands(count as u64),
        backends,
    })
}

fn sections<'a>(
    records: &[&'a CaseRecord],
    repeat: &Repeat,
    number: &mut usize,
) -> Result<Vec<Section<'a>>, askama::Error> {
    let mut sections = Vec::new();
    for &kind in BY_SEVERITY.iter() {
        let of_kind = records.iter().copied();
        let of_kind: Vec<_> = of_kind.filter(|record| record.verdict.kind() == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let groups = groups(&of_kind, repeat, number)?;
        sections.push(Section {
            key: kind.key(),
            label: kind.label(),
            count: thousands(of_kind.len() as u64),
            folded: (groups.len() > UNFOLDED).then(|| format!("{} reasons", thousands(groups.len() as u64))),
            groups,
        });
    }
    Ok(sections)
}

/// The groups of records of one kind, the largest first.
fn groups<'a>(
    records: &[&'a CaseRecord],
    repeat: &Repeat,
    number: &mut usize,
) -> Result<Vec<Group<'a>>, askama::Error> {
    let mut groups: BTreeMap<_, Vec<&CaseRecord>> = BTreeMap::new();
    for &record in records {
        groups
            .entry((record.verdict.detail(), subject(record)))
            .or_default()
            .push(record);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, records)| std::cmp::Reverse(records.len()));
    groups
        .into_iter()
        .filter_map(|((_, pattern), records)| {
            let group = group(*number, &pattern, records, repeat).transpose()?;
            *number += 1;
            Some(group)
        })
        .collect()
}

fn group<'a>(
    number: usize,
    pattern: &str,
    records: Vec<&'a CaseRecord>,
    repeat: &Repeat,
) -> Result<Option<Group<'a>>, askama::Error> {
    let Some(&first) = records.first() else {
        return Ok(None);
    };
    let same = records.iter().all(|record| record.reason == first.reason);
    let reason = if same { first.reason.as_str() } else { pattern };
    // For a single wrong answer, the group does not state the operator.
    let brief = match (subject(first), brief(reason)) {
        (subject, reason) if same && subject.ends_with(DIFFER) => {
            subject.replace(DIFFER, &format!(": {reason}"))
        }
        (_, reason) => reason,
    };
    Ok(Some(Group {
        number,
        key: first.verdict.kind().key(),
        verdict: verdict_words(first),
        reason: reason.to_owned(),
        brief,
        count: thousands(records.len() as u64),
        example: first.case.clone(),
        link: case_link(&first.case)?,
        command: repeat_command(repeat, &first.backend, &first.case),
        records,
    }))
}

/// The common property of a group: for wrong answers the operator, because each is wrong in its own way;
/// otherwise the reason.
fn subject(record: &CaseRecord) -> String {
    match (record.verdict.kind(), record.accountable_operator()) {
        (VerdictKind::Mismatch, Some(operator)) => format!("{operator}{DIFFER}"),
        (VerdictKind::VariantDiffers, operator) => {
            let form = VariantId::parse(&record.case).map_or("", |variant| variant.form);
            format!(
                "{}: the variant {form} differs",
                operator.unwrap_or("several operators")
            )
        }
        _ => pattern(&record.reason),
    }
}

/// `reason` with every free-standing number replaced, so that reasons that differ only in numbers form
/// one group. A number within a name (`int64`, `Softmax-13`) is kept.
fn pattern(reason: &str) -> String {
    static NUMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(^|[\s(\[=:<>])[-+]?\d+(?:[.,]? ?\d+)*(?:e[-+]?\d+)?").ok());
    NUMBER.as_ref().map_or_else(
        || reason.to_owned(),
        |number| number.replace_all(reason, "${1}…").into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::pattern;

    fn check(reason: &str, expected: &str) {
        assert_eq!(pattern(reason), expected);
    }

    #[test]
    fn reasons_are_grouped_by_their_words() {
        check("3 of 1,200 elements differ", "… of … elements differ");
        check(
            "output 'y': max abs error 1.5e-3 > 1e-7",
            "output 'y': max abs error … > …",
        );
        check("shape [2, 3] instead of [1]", "shape […] instead of […]");
        check(
            "no kernel for Softmax-13 on int64",
            "no kernel for Softmax-13 on int64",
        );
    }
}
