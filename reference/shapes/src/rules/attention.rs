//! Attention and what belongs to it.

use super::windows::positive;
use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::{Compared, Expr};
use crate::fact::Fact;
use crate::finding::{Outcome, Stop, conflict, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("Attention", 23, attention),
    row("RotaryEmbedding", 23, rotary_embedding),
    row("LinearAttention", 27, linear_attention),
];

pub(super) const PREVIEW: &[Row] = &[row("FlexAttention", 1, flex_attention)];

/// An operand as batch, heads, tokens and size of a head. With three axes, the last one has the heads.
fn with_heads(call: &mut Call<'_, '_>, at: usize, attribute: &str) -> Outcome<[Expr; 4]> {
    match call.rank(at).ok_or(Stop::Unknown)? {
        4 => {
            let extents = call.ranked::<4>(at)?;
            if let Some(heads) = call.attribute(attribute).and_then(|_| call.int(attribute)) {
                call.equal(&extents[1], &heads.into(), "heads")?;
            }
            Ok(extents)
        }
        3 => {
            let [batch, tokens, hidden] = call.ranked::<3>(at)?;
            if call.attribute(attribute).is_none() {
                return parameter(format!(
                    "`{}` has rank 3, which needs `{attribute}`",
                    call.formal(at)
                ));
            }
            let heads: Expr = positive(call, attribute)?.into();
            let size = call.multiple(&hidden, &heads, "the width of all heads")?;
            Ok([batch, heads, tokens, size])
        }
        rank => call.wrong_rank(at, rank, "3 or 4"),
    }
}

/// Query, key and value agree in batch, heads, tokens and size.
fn agreeing(call: &mut Call<'_, '_>, [q, k, v]: [&[Expr; 4]; 3]) -> Outcome<()> {
    call.equal(&q[0], &k[0], "batches of query and key")?;
    call.equal(&k[0], &v[0], "batches of key and value")?;
    call.equal(&k[1], &v[1], "heads of key and value")?;
    call.equal(&k[2], &v[2], "tokens of key and value")?;
    call.equal(&q[3], &k[3], "sizes of the heads of query and key")?;
    call.multiple(&q[1], &k[1], "heads of the query")?;
    Ok(())
}

fn attention(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let q = with_heads(call, 0, "q_num_heads")?;
    let k = with_heads(call, 1, "kv_num_heads")?;
    let v = with_heads(call, 2, "kv_num_heads")?;
    agreeing(call, [&q, &k, &v])?;
    let mut present = Vec::with_capacity(2);
    for (new, past) in [(&k, 4), (&v, 5)] {
        let tokens = if call.given(past) {
            match call.ranked::<4>(past) {
                Ok([batch, heads, tokens, size]) => {
                    call.equal(&batch, &new[0], "batches of past and present")?;
                    call.equal(&heads, &new[1], "heads of past and present")?;
                    call.equal(&size, &new[3], "sizes of the heads of past and present")?;
                    call.add(&tokens, &new[2])
                }
                Err(stop @ Stop::Broken(..)) => return Err(stop),
                Err(Stop::Unknown) => call.unknown(),
            }
        } else {
            new[2].clone()
        };
        present.push(vec![new[0].clone(), new[1].clone(), tokens, new[3].clone()]);
    }
    let scores = vec![q[0].clone(), q[1].clone(), q[2].clone(), present[0][2].clone()];
    mask(call, &scores)?;
    let result = match call.rank(0) {
        Some(3) => {
            let hidden = call.mul(&q[1], &v[3]);
            vec![q[0].clone(), q[2].clone(), hidden]
        }
        _ => vec![q[0].clone(), q[1].clone(), q[2].clone(), v[3].clone()],
    };
    let [key, value] = <[_; 2]>::try_from(present).unwrap_or_default();
    Ok(vec![
        Fact::of(result),
        Fact::of(key),
        Fact::of(value),
        Fact::of(scores),
    ])
}

/// The mask broadcasts to the scores; from version 24 on it may have fewer keys.
fn mask(call: &mut Call<'_, '_>, scores: &[Expr]) -> Outcome<()> {
    match known(call.at_least_rank(3, 1))? {
        Some(mask) if call.since >= 24 && mask.len() <= scores.len() => {
            let last = scores.len() - 1;
            call.broadcast_to(&scores[..last], &mask[..mask.len() - 1])
        }
        Some(mask) => call.broadcast_to(scores, &mask),
        None => Ok(()),
    }
}

fn flex_attention(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let (q, k, v) = (call.ranked::<4>(0)?, call.ranked::<4>(1)?, call.ranked::<4>(2)?);
    agreeing(call, [&q, &k, &v])?;
    let ([batch, heads, tokens, _], [.., size]) = (q, v);
    one(vec![batch, heads, tokens, size])
}

fn rotary_embedding(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.shape(0)?;
    let [batch, _, tokens, size] = with_heads(call, 0, "num_heads")?;
    let rotated = match call.int("rotary_embedding_dim") {
        None | Some(0) => size,
        Some(rotated) => {
            call.at_least(&size, &rotated.into(), "the size of a head")?;
            rotated.into()
        }
    };
    let half = call.multiple(&rotated, &2.into(), "elements that rotate in pairs")?;
    for at in [1, 2] {
        let Ok(cache) = call.shape(at) else { continue };
        let expected = if call.given(3) { 2 } else { 3 };
        if cache.len() != expected {
            return call.wrong_rank(at, cache.len(), &expected.to_string());
        }
        call.equal(
            &cache[expected - 1],
            &half,
            "columns of a cache and pairs of a head,",
        )?;
        if call.given(3) {
            call.indices(3, &0.into(), &cache[0])?
        } else {
            call.equal(&cache[0], &batch, "batches of a cache and of the input,")?;
            call.equal(&cache[1], &tokens, "rows of a cache and tokens,")?;
        }
    }
    if call.rank(3).is_some() {
        positions(call, 3, [batch, tokens])?;
    }
    one(x)
}

/// An input has a position for each token.
pub(super) fn positions(call: &mut Call<'_, '_>, at: usize, tokens: [Expr; 2]) -> Outcome<()> {
    let positions = call.ranked::<2>(at)?;
    call.same_shape(&positions, &tokens, "extents of the positions and of the input,")?;
    Ok(())
}

/// The state is a matrix of keys and values for each key head.
pub(super) fn linear_attention(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    for at in 0..3 {
        call.ranked::<3>(at)?;
    }
    let needed: &[&str] = match call.text("update_rule").as_deref() {
        Some("gated") => &["decay"],
        Some("delta") => &["beta"],
        Some("gated_delta") => &["decay", "beta"],
        _ => &[],
    };
    let place = |name: &str| call.schema.inputs.iter().position(|formal| formal.name == name);
    let missing = |name: &&&str| place(name).is_some_and(|at| !call.given(at));
    if let Some(name) = needed.iter().find(missing) {
        return parameter(format!("`update_rule` needs `{name}`, which is not given"));
    }
    let q = with_heads(call, 0, "q_num_heads")?;
    let k = with_heads(call, 1, "kv_num_heads")?;
    let v = with_heads(call, 2, "kv_num_heads")?;
    agreeing(call, [&q, &k, &v])?;
    call.equal(&q[2], &k[2], "tokens of query and key")?;
    let state = vec![k[0].clone(), k[1].clone(), k[3].clone(), v[3].clone()];
    if let Ok(past) = call.shape(3) {
        call.same_shape(&past, &state, "extents of the past and of the state,")?;
    }
    let keys = call.mul(&k[1], &k[3]);
    rates(call, 4, [&k[0], &k[2]], &[keys, k[1].clone()])?;
    rates(call, 5, [&k[0], &k[2]], &[k[1].clone(), 1.into()])?;
    let hidden = call.mul(&q[1], &v[3]);
    let result = vec![q[0].clone(), q[2].clone(), hidden];
    Ok(vec![Fact::of(result), Fact::of(state)])
}

/// Rates of decay or of learning: one of these widths for each token.
fn rates(call: &mut Call<'_, '_>, at: usize, [batch, tokens]: [&Expr; 2], widths: &[Expr]) -> Outcome<()> {
    let Some([batches, rows, width]) = known(call.ranked::<3>(at))? else {
        return Ok(());
    };
    call.equal(&batches, batch, "batches of the rates and of the keys,")?;
    call.equal(&rows, tokens, "tokens of the rates and of the keys,")?;
    let symbols = &mut call.state.symbols;
    if widths
        .iter()
        .all(|known| symbols.compare(&width, known) == Compared::Different)
    {
        let widths: Vec<String> = widths.iter().map(|width| call.shown(width)).collect();
        let (name, width) = (call.formal(at), call.shown(&width));
        return conflict(format!(
            "`{name}` has the width {width}, expected {}",
            widths.join(" or ")
        ));
    }
    Ok(())
}
