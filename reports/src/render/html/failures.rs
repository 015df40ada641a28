//! What failed and why: by backend, then by reason.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::super::repeat_command;
use crate::Report;
use crate::record::{CaseRecord, OutputStats, Repeat, VariantId, Verdict, VerdictKind};
use crate::text::{clip, error, shape, signed_error, thousands};

pub(super) struct Failures {
    pub count: String,
    pub backends: Vec<Backend>,
    /// The verdicts by which the list can be narrowed.
    pub kinds: Vec<VerdictKind>,
}

pub(super) struct Backend {
    pub name: String,
    pub count: String,
    pub sections: Vec<Section>,
}

/// The groups of one kind of verdict.
pub(super) struct Section {
    pub key: &'static str,
    pub label: &'static str,
    pub count: String,
    /// `37 reasons`, where they are so many that the section is folded up into one line.
    pub folded: Option<String>,
    pub groups: Vec<Group>,
}

/// More reasons than these would push everything that follows out of sight.
const UNFOLDED: usize = 12;

/// Cases of one backend that came to the same verdict for the same reason.
pub(super) struct Group {
    pub key: &'static str,
    pub verdict: String,
    pub reason: String,
    pub count: String,
    pub cases: Vec<Case>,
}

pub(super) struct Case {
    pub id: String,
    pub operators: String,
    /// The case's own reason, where it says more than the group's.
    pub reason: String,
    /// Label and value of what is known of the worst output.
    pub facts: Vec<(&'static str, String)>,
    pub command: String,
}

/// The verdicts in the order in which a person should look at them.
const SEVERITY: [VerdictKind; 12] = [
    VerdictKind::Crash,
    VerdictKind::Timeout,
    VerdictKind::OutOfMemory,
    VerdictKind::Protocol,
    VerdictKind::Mismatch,
    VerdictKind::Nondeterministic,
    VerdictKind::VariantDiffers,
    VerdictKind::Error,
    VerdictKind::Unsupported,
    VerdictKind::Disputed,
    VerdictKind::Skipped,
    VerdictKind::NotRun,
];

pub(super) fn failures(report: &Report) -> Failures {
    let failed = |record: &&CaseRecord| record.verdict != Verdict::Pass;
    let backends = report.backends.iter().filter_map(|backend| {
        let records: Vec<_> = report.cases_of(&backend.info.name).filter(failed).collect();
        let (name, count) = (backend.info.name.clone(), thousands(records.len() as u64));
        (!records.is_empty()).then(|| Backend {
            name,
            count,
            sections: sections(&records, &report.started.repeat),
        })
    });
    let has = |kind: &VerdictKind| report.cases.iter().any(|record| record.verdict.kind() == *kind);
    Failures {
        count: thousands(report.cases.iter().filter(failed).count() as u64),
        backends: backends.collect(),
        kinds: SEVERITY.into_iter().filter(has).collect(),
    }
}

fn sections(records: &[&CaseRecord], repeat: &Repeat) -> Vec<Section> {
    let section = |kind: VerdictKind| {
        let records: Vec<_> = records
            .iter()
            .copied()
            .filter(|record| record.verdict.kind() == kind)
            .collect();
        let groups = groups(&records, repeat);
        (!records.is_empty()).then(|| Section {
            key: kind.key(),
            label: kind.label(),
            count: thousands(records.len() as u64),
            folded: (groups.len() > UNFOLDED).then(|| format!("{} reasons", thousands(groups.len() as u64))),
            groups,
        })
    };
    SEVERITY.into_iter().filter_map(section).collect()
}

/// The groups of records of one kind, the largest first.
fn groups(records: &[&CaseRecord], repeat: &Repeat) -> Vec<Group> {
    let mut groups: BTreeMap<_, Vec<&CaseRecord>> = BTreeMap::new();
    for record in records {
        groups
            .entry((record.verdict.detail(), subject(record)))
            .or_default()
            .push(record);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, records)| std::cmp::Reverse(records.len()));
    groups
        .into_iter()
        .filter_map(|((detail, pattern), records)| group(&detail, &pattern, &records, repeat))
        .collect()
}

fn group(detail: &str, pattern: &str, records: &[&CaseRecord], repeat: &Repeat) -> Option<Group> {
    let first = records.first()?;
    let same = records.iter().all(|record| record.reason == first.reason);
    let kind = first.verdict.kind();
    Some(Group {
        key: kind.key(),
        verdict: if detail.is_empty() {
            kind.label().to_owned()
        } else {
            format!("{} · {detail}", kind.label())
        },
        reason: if same {
            first.reason.clone()
        } else {
            pattern.to_owned()
        },
        count: thousands(records.len() as u64),
        cases: records.iter().map(|record| case(record, !same, repeat)).collect(),
    })
}

/// What the records of a group have in common: of wrong answers the operator, for each is wrong in its own way; of anything
/// else the reason.
fn subject(record: &CaseRecord) -> String {
    match (record.verdict.kind(), record.accountable_operator()) {
        (VerdictKind::Mismatch, Some(operator)) => format!("{operator}: the outputs differ"),
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

/// `reason` with every free-standing number replaced, so that reasons that differ only in figures form one group. A number
/// that is part of a name (`int64`, `Softmax-13`) stays.
fn pattern(reason: &str) -> String {
    static NUMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(^|[\s(\[=:<>])[-+]?\d+(?:[.,]? ?\d+)*(?:e[-+]?\d+)?").ok());
    NUMBER.as_ref().map_or_else(
        || reason.to_owned(),
        |number| number.replace_all(reason, "${1}…").into_owned(),
    )
}

fn case(record: &CaseRecord, own_reason: bool, repeat: &Repeat) -> Case {
    Case {
        id: record.case.clone(),
        operators: operators(&record.operators),
        reason: if own_reason {
            record.reason.clone()
        } else {
            String::new()
        },
        facts: facts(record),
        command: repeat_command(repeat, &record.backend, &record.case),
    }
}

/// The first few operators: a large model has dozens.
fn operators(operators: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = operators
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(" ");
    match operators.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} +{more}"),
    }
}

fn facts(record: &CaseRecord) -> Vec<(&'static str, String)> {
    let mut facts = record.worst_output().map(output_facts).unwrap_or_default();
    if let Some(level) = record.level {
        facts.push(("level", level.label().to_owned()));
    }
    if let Some(place) = record.place.as_ref().filter(|place| place.fell_back()) {
        facts.push(("ran on", place.words()));
    }
    if record.official == Some(true) {
        facts.push(("official rule", "passes".to_owned()));
    }
    if record.attempts > 1 {
        facts.push(("attempts", record.attempts.to_string()));
    }
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn output_facts(output: &OutputStats) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        (
            "output",
            format!(
                "{} {} {}",
                clip(&output.name, 60),
                output.dtype,
                shape(&output.shape)
            ),
        ),
        (
            "differ",
            format!(
                "{} of {}",
                thousands(output.differing),
                thousands(output.elements)
            ),
        ),
        ("unequal", thousands(output.unequal)),
        ("allowed", output.allowed.clone()),
        ("max abs", error(output.max_abs)),
        ("max rel", error(output.max_rel)),
        ("max ULP", error(output.max_ulp)),
        ("mean abs", error(output.mean_abs)),
        ("mean ULP", error(output.mean_ulp)),
        ("bias", signed_error(output.bias)),
        ("rtol needed", error(output.needed_rtol)),
        ("bound", bound(output)),
    ];
    let special = output
        .special
        .named()
        .map(|(count, what)| format!("{} {what}", thousands(count)));
    facts.push(("special values", special.collect::<Vec<_>>().join(", ")));
    let first = output.first.iter().map(|first| {
        let (actual, expected) = (clip(&first.actual, 60), clip(&first.expected, 60));
        format!("at {} got {actual}, expected {expected}", shape(&first.index))
    });
    facts.push(("first", first.collect::<Vec<_>>().join("; ")));
    facts
}

/// The bound's model, and how much of it the largest error takes.
fn bound(output: &OutputStats) -> String {
    output.model.as_ref().map_or_else(String::new, |model| {
        format!("{}, error {} of it", clip(model, 80), error(output.of_bound))
    })
}

#[cfg(test)]
mod tests {
    use super::pattern;

    fn check(reason: &str, expected: &str) {
        assert_eq!(pattern(reason), expected);
    }

    #[test]
    fn reasons_group_by_their_words() {
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
