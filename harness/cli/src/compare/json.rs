//! The document of `compare --format json`.

use run_record::standing::{SampleCounts, Standing, remarks, samples, worst};
use run_record::{CaseId, CaseRecord, Report};
use schemars::JsonSchema;
use serde::Serialize;

use super::Prepared;
use super::against::Against;
use super::table::{measured, origin};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// The answers to all models. Fields are never removed; new ones may be added.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    models: Vec<Answers<'a>>,
    /// The answers of the second of two models, judged by the outputs and the noise of the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<Against>,
    /// What explains wrong answers: the node, the witnesses, the nodes at which two models part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explanations: Vec<String>,
}

/// The answers to one model.
#[derive(Serialize, JsonSchema)]
struct Answers<'a> {
    model: &'a str,
    /// The source of the expected outputs.
    truth: String,
    /// The outputs whose noise is known.
    outputs: Vec<Output<'a>>,
    answers: Vec<Answer<'a>>,
}

/// The noise of an output of a model.
#[derive(Serialize, JsonSchema)]
struct Output<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    dtype: String,
    shape: &'a [u64],
    /// The number of significant decimal digits, the median over the elements; null if no element is a finite number
    /// other than 0.
    digits: Option<f64>,
    /// The minimum of the same.
    least_digits: Option<f64>,
    /// The number of runs with random rounding.
    runs: u32,
}

/// The answer of a backend.
#[derive(Serialize, JsonSchema)]
struct Answer<'a> {
    backend: &'a str,
    version: &'a str,
    /// `exact`, `within_noise`, a class of arithmetic (`rounded`, `approximated`, `wide`, `narrow`, `reduced`),
    /// `within_tolerance`, `cannot_be_judged`, `wrong`, `unsupported`, `failed` or `not_run`.
    answer: &'static str,
    /// Whether it passes: it is right, also if less accurate.
    passes: bool,
    /// The answer in words.
    words: &'static str,
    reason: &'a str,
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

impl<'a> Document<'a> {
    pub(super) fn new(
        report: &'a Report,
        prepared: &'a [Prepared],
        against: Vec<Against>,
        explanations: Vec<String>,
    ) -> Document<'a> {
        let of_model = |model: &'a Prepared| {
            let name = model.subject.name.as_str();
            let records = report.cases.iter();
            let records: Vec<&CaseRecord> = records
                .filter(|record| CaseId::parse(&record.case).name == name)
                .collect();
            let answer = |record: &&'a CaseRecord| Answer::new(record, report);
            Answers {
                model: name,
                truth: origin(&model.truth),
                outputs: outputs(&records),
                answers: records.iter().map(answer).collect(),
            }
        };
        Document {
            version: FORMAT,
            models: prepared.iter().map(of_model).collect(),
            against,
            explanations,
        }
    }
}

fn outputs<'a>(records: &[&'a CaseRecord]) -> Vec<Output<'a>> {
    let known = |digits: f64| Some(digits).filter(|digits| digits.is_finite());
    let measured = measured(records).into_iter();
    measured
        .map(|(output, noise)| Output {
            name: &output.name,
            dtype: output.dtype.to_string(),
            shape: &output.shape,
            digits: known(noise.floor.digits),
            least_digits: known(noise.floor.least_digits),
            runs: noise.floor.runs,
        })
        .collect()
}

impl<'a> Answer<'a> {
    fn new(record: &'a CaseRecord, report: &'a Report) -> Answer<'a> {
        let standing = Standing::of(record);
        let digits = worst(&record.outputs).map(|(_, noise)| noise.deviation.digits);
        let counts = |SampleCounts { run, right, .. }| Samples { run, right };
        Answer {
            backend: &record.backend,
            version: report
                .backend(&record.backend)
                .map_or("", |backend| &backend.info.version),
            answer: standing.key(),
            passes: standing <= Standing::Tolerated && !standing.is_wrong(),
            words: standing.words(),
            reason: &record.reason,
            remarks: remarks(&record.outputs),
            digits: digits.filter(|digits| digits.is_finite()),
            samples: samples(record).map(counts),
            load_ns: record.load_ns,
            run_ns: record.run_ns,
            peak_bytes: record.peak_bytes,
        }
    }
}
