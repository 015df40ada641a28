//! `summary.json`: the counts, for programs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::RenderError;
use super::models::{Model, models};
use run_record::shown;
use run_record::{DataFinding, Erratum};
use run_record::{Levels, Report, Tally, VariantReport};

/// The version of the format. Additional fields do not increment it.
const FORMAT: u32 = 4;

/// `summary.json`.
#[derive(Serialize, JsonSchema)]
pub struct Summary<'a> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// The number of cases that were selected for each backend.
    cases: u64,
    /// The releases of ONNX whose tests were run; empty for cases from other sources.
    release: &'a str,
    /// Whether all selected cases were run.
    complete: bool,
    /// The number of cases that cannot be read.
    unreadable: u64,
    /// The requested backends that are missing, with the reason.
    missing: &'a BTreeMap<String, String>,
    policy: Policy<'a>,
    /// The time of the run in seconds.
    wall_s: f64,
    /// The number of cases in the errata, by kind.
    errata: BTreeMap<&'a str, u64>,
    backends: Vec<Backend<'a>>,
    releases: Vec<Release<'a>>,
    /// The complete models whose noise was measured.
    models: Vec<Model<'a>>,
    /// Where the reference disagrees with the data of a case.
    reference_disagrees: Vec<Finding<'a>>,
    /// The metamorphic variants, by kind.
    variants: Vec<Variant<'a>>,
}

/// A data set with whose expected outputs the reference disagrees.
#[derive(Serialize, JsonSchema)]
struct Finding<'a> {
    case: &'a str,
    data_set: &'a str,
    reason: &'a str,
    /// The origin of the expected outputs.
    expected_from: String,
}

/// The variants of one kind.
#[derive(Serialize, JsonSchema)]
struct Variant<'a> {
    kind: &'a str,
    /// Why forms of it do not apply: the number of cases for each reason.
    not_applicable: &'a BTreeMap<String, u64>,
    /// The results by backend.
    backends: BTreeMap<&'a str, VariantCounts>,
}

#[derive(Serialize, JsonSchema)]
struct VariantCounts {
    /// The number of variants that were run.
    run: u64,
    passed: u64,
    /// The number of variants with another result than the plain case.
    differ: u64,
}

/// The cases of one release.
#[derive(Serialize, JsonSchema)]
struct Release<'a> {
    /// The name in the ids of its cases: `onnx-1.22.0`.
    corpus: &'a str,
    cases: u64,
    /// The number of its cases that no older release of the run has.
    distinct: u64,
    /// The verdicts by backend, over all cases of the release.
    verdicts: BTreeMap<&'a str, Tally>,
}

/// The policy that decided what passes.
#[derive(Serialize, JsonSchema)]
struct Policy<'a> {
    name: &'a str,
    /// The version of its file of tolerances.
    version: u32,
}

/// The results of a backend over all cases that were run.
#[derive(Serialize, JsonSchema)]
struct Backend<'a> {
    /// Its name in reports.
    backend: &'a str,
    /// The version of its runtime.
    version: &'a str,
    options: &'a BTreeMap<String, String>,
    verdicts: Tally,
    /// The levels of passes.
    levels: Levels,
    /// The levels of answers that do not pass.
    failed_levels: Levels,
    /// The number of passes in which another provider than the requested one ran a node.
    passed_on_fall_back: u64,
    /// The time of its cases in seconds.
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
