//! Complete models compared with their own noise: the outputs with noise, each with the backends that
//! answered. The page, the table in the terminal and the files for programs are made from this.

use std::collections::BTreeMap;

use csv::Error;
use serde::Serialize;

use super::RenderError;
use super::csv::{Buffer, table};
use run_record::Report;
use run_record::text;
use run_record::{CaseRecord, Deviation, Fit, Noise, NoiseFloor, Overlap, Scores};

/// A model.
#[derive(Serialize)]
pub(super) struct Model<'a> {
    pub case: &'a str,
    pub outputs: Vec<Output<'a>>,
}

/// One output.
#[derive(Serialize)]
pub(super) struct Output<'a> {
    pub name: &'a str,
    /// The number of the data set.
    pub data_set: u64,
    pub dtype: &'a str,
    pub shape: &'a [u64],
    pub floor: &'a NoiseFloor,
    pub backends: Vec<Answer<'a>>,
}

/// The result of one backend for an output.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    pub backend: &'a str,
    pub deviation: &'a Deviation,
    pub scores: Option<&'a Scores>,
    pub boxes: Option<&'a Overlap>,
    pub masks: Option<&'a Overlap>,
    pub fit: Option<&'a Fit>,
}

/// The models with noise, in the order of the report.
pub(super) fn models(report: &Report) -> Vec<Model<'_>> {
    let mut models: Vec<Model<'_>> = Vec::new();
    for record in &report.cases {
        let outputs = with_noise(record);
        if outputs.is_empty() {
            continue;
        }
        if models.last().is_none_or(|model| model.case != record.case) {
            models.push(Model {
                case: &record.case,
                outputs: Vec::new(),
            });
        }
        if let Some(model) = models.last_mut() {
            add(&mut model.outputs, outputs);
        }
    }
    models
}

/// The outputs of one backend.
fn with_noise(record: &CaseRecord) -> Vec<Output<'_>> {
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    let outputs = record.outputs.iter().filter_map(|output| {
        // Data sets are adjacent, each with outputs of the same names.
        let next = seen.entry(&output.name).or_default();
        let data_set = std::mem::replace(next, *next + 1);
        let noise: &Noise = output.noise.as_deref()?;
        Some(Output {
            name: &output.name,
            data_set,
            dtype: &output.dtype,
            shape: &output.shape,
            floor: &noise.floor,
            backends: vec![Answer {
                backend: &record.backend,
                deviation: &noise.deviation,
                scores: noise.scores.as_ref(),
                boxes: noise.boxes.as_ref(),
                masks: noise.masks.as_ref(),
                fit: noise.fit.as_ref(),
            }],
        })
    });
    outputs.collect()
}

/// Adds the outputs of another backend.
fn add<'a>(known: &mut Vec<Output<'a>>, further: Vec<Output<'a>>) {
    for output in further {
        let same = |known: &&mut Output<'_>| known.name == output.name && known.data_set == output.data_set;
        match known.iter_mut().find(same) {
            Some(known) => known.backends.extend(output.backends),
            None => known.push(output),
        }
    }
}

impl Answer<'_> {
    /// `0.71x, max 3.20x`, with a sign if that is more than noise.
    pub fn words(&self) -> String {
        let Deviation {
            median, max, beyond, ..
        } = self.deviation;
        let sign = if *beyond > 0 { " !" } else { "" };
        format!(
            "{}x, max {}x{sign}",
            text::multiple(*median),
            text::multiple(*max)
        )
    }
}

#[derive(Serialize)]
struct Row<'a> {
    case: &'a str,
    output: &'a str,
    data_set: u64,
    dtype: &'a str,
    shape: String,
    backend: &'a str,
    runs: u32,
    elements: u64,
    digits: Option<f64>,
    least_digits: Option<f64>,
    margin: Option<f64>,
    sigma: Option<f64>,
    largest_sigma: Option<f64>,
    reach: Option<f64>,
    median: Option<f64>,
    max: Option<f64>,
    at: String,
    beyond: u64,
    rows: Option<u64>,
    classes: Option<u64>,
    top1: Option<u64>,
    top5: Option<u64>,
    flips_within: Option<u64>,
    flips_beyond: Option<u64>,
    score_margin: Option<f64>,
    boxes_mean: Option<f64>,
    boxes_least: Option<f64>,
    masks_mean: Option<f64>,
    masks_least: Option<f64>,
    slope: Option<f64>,
    slope_error: Option<f64>,
    intercept: Option<f64>,
    r_squared: Option<f64>,
}

const COLUMNS: [&str; 33] = [
    "case",
    "output",
    "data_set",
    "dtype",
    "shape",
    "backend",
    "runs",
    "elements",
    "digits",
    "least_digits",
    "margin",
    "sigma",
    "largest_sigma",
    "reach",
    "median",
    "max",
    "at",
    "beyond",
    "rows",
    "classes",
    "top1",
    "top5",
    "flips_within",
    "flips_beyond",
    "score_margin",
    "boxes_mean",
    "boxes_least",
    "masks_mean",
    "masks_least",
    "slope",
    "slope_error",
    "intercept",
    "r_squared",
];

/// `models.csv`: one row for each output of a complete model and backend, in the terms of [`Noise`].
/// Only a header if noise was not measured.
pub fn models_csv(report: &Report) -> Result<String, RenderError> {
    table(&COLUMNS, &models(report), |model, writer| {
        for output in &model.outputs {
            for answer in &output.backends {
                row(model.case, output, answer, writer)?;
            }
        }
        Ok(())
    })
}

fn row(case: &str, output: &Output<'_>, answer: &Answer<'_>, writer: &mut Buffer) -> Result<(), Error> {
    let number = |value: f64| (!value.is_nan()).then_some(value);
    let (floor, deviation) = (output.floor, answer.deviation);
    let (scores, fit) = (answer.scores, answer.fit);
    writer.serialize(Row {
        case,
        output: output.name,
        data_set: output.data_set,
        dtype: output.dtype,
        shape: text::shape(output.shape),
        backend: answer.backend,
        runs: floor.runs,
        elements: floor.elements,
        digits: number(floor.digits),
        least_digits: number(floor.least_digits),
        margin: number(floor.margin),
        sigma: number(floor.sigma),
        largest_sigma: number(floor.largest_sigma),
        reach: number(floor.reach),
        median: number(deviation.median),
        max: number(deviation.max),
        at: text::shape(&deviation.at),
        beyond: deviation.beyond,
        rows: scores.map(|scores| scores.rows),
        classes: scores.map(|scores| scores.classes),
        top1: scores.map(|scores| scores.top1),
        top5: scores.and_then(|scores| scores.top5),
        flips_within: scores.map(|scores| scores.flips_within),
        flips_beyond: scores.map(|scores| scores.flips_beyond),
        score_margin: scores.and_then(|scores| number(scores.margin)),
        boxes_mean: answer.boxes.map(|boxes| boxes.mean),
        boxes_least: answer.boxes.map(|boxes| boxes.least),
        masks_mean: answer.masks.map(|masks| masks.mean),
        masks_least: answer.masks.map(|masks| masks.least),
        slope: fit.map(|fit| fit.slope),
        slope_error: fit.map(|fit| fit.slope_error),
        intercept: fit.map(|fit| fit.intercept),
        r_squared: fit.map(|fit| fit.r_squared),
    })
}
