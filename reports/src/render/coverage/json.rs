//! Coverage for programs. Every document has a `version`, `totals`, and one entry of `operators` for
//! each version of the catalogue.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::{FORMAT, Missing};
use crate::render::RenderError;
use run_record::Report;
use run_record::coverage::{Coverage, Matrix, Seen, VersionCoverage};
use run_record::shown;
use run_record::{AttributeDomain, OperatorVersion, TypeParameter};

/// What cases exercise: `coverage --format json`.
pub type CoverageJson<'a> = Document<Totals, Operator<'a>>;

/// What no case exercises: `coverage --gaps --format json`.
pub type GapsJson<'a> = Document<GapTotals, GapEntry<'a>>;

/// Totals, and one entry for each operator version.
#[derive(Serialize, JsonSchema)]
pub struct Document<T, O> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    totals: T,
    operators: Vec<O>,
}

/// The operator version of an entry.
#[derive(Serialize, JsonSchema)]
struct Subject<'a> {
    operator: String,
    domain: &'a str,
    name: &'a str,
    since: u32,
    deprecated: bool,
}

impl<'a> Subject<'a> {
    fn of(version: &'a OperatorVersion) -> Self {
        Self {
            operator: version.id(),
            domain: &version.domain,
            name: &version.name,
            since: version.since,
            deprecated: version.deprecated,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Totals {
    /// The number of operator versions.
    versions: usize,
    /// Those that the reference implements.
    implemented: usize,
    /// Those that a case exercises.
    exercised: usize,
}

#[derive(Serialize, JsonSchema)]
pub struct Operator<'a> {
    #[serde(flatten)]
    subject: Subject<'a>,
    implemented: bool,
    official_cases: usize,
    own_cases: usize,
    /// The type parameters of the operator version.
    types: Vec<Parameter<'a>>,
    attributes: Vec<Attribute<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Parameter<'a> {
    parameter: &'a str,
    allowed: &'a [String],
    /// The number of cases with each type.
    seen: Seen<'a>,
}

#[derive(Serialize, JsonSchema)]
struct Attribute<'a> {
    name: &'a str,
    kind: &'a str,
    /// The default value; `null` if there is none.
    default: Option<&'a [String]>,
    /// The values that the specification lists; empty if it lists none.
    allowed: &'a [String],
    /// The number of cases that give the attribute.
    given: usize,
    /// The number of cases with each value.
    seen: Seen<'a>,
}

/// The coverage: `{"version":1,"totals":{"versions":…,"implemented":…,"exercised":…},"operators":[…]}`.
pub fn coverage_json(coverage: &Coverage, implemented: &BTreeSet<String>) -> Result<String, RenderError> {
    let operators: Vec<_> = coverage
        .versions
        .iter()
        .map(|covered| operator(covered, implemented))
        .collect();
    let totals = Totals {
        versions: operators.len(),
        implemented: operators.iter().filter(|operator| operator.implemented).count(),
        exercised: coverage.exercised(),
    };
    document(totals, operators)
}

fn operator<'a>(covered: &VersionCoverage<'a>, implemented: &BTreeSet<String>) -> Operator<'a> {
    let version = covered.version;
    let (official_cases, own_cases) = covered.official_and_own();
    let parameter = |parameter: &'a TypeParameter| Parameter {
        parameter: &parameter.name,
        allowed: &parameter.types,
        seen: covered.types(parameter),
    };
    let attribute = |attribute: &'a AttributeDomain| Attribute {
        name: &attribute.name,
        kind: &attribute.kind,
        default: attribute.default.as_deref(),
        allowed: &attribute.values,
        given: covered.given(attribute),
        seen: covered.values(attribute),
    };
    Operator {
        subject: Subject::of(version),
        implemented: implemented.contains(&version.id()),
        official_cases,
        own_cases,
        types: version.parameters.iter().map(parameter).collect(),
        attributes: version.attributes.iter().map(attribute).collect(),
    }
}

#[derive(Default, Serialize, JsonSchema)]
pub struct GapTotals {
    /// The number of operator versions.
    versions: usize,
    /// Versions without a case.
    untouched: usize,
    /// Types without a case.
    types: usize,
    /// Attributes that no case gives.
    attributes: usize,
    /// Values without a case.
    values: usize,
    /// Pairs of a type and a value that do not occur together.
    combinations: usize,
}

#[derive(Serialize, JsonSchema)]
pub struct GapEntry<'a> {
    #[serde(flatten)]
    subject: Subject<'a>,
    #[serde(flatten)]
    missing: Missing<'a>,
}

/// The gaps; only operator versions with a gap have an entry.
pub fn gaps_json(coverage: &Coverage) -> Result<String, RenderError> {
    let mut totals = GapTotals {
        versions: coverage.versions.len(),
        ..GapTotals::default()
    };
    let mut entries = Vec::new();
    for covered in &coverage.versions {
        for gap in covered.gaps() {
            *match gap.kind() {
                "version" => &mut totals.untouched,
                "type" => &mut totals.types,
                "attribute" => &mut totals.attributes,
                "value" => &mut totals.values,
                _ => &mut totals.combinations,
            } += 1;
        }
        let missing = Missing::of(covered);
        if !missing.is_empty() {
            let subject = Subject::of(covered.version);
            entries.push(GapEntry { subject, missing });
        }
    }
    document(totals, entries)
}

/// The results of each backend by what is exercised: `coverage.json` of a run.
#[derive(Serialize, JsonSchema)]
pub struct MatrixJson<'a> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    totals: MatrixTotals,
    /// The columns of the numbers: the sum of all corpora, then each corpus.
    corpora: Vec<&'a str>,
    backends: &'a [&'a str],
    operators: Vec<MatrixEntry<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct MatrixTotals {
    versions: usize,
    exercised: usize,
}

#[derive(Serialize, JsonSchema)]
pub struct MatrixEntry<'a> {
    #[serde(flatten)]
    subject: Subject<'a>,
    #[serde(flatten)]
    numbers: Numbers<'a>,
    combinations: Vec<Combination<'a>>,
    missing: Missing<'a>,
}

#[derive(Serialize, JsonSchema)]
struct Combination<'a> {
    types: &'a BTreeMap<String, Vec<String>>,
    attributes: &'a BTreeMap<String, Vec<String>>,
    /// The optional inputs and outputs that the node gives.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    optional: &'a [String],
    #[serde(flatten)]
    numbers: Numbers<'a>,
}

/// Cases, and passes on each backend: one number for each of `corpora`.
#[derive(Serialize, JsonSchema)]
struct Numbers<'a> {
    cases: Vec<u64>,
    passes: BTreeMap<&'a str, Vec<u64>>,
}

/// The results of each backend by what is exercised. `cases`, and `passes` of each backend, have one
/// number for each of `corpora`.
pub fn matrix_json(report: &Report) -> Result<String, RenderError> {
    let matrix = &Matrix::of(report);
    let coverage = &matrix.coverage;
    let document = MatrixJson {
        version: FORMAT,
        totals: MatrixTotals {
            versions: coverage.versions.len(),
            exercised: coverage.exercised(),
        },
        corpora: std::iter::once("all")
            .chain(matrix.corpora.iter().copied())
            .collect(),
        backends: &matrix.backends,
        operators: coverage
            .versions
            .iter()
            .map(|covered| matrix_entry(matrix, covered))
            .collect(),
    };
    let mut text = shown::json(&serde_json::to_string(&document)?);
    text.push('\n');
    Ok(text)
}

fn matrix_entry<'a>(matrix: &Matrix<'a>, covered: &VersionCoverage<'a>) -> MatrixEntry<'a> {
    let combinations = covered.uses.iter().map(|(exercise, cases)| Combination {
        types: &exercise.types,
        attributes: &exercise.attributes,
        optional: &exercise.optional,
        numbers: numbers(matrix, cases),
    });
    MatrixEntry {
        subject: Subject::of(covered.version),
        numbers: numbers(matrix, &covered.cases()),
        combinations: combinations.collect(),
        missing: Missing::of(covered),
    }
}

fn numbers<'a>(matrix: &Matrix<'a>, cases: &BTreeSet<&str>) -> Numbers<'a> {
    let parts: BTreeMap<_, _> = matrix.by_corpus(cases).into_iter().collect();
    let order = std::iter::once("all").chain(matrix.corpora.iter().copied());
    let order: Vec<&[&str]> = order
        .map(|corpus| parts.get(corpus).map_or(&[][..], Vec::as_slice))
        .collect();
    let passes = matrix.backends.iter().enumerate().map(|(rank, backend)| {
        let passed = |cases: &&[&str]| matrix.tally(cases.iter().copied(), rank).passed();
        (*backend, order.iter().map(passed).collect())
    });
    Numbers {
        cases: order.iter().map(|cases| cases.len() as u64).collect(),
        passes: passes.collect(),
    }
}

fn document<T: Serialize, O: Serialize>(totals: T, operators: Vec<O>) -> Result<String, RenderError> {
    let document = Document {
        version: FORMAT,
        totals,
        operators,
    };
    let mut text = shown::json(&serde_json::to_string_pretty(&document)?);
    text.push('\n');
    Ok(text)
}
