//! `summary.json`: the counts, for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::RenderError;
use super::models::{Model, models};
use run_record::shown;
use run_record::{DataFinding, Erratum};
use run_record::{Levels, Report, Tally, VariantReport};

/// The version of the format. Additional fields do not increment it.
const FORMAT: u32 = 4;

#[derive(Serialize)]
struct Summary<'a> {
    format: u32,
    cases: u64,
    release: &'a str,
    complete: bool,
    unreadable: u64,
    missing: &'a BTreeMap<String, String>,
    policy: Policy<'a>,
    wall_s: f64,
    errata: BTreeMap<&'a str, u64>,
    backends: Vec<Backend<'a>>,
    releases: Vec<Release<'a>>,
    models: Vec<Model<'a>>,
    reference_disagrees: Vec<Finding<'a>>,
    variants: Vec<Variant<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    case: &'a str,
    data_set: &'a str,
    reason: &'a str,
    expected_from: String,
}

#[derive(Serialize)]
struct Variant<'a> {
    kind: &'a str,
    not_applicable: &'a BTreeMap<String, u64>,
    backends: BTreeMap<&'a str, VariantCounts>,
}

#[derive(Serialize)]
struct VariantCounts {
    run: u64,
    passed: u64,
    differ: u64,
}

#[derive(Serialize)]
struct Release<'a> {
    corpus: &'a str,
    cases: u64,
    distinct: u64,
    verdicts: BTreeMap<&'a str, Tally>,
}

#[derive(Serialize)]
struct Policy<'a> {
    name: &'a str,
    version: u32,
}

#[derive(Serialize)]
struct Backend<'a> {
    backend: &'a str,
    version: &'a str,
    options: &'a BTreeMap<String, String>,
    verdicts: Tally,
    levels: Levels,
    failed_levels: Levels,
    passed_on_fall_back: u64,
    wall_s: f64,
}

/// The summary: whether the run is complete, the number of cases that cannot be read, and the missing
/// backends; the counts of verdicts and of levels per backend (`levels` of passes, `failed_levels` of
/// other answers), over all cases that were run, and of verdicts for each release over its own cases;
/// the cases in the errata, by kind; and for complete models with measured noise, the results of each
/// backend. All keys of verdicts, levels and errata are present, whatever their count.
pub fn summary_json(report: &Report) -> Result<String, RenderError> {
    let backends = report.backends.iter().map(|backend| Backend {
        backend: &backend.info.name,
        version: &backend.info.version,
        options: &backend.info.options,
        verdicts: backend.tally,
        levels: backend.levels,
        failed_levels: backend.failed_levels,
        passed_on_fall_back: backend.passed_on_fall_back,
        wall_s: backend.wall_s,
    });
    let releases = report.releases.iter().map(|release| {
        let names = report.backends.iter().map(|backend| &*backend.info.name);
        Release {
            corpus: &release.corpus,
            cases: release.cases,
            distinct: release.distinct,
            verdicts: names.zip(release.tallies.iter().copied()).collect(),
        }
    });
    let errata = report.errata();
    let count = |erratum: Erratum| (erratum.key(), errata.get(&erratum).copied().unwrap_or(0));
    let summary = Summary {
        format: FORMAT,
        cases: report.selected(),
        release: &report.started.release,
        complete: report.complete,
        unreadable: report.unreadable().len() as u64,
        missing: &report.missing,
        policy: Policy {
            name: &report.started.policy.name,
            version: report.started.policy.version,
        },
        wall_s: report.wall_s,
        errata: Erratum::ALL.map(count).into(),
        backends: backends.collect(),
        releases: releases.collect(),
        models: models(report),
        reference_disagrees: report.data_findings.iter().map(finding).collect(),
        variants: report.variants.iter().map(|kind| variant(report, kind)).collect(),
    };
    let mut text = shown::json(&serde_json::to_string_pretty(&summary)?);
    text.push('\n');
    Ok(text)
}

fn finding(finding: &DataFinding) -> Finding<'_> {
    Finding {
        case: &finding.case,
        data_set: &finding.data_set,
        reason: &finding.reason,
        expected_from: finding.origin(),
    }
}

fn variant<'a>(report: &'a Report, kind: &'a VariantReport) -> Variant<'a> {
    let names = report.backends.iter().map(|backend| &*backend.info.name);
    let counts = kind.tallies.iter().map(|tally| VariantCounts {
        run: tally.run,
        passed: tally.passed,
        differ: tally.differ,
    });
    Variant {
        kind: kind.kind.key(),
        not_applicable: &kind.not_applicable,
        backends: names.zip(counts).collect(),
    }
}
