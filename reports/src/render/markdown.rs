//! `summary.md`: a short summary for a CI job.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::caveats::caveats;
use super::diff::{counts, when};
use super::errata::errata_line;
use super::news::news_markdown;
use super::table::{Cell, Table};
use super::{RenderError, findings, readings, tables, throughput, variants};
use crate::View;
use run_record::Outcome;
use run_record::shown::markdown as escape;
use run_record::text::{clip, counted, seconds, thousands};

/// The maximum number of groups of failures; the page lists all.
const GROUPS: usize = 10;

/// The counts per backend, the most frequent reasons for wrong or missing answers, and the median latencies.
pub fn markdown(report: &View) -> Result<String, RenderError> {
    let mut text = String::new();
    writeln!(text, "## {}\n", escape(&report.title()))?;
    decisions(report, &mut text)?;
    news_markdown(report, &mut text)?;
    if report.judged() {
        totals(report, &mut text)?;
        since(report, &mut text)?;
        data_findings(report, &mut text)?;
        open_questions(report, &mut text)?;
        variant_counts(report, &mut text)?;
        levels(report, &mut text)?;
        releases(report, &mut text)?;
        errata(report, &mut text)?;
        failures(report, &mut text)?;
    }
    latencies(report, &mut text)?;
    Ok(limited(text))
}

/// The maximum size of a summary in bytes. GitHub refuses one of more than 1 MiB.
const LIMIT: usize = 1_000_000;

/// The text, truncated after a line if it exceeds the limit.
fn limited(text: String) -> String {
    if text.len() <= LIMIT {
        return text;
    }
    let end = (0..=LIMIT)
        .rev()
        .find(|&end| text.is_char_boundary(end))
        .unwrap_or_default();
    let kept = text
        .get(..end)
        .and_then(|part| part.rfind('\n').and_then(|line| part.get(..line)));
    format!(
        "{}\n\nThe summary is truncated here; the page has all of it.\n",
        kept.unwrap_or_default()
    )
}

/// The maximum number of waivers in the summary.
const WAIVERS: usize = 20;

/// The decisions of gates, with the reasons.
fn decisions(report: &View, text: &mut String) -> std::fmt::Result {
    for gate in &report.gates {
        let decision = if gate.open { "Release" } else { "Do not release" };
        writeln!(
            text,
            "**{decision} {}** (against {})\n",
            escape(&gate.backend),
            escape(&gate.baseline)
        )?;
        for reason in &gate.reasons {
            writeln!(text, "- {}", escape(&clip(reason, 1000)))?;
        }
        for waiver in gate.waivers.iter().take(WAIVERS) {
            writeln!(text, "- {}", escape(&clip(&waiver.words(), 1000)))?;
        }
        if gate.waivers.len() > WAIVERS {
            let more = thousands((gate.waivers.len() - WAIVERS) as u64);
            writeln!(text, "- … and {more} more waivers that are expired or due")?;
        }
        if !gate.quarantined.is_empty() {
            let count = thousands(gate.quarantined.len() as u64);
            writeln!(text, "- cases in quarantine: {count}")?;
        }
        if !(gate.reasons.is_empty() && gate.waivers.is_empty() && gate.quarantined.is_empty()) {
            writeln!(text)?;
        }
    }
    Ok(())
}

fn totals(report: &View, text: &mut String) -> std::fmt::Result {
    writeln!(
        text,
        "{}, {}.",
        counted(report.selected(), "case"),
        seconds(report.wall_s)
    )?;
    if !report.complete {
        writeln!(
            text,
            "\n**The run is incomplete.** Cases that were not run are counted as *not run*."
        )?;
    }
    let caveats = caveats(report);
    if !caveats.is_empty() {
        writeln!(text)?;
    }
    for caveat in caveats {
        writeln!(text, "- {}", escape(&caveat))?;
    }
    writeln!(text)?;
    tables::verdicts(report, true).markdown(text)
}

/// The changes since the previous run, a line for each backend.
fn since(report: &View, text: &mut String) -> std::fmt::Result {
    let Some(diff) = &report.since else {
        return Ok(());
    };
    writeln!(
        text,
        "\nSince the run of {}:\n",
        escape(&when(&diff.before.started))
    )?;
    for backend in &diff.backends {
        writeln!(text, "- {}: {}", escape(&backend.title()), counts(backend))?;
    }
    Ok(())
}

fn releases(report: &View, text: &mut String) -> std::fmt::Result {
    if report.releases.len() < 2 {
        return Ok(());
    }
    writeln!(text, "\n### Passes by release\n")?;
    tables::releases(report).markdown(text)
}

fn errata(report: &View, text: &mut String) -> std::fmt::Result {
    match errata_line(report) {
        Some(line) => writeln!(text, "\n{line}."),
        None => Ok(()),
    }
}

fn levels(report: &View, text: &mut String) -> std::fmt::Result {
    if !report.levelled() {
        return Ok(());
    }
    let policy = &report.started.policy;
    writeln!(
        text,
        "\n### Accuracy of passes (policy {}, version {})\n",
        escape(&policy.name),
        policy.version
    )?;
    tables::levels(report).markdown(text)
}

/// The data sets with whose stored outputs the reference disagrees.
fn data_findings(report: &View, text: &mut String) -> std::fmt::Result {
    let Some((listed, more)) = findings::listed(report) else {
        return Ok(());
    };
    writeln!(text, "\n### {}\n\n{}\n", findings::title(report), findings::ABOUT)?;
    for finding in listed {
        let words = escape(&clip(&findings::words(finding), 300));
        writeln!(text, "- {}: {words}", escape(&finding.case))?;
    }
    match more {
        0 => Ok(()),
        more => writeln!(text, "- and {} more, in results.csv", thousands(more as u64)),
    }
}

/// The answers of the backends to open questions of the specification.
fn open_questions(report: &View, text: &mut String) -> std::fmt::Result {
    if report.readings.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "\n### Open questions of the specification\n\n{}\n",
        readings::ABOUT
    )?;
    tables::readings(report).markdown(text)
}

/// The number of variants of each kind that differ from their plain case.
fn variant_counts(report: &View, text: &mut String) -> std::fmt::Result {
    if !variants::any(report) {
        return Ok(());
    }
    writeln!(text, "\n### Variants\n\n{}\n", variants::ABOUT)?;
    tables::variants(report, true).markdown(text)
}

fn latencies(report: &View, text: &mut String) -> Result<(), RenderError> {
    let latencies = super::latencies::latencies(report)?;
    if !latencies.gates.is_empty() {
        writeln!(text)?;
        tables::gates(&latencies.gates).markdown(text)?;
    }
    if !latencies.machine.is_empty() {
        writeln!(text, "\nMachine: {}", escape(&latencies.machine))?;
    }
    for sentence in &latencies.noise {
        writeln!(text, "\n**Noisy machine:** {}", escape(sentence))?;
    }
    if let Some(found) = &latencies.throughput {
        writeln!(text, "\n### Throughput ({})\n", throughput::ABOUT)?;
        tables::rates(found).markdown(text)?;
    }
    for panel in latencies.panels {
        writeln!(text, "\n### {} ({})\n", panel.title, panel.note)?;
        tables::figures(&panel, tables::median).markdown(text)?;
    }
    Ok(())
}

fn failures(report: &View, text: &mut String) -> std::fmt::Result {
    let mut groups: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
    for record in &report.cases {
        if matches!(record.verdict.kind().outcome(), Outcome::Wrong | Outcome::Broken) {
            let key = (
                record.backend.as_str(),
                record.verdict.kind().label(),
                record.reason.as_str(),
            );
            groups.entry(key).or_default().push(&record.case);
        }
    }
    if groups.is_empty() {
        return Ok(());
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    writeln!(text, "\n### Wrong or missing answers\n")?;
    let mut table = Table::new(["backend", "verdict", "cases#", "for example", "reason"]);
    for ((backend, verdict, reason), cases) in groups.iter().take(GROUPS) {
        table.push([
            (*backend).into(),
            Cell::own(*verdict),
            cases.len().into(),
            cases.first().copied().into(),
            clip(reason, 160).into(),
        ]);
    }
    table.markdown(text)?;
    if groups.len() > GROUPS {
        writeln!(
            text,
            "\n…and {} more reasons; the page lists them all.",
            groups.len() - GROUPS
        )?;
    }
    Ok(())
}
