//! The document of `compare --format json`.

use run_record::standing::{SampleCounts, Standing, remarks, samples, worst};
use run_record::{CaseId, CaseRecord, Report};
use schemars::JsonSchema;
use serde::Serialize;

use super::Prepared;
use super::against::Against;
use super::table::{measured, origin};
use crate::CliError;

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// The answers to all models. Fields are never removed; new ones may be added.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    pub(super) models: Vec<Answers>,
    /// Why other models have no right outputs, or cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    undecided: Vec<String>,
    /// The answers of the second of two models, judged by the outputs and the noise of the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) against: Vec<Against>,
    /// What explains wrong answers: the node, the witnesses, the nodes at which two models part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) explanations: Vec<String>,
}

/// The answers to one model.
#[derive(Serialize, JsonSchema)]
pub(super) struct Answers {
    model: String,
    /// The source of the expected outputs.
    truth: String,
    /// The outputs whose noise is known.
    outputs: Vec<Output>,
    answers: Vec<Answer>,
}

/// The noise of an output of a model.
#[derive(Serialize, JsonSchema)]
struct Output {
    name: String,
    #[serde(rename = "type")]
    dtype: String,
    shape: Vec<u64>,
    /// The number of significant decimal digits, the median over the elements; null if no element is a finite
    /// number other than 0.
    digits: Option<f64>,
    /// The minimum of the same.
    least_digits: Option<f64>,
    /// The number of runs with random rounding.
    runs: u32,
}

/// The answer of a backend.
#[derive(Serialize, JsonSchema)]
struct Answer {
    backend: String,
    version: String,
    /// `exact`, `within_noise`, a class of arithmetic (`rounded`, `approximated`, `wide`, `narrow`,
    /// `reduced`), `within_tolerance`, `cannot_be_judged`, `wrong`, `unsupported`, `failed` or `not_run`.
    answer: &'static str,
    /// Whether it passes: it is right, also if less accurate.
    passes: bool,
    /// The answer in words.
    words: &'static str,
    reason: String,
    remarks: Vec<String>,
    /// The correct digits of the least accurate output.
    digits: Option<f64>,
    /// The numbers of samples and of right ones, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<Samples>,
    load_ns: Option<u64>,
    run_ns: Option<u64>,
    peak_bytes: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct Samples {
    run: usize,
    right: usize,
}

impl Document {
    /// The document of no model yet.
    pub(super) fn new(failed: &[CliError]) -> Document {
        Document {
            version: FORMAT,
            models: Vec::new(),
            undecided: failed.iter().map(CliError::to_string).collect(),
            against: Vec::new(),
            explanations: Vec::new(),
        }
    }
}

/// The answers to the models of a report.
pub(super) fn models(report: &Report, prepared: &[Prepared]) -> Vec<Answers> {
    let of_model = |model: &Prepared| {
        let name = &model.subject.name;
        let records = report.cases.iter();
        let records: Vec<&CaseRecord> = records
            .filter(|record| CaseId::parse(&record.case).name == *name)
            .collect();
        Answers {
            model: name.clone(),
            truth: origin(&model.truth),
            outputs: outputs(&records),
            answers: records.iter().map(|record| Answer::new(record, report)).collect(),
        }
    };
    prepared.iter().map(of_model).collect()
}

fn outputs(records: &[&CaseRecord]) -> Vec<Output> {
    let known = |digits: f64| Some(digits).filter(|digits| digits.is_finite());
    let measured = measured(records).into_iter();
    measured
        .map(|(output, noise)| Output {
            name: output.name.clone(),
            dtype: output.dtype.to_string(),
            shape: output.shape.clone(),
            digits: known(noise.floor.digits),
            least_digits: known(noise.floor.least_digits),
            runs: noise.floor.runs,
        })
        .collect()
}

impl Answer {
    fn new(record: &CaseRecord, report: &Report) -> Answer {
        let standing = Standing::of(record);
        let digits = worst(&record.outputs).map(|(_, noise)| noise.deviation.digits);
        let counts = |SampleCounts { run, right, .. }| Samples { run, right };
        Answer {
            backend: record.backend.clone(),
            version: report
                .backend(&record.backend)
                .map_or_else(String::new, |backend| backend.info.version.clone()),
            answer: standing.key(),
            passes: standing <= Standing::Tolerated && !standing.is_wrong(),
            words: standing.words(),
            reason: record.reason.clone(),
            remarks: remarks(&record.outputs),
            digits: digits.filter(|digits| digits.is_finite()),
            samples: samples(record).map(counts),
            load_ns: record.load_ns,
            run_ns: record.run_ns,
            peak_bytes: record.peak_bytes,
        }
    }
}
