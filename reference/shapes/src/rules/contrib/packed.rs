//! Sequences of different lengths whose tokens are packed without padding.

use super::super::windows::positive;
use super::super::{Row, row};
use super::attention::widths;
use super::vector;
use crate::call::{Call, one};
use crate::extent::Expr;
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, Stop, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("GatedDeltaNet", 1, gated_delta_net),
    row("PackedAttention", 1, |call| {
        let ([tokens, width], [rows, columns]) = (call.ranked::<2>(0)?, call.ranked::<2>(1)?);
        call.equal(&width, &rows, "inner extents")?;
        vector(
            call,
            2,
            &columns,
            "elements of the bias and columns of the weights,",
        )?;
        let [_, _, values] = widths(call, &columns)?;
        let heads: Expr = positive(call, "num_heads")?.into();
        call.multiple(&values, &heads, "the width of all heads")?;
        one(vec![tokens, values])
    }),
    row("PackedMultiHeadAttention", 1, |call| {
        if call.given(1) {
            let ([tokens, _], [_, values]) = (call.ranked::<2>(0)?, call.ranked::<2>(2)?);
            return one(vec![tokens, values]);
        }
        let [tokens, heads, _, size] = call.ranked::<4>(0)?;
        let width = call.mul(&heads, &size);
        one(vec![tokens, width])
    }),
    row("RemovePadding", 1, |call| {
        let [batch, length, width] = call.ranked::<3>(0)?;
        let all = call.mul(&batch, &length);
        let tokens = call.up_to(&all);
        let bounds = call.add(&batch, &1.into());
        let shapes = [
            vec![tokens, width],
            vec![batch, length],
            vec![bounds],
            vec![1.into()],
        ];
        Ok(shapes.map(Fact::of).to_vec())
    }),
    row("RestorePadding", 1, |call| {
        let ([_, width], [batch, length]) = (call.ranked::<2>(0)?, call.ranked::<2>(1)?);
        one(vec![batch, length, width])
    }),
];

/// The values that each token reads, by heads, and the states behind each sequence.
fn gated_delta_net(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let query = call.at_least_rank(0, 1)?;
    let given = known(call.ranked::<4>(6))?;
    let (leading, heads, values, size): (Shape, Expr, Expr, Expr) = if call.given(1) {
        if query.len() != 3 && query.len() != 4 {
            return call.wrong_rank(0, query.len(), "3 or 4");
        }
        let leading = query.len() - 2;
        if let Some(key) = known(call.at_least_rank(1, 3))? {
            // Tokens may have one axis in one and two in another.
            let last = [key.len() - 2, leading].map(|at| at..at + 2);
            let [of_key, of_query] = last;
            call.same_shape(
                &query[of_query],
                &key[of_key],
                "heads and sizes of query and key,",
            )?;
        }
        let value = call.at_least_rank(2, 3)?;
        let [heads, values] = [2, 1].map(|end| value[value.len() - end].clone());
        call.multiple(&heads, &query[leading], "heads of the values")?;
        (
            query[..leading].to_vec(),
            heads,
            values,
            query[leading + 1].clone(),
        )
    } else {
        let [_, heads, values, size] = given.clone().ok_or(Stop::Unknown)?;
        (query[..query.len() - 1].to_vec(), heads, values, size)
    };
    let sequences = match (known(call.length(3))?, &given) {
        (_, Some([sequences, ..])) => sequences.clone(),
        (Some(bounds), None) => call.sub(&bounds, &1.into()),
        (None, None) if call.given(3) || call.given(6) => call.unknown(),
        (None, None) if leading.len() == 2 => leading[0].clone(),
        (None, None) => return parameter("uniform packing requires `initial_state`"),
    };
    let state = vec![sequences, heads.clone(), values.clone(), size];
    if let Some(given) = given {
        call.same_shape(&given, &state, "extents of the initial state")?;
    }
    let result = [leading, vec![heads, values]].concat();
    Ok(vec![Fact::of(result), Fact::of(state)])
}
