//! TfIdfVectorizer.

use std::hash::Hash;

use onnx_tensor::{DType, Tensor};

use super::super::call::{count, one};
use super::super::numbers::slice;
use super::super::{Call, Outcome, Row, row};
use super::ngrams::Grams;
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::Shapes::First;
use crate::size::has_room;

pub const ROWS: &[Row] = &[row(
    "TfIdfVectorizer",
    9,
    First(|known| known.ngrams()),
    vectorize,
)];

/// Where the counts of n-grams go, and what becomes of them.
struct Scores {
    /// The coordinate of each n-gram of the pool.
    coordinates: Vec<usize>,
    /// The number of coordinates.
    width: usize,
    /// Whether a count is at most 1.
    is_binary: bool,
    /// The factor of each coordinate, if counts are scaled.
    weights: Option<Vec<f32>>,
}

fn vectorize(call: &Call) -> Outcome {
    let x = call.tensor(0)?;
    if !matches!(x.rank(), 1 | 2) {
        return invalid(format!("expected X of shape [C] or [N, C], got {:?}", x.shape()));
    }
    let scores = Scores::read(call)?;
    let attributes = call.attributes;
    let values = match (
        x.dtype(),
        attributes.texts("pool_strings")?,
        attributes.ints("pool_int64s")?,
    ) {
        (DType::String, Some(pool), None) => rows(call, &scores, slice::<String>(x)?, &pool)?,
        (DType::Int64 | DType::Int32, None, Some(pool)) => rows(call, &scores, &call.ints(0)?, pool)?,
        _ => return invalid("expected `pool_strings` for strings, or `pool_int64s` for integers"),
    };
    let mut shape = x.shape().to_vec();
    shape[x.rank() - 1] = scores.width;
    one(Tensor::new(&shape, values)?)
}

fn rows<T: Hash + Eq>(call: &Call, scores: &Scores, tokens: &[T], pool: &[T]) -> Result<Vec<f32>, Problem> {
    let grams = Grams::read(call.attributes)?;
    let starts = call.attributes.ints("ngram_counts")?.unwrap_or(&[]);
    let pool = grams.pool(pool, starts, &scores.coordinates)?;
    let (rows, columns) = match *call.tensor(0)?.shape() {
        [rows, columns] => (rows, columns),
        _ => (1, tokens.len()),
    };
    has_room(count(&[rows, scores.width])?)?;
    let mut values = Vec::with_capacity(rows * scores.width);
    for row in 0..rows {
        let mut counts = vec![0; scores.width];
        grams.count(&pool, &tokens[row * columns..][..columns], &mut counts);
        values.extend(counts.iter().enumerate().map(|(at, &count)| scores.of(at, count)));
    }
    Ok(values)
}

impl Scores {
    fn read(call: &Call) -> Result<Scores, Problem> {
        let coordinate = |&index: &i64| match usize::try_from(index) {
            Ok(index) => Ok(index),
            Err(_) => invalid(format!(
                "attribute `ngram_indexes` has the negative element {index}"
            )),
        };
        let indexes = call.attributes.ints("ngram_indexes")?.unwrap_or(&[]);
        let coordinates: Vec<usize> = indexes.iter().map(coordinate).collect::<Result<_, _>>()?;
        let width = coordinates.iter().max().map_or(0, |last| last.saturating_add(1));
        has_room(count(&[width])?)?;
        let (is_binary, is_weighted) = match call.attributes.text("mode")? {
            "TF" => (false, false),
            "IDF" => (true, true),
            "TFIDF" => (false, true),
            other => {
                return invalid(format!(
                    "attribute `mode` is `{other}`, expected TF, IDF or TFIDF"
                ));
            }
        };
        let given = call.attributes.floats("weights")?;
        if given.is_some_and(|weights| weights.len() != coordinates.len()) {
            return invalid("expected as many `weights` as `ngram_indexes`");
        }
        let ones = vec![1.0; coordinates.len()];
        let weights = if is_weighted {
            Some(spread(given.unwrap_or(&ones), &coordinates, width)?)
        } else {
            None
        };
        Ok(Scores {
            weights,
            coordinates,
            width,
            is_binary,
        })
    }

    /// Returns the score of a count at a coordinate, rounded once.
    fn of(&self, coordinate: usize, count: u64) -> f32 {
        let count = if self.is_binary { count.min(1) } else { count };
        match &self.weights {
            Some(weights) => (count as f64 * f64::from(weights[coordinate])) as f32,
            None => count as f32,
        }
    }
}

/// Returns the weight of each coordinate from the weight of each n-gram.
fn spread(given: &[f32], coordinates: &[usize], width: usize) -> Result<Vec<f32>, Problem> {
    let mut weights: Vec<Option<f32>> = vec![None; width];
    for (&weight, &coordinate) in given.iter().zip(coordinates) {
        if weights[coordinate].replace(weight).is_some() {
            return unsupported("weights of several n-grams with one coordinate are not implemented");
        }
    }
    // No n-gram has such a coordinate: its count is 0.
    Ok(weights.into_iter().map(|weight| weight.unwrap_or(1.0)).collect())
}
