//! Normalizations.

use onnx_tensor::{DType, ValueType};

use super::super::of;
use super::{Declaration, contrib, int32, only, text};
use crate::families::full;
use crate::{Domain, Draft, Made};

pub(in super::super) const OPERATORS: &[Declaration] = &[
    contrib("EmbedLayerNormalization", embeddings),
    contrib("GatedRMSNorm", |d| {
        text(d, "activation", &["silu", "swish", "sigmoid"]);
        d.scalar("epsilon", &[0.01]);
        let mut shape = full(d, 1, 4);
        let width = 1 + d.draws.below(4);
        let last = shape.len() - 1;
        shape[last] *= width;
        d.input(&shape, Domain::MODERATE)?;
        d.input(&[width], Domain::MODERATE)?;
        d.input(&shape, Domain::MODERATE)?;
        Ok(())
    }),
    contrib("GroupNorm", |d| {
        let (image, channels) = groups(d)?;
        d.input(&image, Domain::MODERATE)?;
        d.input(&[channels], Domain::MODERATE)?;
        d.input(&[channels], Domain::MODERATE)?;
        Ok(())
    }),
    contrib("SkipGroupNorm", |d| {
        let (image, channels) = groups(d)?;
        d.input(&image, Domain::MODERATE)?;
        d.input(&[channels], Domain::MODERATE)?;
        d.input(&[channels], Domain::MODERATE)?;
        let skip = match d.pick("skip", &["whole", "channels"]) {
            "channels" => vec![image[0], channels],
            _ => image,
        };
        d.input(&skip, Domain::MODERATE)?;
        d.optional("bias", &[channels], Domain::MODERATE)?;
        Ok(())
    }),
    contrib("SkipLayerNormalization", |d| skip(d, true)),
    contrib("SkipSimplifiedLayerNormalization", |d| skip(d, false)),
    of("SimplifiedLayerNormalization", |d| {
        only(d, "U", DType::Float)?;
        let shape = full(d, 1, 4);
        d.scalar("epsilon", &[0.01]);
        d.input(&shape, Domain::MODERATE)?;
        d.input(&shape[shape.len() - 1..], Domain::MODERATE)?;
        Ok(())
    }),
];

fn skip(d: &mut Draft, shift: bool) -> Made {
    let shape = full(d, 3, 3);
    d.scalar("epsilon", &[0.01]);
    d.input(&shape, Domain::MODERATE)?;
    let skip = match d.pick("skip", &["whole", "one", "two axes"]) {
        "one" => vec![1, shape[1], shape[2]],
        "two axes" => shape[1..].to_vec(),
        _ => shape.clone(),
    };
    d.input(&skip, Domain::MODERATE)?;
    d.input(&shape[2..], Domain::MODERATE)?;
    if shift {
        d.optional("beta", &shape[2..], Domain::MODERATE)?;
    }
    d.optional("bias", &shape[2..], Domain::MODERATE)?;
    Ok(())
}

/// An image in either layout, and its channels.
fn groups(d: &mut Draft) -> Result<(Vec<usize>, usize), crate::Reject> {
    let (groups, size) = (1 + d.draws.below(3), 1 + d.draws.below(2));
    let (channels, height, width) = (groups * size, 1 + d.draws.below(3), 1 + d.draws.below(3));
    d.int("groups", groups as i64);
    d.scalar("epsilon", &[0.01]);
    let activated = d.pick("activation", &["0", "1"]) == "1";
    d.int("activation", i64::from(activated));
    let first = d.pick("channels_last", &["absent", "0"]) == "0";
    if first {
        d.int("channels_last", 0);
        return Ok((vec![2, channels, height, width], channels));
    }
    Ok((vec![2, height, width, channels], channels))
}

fn embeddings(d: &mut Draft) -> Made {
    let (batch, length, width) = (1 + d.draws.below(2), 1 + d.draws.below(4), 1 + d.draws.below(5));
    let ids = |d: &mut Draft, count: usize, below: usize| -> Vec<usize> {
        (0..count).map(|_| d.draws.below(below)).collect()
    };
    d.scalar("epsilon", &[0.01]);
    let segments = d.whether("segments");
    let words = ids(d, batch * length, 5);
    int32(d, &[batch, length], &words)?;
    if segments {
        let numbers = ids(d, batch * length, 2);
        int32(d, &[batch, length], &numbers)?;
    } else {
        d.skip();
    }
    d.input(&[5, width], Domain::MODERATE)?;
    d.input(&[6, width], Domain::MODERATE)?;
    if segments {
        d.input(&[2, width], Domain::MODERATE)?;
    } else {
        d.skip();
    }
    d.input(&[width], Domain::MODERATE)?;
    d.input(&[width], Domain::MODERATE)?;
    match d.pick("mask", &["absent", "given"]) {
        "given" => {
            let numbers = ids(d, batch * length, 2);
            int32(d, &[batch, length], &numbers)?;
        }
        _ => d.skip(),
    }
    if d.whether("positions") {
        let numbers = ids(d, length, 6);
        int32(d, &[1, length], &numbers)?;
    }
    let count = if d.pick("outputs", &["two", "three"]) == "three" {
        3
    } else {
        2
    };
    let types = (0..count).map(|position| d.output_dtype(position).map(ValueType::tensor));
    let types = types.collect::<Result<Vec<_>, _>>()?;
    d.results(types);
    Ok(())
}
