//! TfIdfVectorizer — the weighted count of each n-gram of a pool in a sequence.
//!
//! An n-gram of the input consists of n elements with the same number s of skipped elements between
//! neighbours, 0 ≤ s ≤ `max_skip_count`; n = 1 is counted once, because it has no neighbours. Counts are
//! exact; a product with a weight is rounded once. Interpretation: a scalar has no n-grams (the text allows
//! `[C]` and `[N, C]`; ONNX Runtime treats it as one row); a repeated n-gram in the pool is an error (ONNX
//! Runtime); if several n-grams share a coordinate, their counts are added; with IDF and TFIDF, where text
//! and implementations differ, that is undefined.

use std::hash::Hash;

use onnx_tensor::{DType, Tensor};

use super::ngrams::{Lengths, NgramIndex};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("TfIdfVectorizer", &[v(9, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let (rows, columns) = match *x.shape() {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        ref shape => {
            return Err(OpError::invalid(format!(
                "input `X` must have the shape [C] or [N, C], got {shape:?}"
            )));
        }
    };
    let (numbers, texts) = (
        call.optional_ints("pool_int64s")?,
        call.optional_strings("pool_strings")?,
    );
    let output = Output::read(call)?;
    call.reserve(&[rows, output.width], DType::Float)?;
    let y = match (x, numbers, texts) {
        (Tensor::String(x), None, Some(pool)) => {
            let tokens: Vec<&str> = x.iter().map(String::as_str).collect();
            vectorize(call, &output, &pool, &tokens, columns)?
        }
        (Tensor::Int32(_) | Tensor::Int64(_), Some(pool), None) => {
            vectorize(call, &output, &pool, &call.integers(0)?, columns)?
        }
        _ => {
            return Err(OpError::invalid(
                "exactly one of `pool_strings` (for strings) and `pool_int64s` (for integers) must be set",
            ));
        }
    };
    let shape = if x.rank() == 1 {
        vec![output.width]
    } else {
        vec![rows, output.width]
    };
    // Without columns there are no rows to chunk: every count is zero.
    let y = if columns == 0 {
        vec![0.0; rows * output.width]
    } else {
        y
    };
    one(Tensor::new(&shape, y)?)
}

/// The coordinates of the counts and their weights.
struct Output {
    /// The coordinate of each n-gram of the pool.
    coordinates: Vec<usize>,
    /// The weight of each coordinate.
    weights: Vec<f32>,
    /// Whether counts above 1 are clipped to 1.
    cut: bool,
    width: usize,
}

impl Output {
    fn read(call: &Call<'_>) -> Result<Output, OpError> {
        let at = |&index: &i64| {
            usize::try_from(index).map_err(|_| OpError::invalid(format!("`ngram_indexes` has {index}")))
        };
        let coordinates: Vec<usize> = call
            .ints("ngram_indexes")?
            .iter()
            .map(at)
            .collect::<Result<_, _>>()?;
        let width = coordinates
            .iter()
            .max()
            .map_or(Some(0), |greatest| greatest.checked_add(1));
        let width = width.ok_or_else(|| OpError::invalid("`ngram_indexes` is too large"))?;
        call.reserve(&[width], DType::Float)?;
        let given = call.optional_floats("weights")?;
        if given
            .as_ref()
            .is_some_and(|weights| weights.len() != coordinates.len())
        {
            return Err(OpError::invalid(
                "`weights` must have the same length as `ngram_indexes`",
            ));
        }
        let (cut, weighted) = match call.string("mode")? {
            "TF" => (false, false),
            "IDF" => (true, true),
            "TFIDF" => (false, true),
            other => {
                return Err(OpError::invalid(format!(
                    "attribute `mode` is {other}, expected TF, IDF or TFIDF"
                )));
            }
        };
        let mut weights = vec![1.0; width];
        let mut used = vec![false; width];
        for (entry, &at) in coordinates.iter().enumerate().filter(|_| weighted) {
            if std::mem::replace(&mut used[at], true) {
                return Err(OpError::undefined(format!(
                    "the weights of several n-grams at coordinate {at}"
                )));
            }
            weights[at] = given.as_ref().map_or(1.0, |given| given[entry]);
        }
        Ok(Output {
            coordinates,
            weights,
            cut,
            width,
        })
    }

    fn score(&self, coordinate: usize, count: u64) -> f32 {
        let count = if self.cut { count.min(1) } else { count };
        (count as f64 * f64::from(self.weights[coordinate])) as f32
    }
}

fn vectorize<'a, T: Hash + Eq>(
    call: &Call<'_>,
    output: &Output,
    pool: &'a [T],
    tokens: &'a [T],
    columns: usize,
) -> Result<Vec<f32>, OpError> {
    let lengths = Lengths::read(call, pool.len())?;
    call.work(&[tokens.len(), lengths.reads(columns)])?;
    let grams = NgramIndex::new(lengths, pool, &output.coordinates)?;
    let mut y = Vec::new();
    for row in tokens.chunks_exact(columns.max(1)) {
        let mut counts = vec![0_u64; output.width];
        grams.count(row, &mut counts);
        y.extend(
            counts
                .iter()
                .enumerate()
                .map(|(at, &count)| output.score(at, count)),
        );
    }
    Ok(y)
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use onnx_model::Attribute;
    use onnx_tensor::Tensor;

    use crate::frame::testing::{OpVersion, attribute, check, refused, strings};

    const OP: OpVersion = ("", "TfIdfVectorizer", 9);

    /// The pool 2, 3, 5 and (2, 3), with the coordinates 4, 0, 1 and 2.
    fn pool(mode: &str, more: &[Attribute]) -> Vec<Attribute> {
        let mut attributes = vec![
            attribute("mode", mode),
            attribute("max_skip_count", 0),
            attribute("min_gram_length", 1),
            attribute("max_gram_length", 2),
            attribute("ngram_counts", [0, 3]),
            attribute("ngram_indexes", [4, 0, 1, 2]),
            attribute("pool_int64s", [2, 3, 5, 2, 3]),
        ];
        for new in more {
            attributes.retain(|held| held.name != new.name);
            attributes.push(new.clone());
        }
        attributes
    }

    /// ONNX Runtime 1.31.1 returns the same.
    #[test]
    fn modes_and_skips() {
        let x = || Tensor::vector(vec![2_i64, 3, 2, 3, 5, 2]).into();
        let y = |values: [f32; 5]| [Tensor::vector(values.to_vec()).into()];
        let weights = attribute("weights", [10.0, 20.0, 30.0, 40.0]);
        check(OP, &[x()], &pool("TF", &[]), &y([2.0, 1.0, 2.0, 0.0, 3.0]));
        check(
            OP,
            &[x()],
            &pool("IDF", from_ref(&weights)),
            &y([20.0, 30.0, 40.0, 0.0, 10.0]),
        );
        check(
            OP,
            &[x()],
            &pool("TFIDF", from_ref(&weights)),
            &y([40.0, 30.0, 80.0, 0.0, 30.0]),
        );
        let skips = attribute("max_skip_count", 3);
        check(
            OP,
            &[x()],
            &pool("TF", from_ref(&skips)),
            &y([2.0, 1.0, 3.0, 0.0, 3.0]),
        );
        let longer = [skips, attribute("min_gram_length", 2)];
        check(OP, &[x()], &pool("TF", &longer), &y([0.0, 0.0, 3.0, 0.0, 0.0]));
        let shared = attribute("ngram_indexes", [0, 0, 1, 1]);
        check(
            OP,
            &[x()],
            &pool("TF", from_ref(&shared)),
            &[Tensor::vector(vec![5.0_f32, 3.0]).into()],
        );
        refused(OP, &[x()], &pool("IDF", &[shared]), "several n-grams");
        refused(
            OP,
            &[x()],
            &pool("TF", &[attribute("pool_int64s", [2, 3, 2, 2, 3])]),
            "repeated",
        );
        refused(
            OP,
            &[x()],
            &pool("TF", &[attribute("ngram_counts", [0, 2])]),
            "whole n-grams",
        );
        refused(
            OP,
            &[x()],
            &pool("TF", &[attribute("ngram_counts", [0])]),
            "`ngram_counts`",
        );
        refused(
            OP,
            &[x()],
            &pool("TF", &[attribute("ngram_indexes", [0, 1, 2])]),
            "fewer entries",
        );
        refused(
            OP,
            &[x()],
            &pool("TF", &[attribute("ngram_indexes", [0, 1, 2, 1 << 50])]),
            "budget",
        );
        refused(
            OP,
            &[x()],
            &pool("TF", &[attribute("max_skip_count", -1)]),
            "at least 0",
        );
    }

    /// ONNX Runtime 1.31.1 returns the same; a skip count beyond every row must not take time.
    #[test]
    fn strings_and_empty_rows() {
        let words = [
            attribute("mode", "TF"),
            attribute("max_skip_count", i64::MAX),
            attribute("min_gram_length", 2),
            attribute("max_gram_length", 2),
            attribute("ngram_counts", [0, 2]),
            attribute("ngram_indexes", [0, 1, 2, 3]),
            attribute("pool_strings", ["a", "b", "a", "b", "a", "a"]),
        ];
        let y = Tensor::vector(vec![0.0_f32, 0.0, 1.0, 1.0]);
        check(OP, &[strings(&["a", "b", "a"]).into()], &words, &[y.into()]);
        let empty = Tensor::new::<i64>(&[2, 0], Vec::new()).unwrap();
        let zeros = Tensor::new(&[2, 5], vec![0.0_f32; 10]).unwrap();
        check(OP, &[empty.into()], &pool("TF", &[]), &[zeros.into()]);
    }
}
