//! Complete models compared with their own noise: the outputs with noise, each with the backends that
//! answered. The page, the table in the terminal and the files for programs are made from this.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::RenderError;
use super::table::{Field, Table};
use run_record::Report;
use run_record::text;
use run_record::{CaseRecord, Deviation, Fit, Noise, NoiseFloor, Overlap, Scores};

/// A model with the noise of its outputs.
#[derive(Serialize, JsonSchema)]
pub struct Model<'a> {
    pub case: &'a str,
    pub outputs: Vec<Output<'a>>,
}

/// An output.
#[derive(Serialize, JsonSchema)]
pub struct Output<'a> {
    pub name: &'a str,
    /// The number of the data set.
    pub data_set: u64,
    pub dtype: &'a str,
    pub shape: &'a [u64],
    pub floor: &'a NoiseFloor,
    pub backends: Vec<Answer<'a>>,
}

/// The result of one backend for an output.
#[derive(Serialize, JsonSchema)]
pub struct Answer<'a> {
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

/// A row of `models.csv`.
struct Row<'a> {
    case: &'a str,
    output: &'a Output<'a>,
    answer: &'a Answer<'a>,
}

impl Row<'_> {
    fn floor(&self, part: fn(&NoiseFloor) -> f64) -> Option<f64> {
        number(part(self.output.floor))
    }

    fn scores<T>(&self, part: impl Fn(&Scores) -> T) -> Option<T> {
        self.answer.scores.map(part)
    }

    fn fit(&self, part: fn(&Fit) -> f64) -> Option<f64> {
        self.answer.fit.map(part)
    }
}

fn number(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

/// `models.csv`: one row for each output of a complete model and backend, in the terms of [`Noise`].
/// Only a header if noise was not measured.
pub fn models_csv(report: &Report) -> Result<String, RenderError> {
    let models = models(report);
    let rows = models.iter().flat_map(|model| {
        model.outputs.iter().flat_map(move |output| {
            let answers = output.backends.iter();
            answers.map(move |answer| Row {
                case: model.case,
                output,
                answer,
            })
        })
    });
    Table::of(&fields(), rows).csv()
}

fn fields<'a>() -> Vec<Field<Row<'a>>> {
    vec![
        ("case", |row| row.case.into()),
        ("output", |row| row.output.name.into()),
        ("data_set", |row| row.output.data_set.into()),
        ("dtype", |row| row.output.dtype.into()),
        ("shape", |row| text::shape(row.output.shape).into()),
        ("backend", |row| row.answer.backend.into()),
        ("runs", |row| row.output.floor.runs.into()),
        ("elements", |row| row.output.floor.elements.into()),
        ("digits", |row| row.floor(|floor| floor.digits).into()),
        ("least_digits", |row| row.floor(|floor| floor.least_digits).into()),
        ("margin", |row| row.floor(|floor| floor.margin).into()),
        ("sigma", |row| row.floor(|floor| floor.sigma).into()),
        ("largest_sigma", |row| {
            row.floor(|floor| floor.largest_sigma).into()
        }),
        ("reach", |row| row.floor(|floor| floor.reach).into()),
        ("median", |row| number(row.answer.deviation.median).into()),
        ("max", |row| number(row.answer.deviation.max).into()),
        ("at", |row| text::shape(&row.answer.deviation.at).into()),
        ("beyond", |row| row.answer.deviation.beyond.into()),
        ("rows", |row| row.scores(|scores| scores.rows).into()),
        ("classes", |row| row.scores(|scores| scores.classes).into()),
        ("top1", |row| row.scores(|scores| scores.top1).into()),
        ("top5", |row| row.scores(|scores| scores.top5).flatten().into()),
        ("flips_within", |row| {
            row.scores(|scores| scores.flips_within).into()
        }),
        ("flips_beyond", |row| {
            row.scores(|scores| scores.flips_beyond).into()
        }),
        ("score_margin", |row| {
            row.scores(|scores| number(scores.margin)).flatten().into()
        }),
        ("boxes_mean", |row| {
            row.answer.boxes.map(|boxes| boxes.mean).into()
        }),
        ("boxes_least", |row| {
            row.answer.boxes.map(|boxes| boxes.least).into()
        }),
        ("masks_mean", |row| {
            row.answer.masks.map(|masks| masks.mean).into()
        }),
        ("masks_least", |row| {
            row.answer.masks.map(|masks| masks.least).into()
        }),
        ("slope", |row| row.fit(|fit| fit.slope).into()),
        ("slope_error", |row| row.fit(|fit| fit.slope_error).into()),
        ("intercept", |row| row.fit(|fit| fit.intercept).into()),
        ("r_squared", |row| row.fit(|fit| fit.r_squared).into()),
    ]
}
