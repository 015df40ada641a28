//! Elements chosen by an index with several right answers: those of all of them.
//!
//! In Gather, GatherElements and OneHot each element of the result depends on one index. So the operator runs
//! once with the first answer of every index, once with the second, and so on; an element may be any of the
//! results, each within the error of the element that it was moved from.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;
use onnx_tensor::{Array, Tensor};

use super::exact::is_moved;
use crate::query::reals;
use crate::{Query, Radius, Sets, Span};

/// The greatest number of answers of an index that are tried.
const MOST: usize = 64;

/// The radius of the first output if input `index`, an index, has an error; `None` if its answers are not
/// listed, or one of them is no index.
pub(super) fn indexed(query: &Query<'_>, index: usize) -> Result<Option<Vec<Radius>>, OpError> {
    let one_index = matches!(query.call.schema().name, "Gather" | "GatherElements" | "OneHot");
    let others = (0..query.errors.len()).filter(|at| *at != index && !is_moved(query, *at));
    let certain = others.into_iter().all(|at| query.errors[at].is_exact());
    let Some((answers, count)) = answers(query, index).filter(|_| one_index && certain) else {
        return Ok(None);
    };
    let center = query.output(0).and_then(reals).map(Array::into_owned);
    let Some(center) = center else { return Ok(None) };
    let mut found: Vec<Vec<Span>> = vec![Vec::new(); center.len()];
    for turn in 0..count {
        let pick = |list: &Vec<i64>| list[turn.min(list.len() - 1)];
        let chosen: Vec<i64> = answers.iter().map(pick).collect();
        let Some((values, errors)) = moved(query, index, &chosen) else {
            return Ok(None);
        };
        for (spans, (value, error)) in found.iter_mut().zip(values.iter().zip(&errors)) {
            let span = Span {
                low: value - error,
                high: value + error,
            };
            if !spans.contains(&span) {
                spans.push(span);
            }
        }
    }
    let mut sets = Sets::default();
    let mut radius = ArrayD::zeros(center.raw_dim());
    for (place, (spans, (center, radius))) in
        found.into_iter().zip(center.iter().zip(&mut radius)).enumerate()
    {
        match &spans[..] {
            [one] => *radius = (one.high - center).max(center - one.low),
            _ => sets.insert(place, spans),
        }
    }
    Ok(Some(vec![Radius::among(
        &center,
        &radius,
        sets,
        "elements that the index may name",
    )]))
}

/// The right answers of each element of an index, and the greatest number of them.
fn answers(query: &Query<'_>, index: usize) -> Option<(Vec<Vec<i64>>, usize)> {
    let (values, errors) = query.input(index).zip(query.error(index))?;
    let sets = query.errors.get(index)?.sets();
    let mut all = Vec::with_capacity(values.len());
    for (place, (value, error)) in values.iter().zip(&errors).enumerate() {
        let spans = sets.get(place);
        let single =
            |span: &Span| (span.low == span.high && span.low.fract() == 0.0).then_some(span.low as i64);
        all.push(match spans {
            Some(spans) => spans.iter().map(single).collect::<Option<Vec<i64>>>()?,
            None if *error == 0.0 => vec![*value as i64],
            None => return None,
        });
    }
    let count = all.iter().map(Vec::len).max().unwrap_or(0);
    let any_empty = all.iter().any(Vec::is_empty);
    (count > 0 && count <= MOST && !any_empty).then_some((all, count))
}

/// The elements for these indices, and their errors; `None` if one is no index.
fn moved(query: &Query<'_>, index: usize, chosen: &[i64]) -> Option<(ArrayD<f64>, ArrayD<f64>)> {
    let indices = |tensor: &Tensor| match tensor {
        Tensor::Int32(_) => {
            let narrow = chosen
                .iter()
                .map(|at| i32::try_from(*at))
                .collect::<Result<Vec<i32>, _>>();
            Tensor::new(tensor.shape(), narrow.ok()?).ok()
        }
        Tensor::Int64(_) => Tensor::new(tensor.shape(), chosen.to_vec()).ok(),
        _ => None,
    };
    let known = query.call.optional(index)?.as_tensor().and_then(indices);
    known?;
    let run = |errors: bool| {
        let attributes = query.call.given_attributes();
        let outputs = query.evaluate_with(attributes, |at, tensor| {
            if at == index {
                return indices(tensor);
            }
            let moves = is_moved(query, at);
            let replaced = if errors { query.error(at) } else { reals(tensor) };
            moves.then_some(replaced).flatten().map(Tensor::from)
        });
        let first = outputs.ok()?.into_iter().next().flatten();
        first.as_ref().and_then(reals).map(Array::into_owned)
    };
    Some((run(false)?, run(true)?))
}
