//! Strings, and losses by class.

use super::elementwise::same;
use super::{Row, row};
use crate::call::{Call, one};
use crate::fact::Fact;
use crate::finding::{Outcome, Stop, parameter};

pub(super) const ROWS: &[Row] = &[
    row("RegexFullMatch", 20, same),
    row("StringConcat", 20, |call| {
        let shapes = [call.shape(0)?, call.shape(1)?];
        one(call.broadcast(&shapes)?)
    }),
    row("StringNormalizer", 10, normalizer),
    row("StringSplit", 20, |call| {
        let shape = call.shape(0)?;
        let parts = [shape.clone(), vec![call.unknown()]].concat();
        Ok(vec![Fact::of(parts), Fact::of(shape)])
    }),
    row("TfIdfVectorizer", 9, ngrams),
    row("NegativeLogLikelihoodLoss", 12, loss),
    row("SoftmaxCrossEntropyLoss", 12, |call| {
        let loss = loss(call)?;
        let scores = call.shape(0)?;
        Ok(loss.into_iter().chain([Fact::of(scores)]).collect())
    }),
];

/// The strings that remain, at least one.
fn normalizer(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let rest = call.state.symbols.unknown(1, i64::MAX);
    match shape.as_slice() {
        [_] => one(vec![rest]),
        [first, _] => {
            call.equal(first, &1.into(), "first extent and 1,")?;
            one(vec![1.into(), rest])
        }
        _ => call.wrong_rank(0, shape.len(), "1 or 2"),
    }
}

/// As many counts as the greatest coordinate says.
fn ngrams(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut shape = call.shape(0)?;
    let indexes = call.ints("ngram_indexes").ok_or(Stop::Unknown)?;
    let width = match indexes.iter().max() {
        Some(last) => last.saturating_add(1),
        None => 0,
    };
    match shape.len() {
        1 | 2 => {}
        rank => return call.wrong_rank(0, rank, "1 or 2"),
    }
    if let Some(last) = shape.last_mut() {
        *last = width.into();
    }
    one(shape)
}

/// The loss of each class, or their sum or mean.
fn loss(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let scores = call.at_least_rank(0, 2)?;
    let labels = match call.shape(1) {
        Ok(labels) => {
            let expected = [&scores[..1], &scores[2..]].concat();
            call.same_shape(
                &labels,
                &expected,
                "extents of the labels and of the scores without classes,",
            )?
        }
        Err(_) => [&scores[..1], &scores[2..]].concat(),
    };
    if call.rank(2).is_some() {
        let [weights] = call.ranked::<1>(2)?;
        call.equal(&weights, &scores[1], "number of weights and classes")?;
    }
    call.drawn_within(1, &0.into(), &scores[1]);
    match call.text("reduction").as_deref() {
        Some("none") => one(labels),
        Some("sum" | "mean") | None => one(Vec::new()),
        Some(other) => parameter(format!("`reduction` is `{other}`")),
    }
}
