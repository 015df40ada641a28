//! Normalizations.

use super::{Declaration, of};
use crate::families::{axis, full, image};
use crate::{Domain, Draft, Made};

const EPSILONS: [f32; 2] = [0.01, 0.0];

pub(super) const OPERATORS: &[Declaration] = &[
    of("BatchNormalization", batch),
    of("GroupNormalization", group),
    of("InstanceNormalization", |d| {
        d.scalar("epsilon", &[0.01]);
        let channels = 1 + d.draws.below(3);
        let shape = image(d, channels, 1, 3);
        d.input(&shape, Domain::MODERATE)?;
        d.input(&[channels], Domain::MODERATE)?;
        d.input(&[channels], Domain::MODERATE)?;
        Ok(())
    }),
    of("LayerNormalization", |d| trailing(d, true)),
    of("LpNormalization", |d| {
        let shape = full(d, 1, 4);
        d.mode("p");
        if d.whether("axis given") {
            let (given, _) = axis(d, shape.len(), 1);
            d.int("axis", given);
        }
        d.input(&shape, Domain::POSITIVE)?;
        Ok(())
    }),
    of("MeanVarianceNormalization", |d| {
        let shape = full(d, 4, 4);
        match d.pick("axes", &["absent", "one", "two"]) {
            "one" => d.ints("axes", &[1]),
            "two" => d.ints("axes", &[0, 2]),
            _ => {}
        }
        d.input(&shape, Domain::MODERATE)?;
        Ok(())
    }),
    of("RMSNormalization", |d| trailing(d, false)),
];

/// Statistics are per channel, or before version 9 with `spatial` 0 per feature.
fn batch(d: &mut Draft) -> Made {
    let channels = 1 + d.draws.below(4);
    let shape = image(d, channels, 0, 3);
    d.scalar("epsilon", &[0.01]);
    d.scalar("momentum", &[0.5]);
    if d.has("consumed_inputs") {
        d.ints("consumed_inputs", &[0, 0, 0, 1, 1]);
    }
    let spatial = d.flag("spatial", true);
    // The results of training in versions before 14 are not fully defined.
    let testing = d.mode_among("is_test", &["1"]);
    d.require(testing != "0", "a training mode that is undefined")?;
    let training = d.flag("training_mode", false);
    let features = if spatial {
        vec![channels]
    } else {
        shape[1..].to_vec()
    };
    d.input(&shape, Domain::MODERATE)?;
    d.input(&features, Domain::MODERATE)?;
    d.input(&features, Domain::MODERATE)?;
    d.input(&features, Domain::MODERATE)?;
    d.input(&features, Domain::POSITIVE)?;
    let outputs = if training { 3 } else { 1 };
    let mut types = Vec::new();
    for position in 0..outputs {
        types.push(onnx_tensor::ValueType::tensor(d.output_dtype(position)?));
    }
    d.results(types);
    Ok(())
}

fn group(d: &mut Draft) -> Made {
    let (groups, each) = (1 + d.draws.below(3), 1 + d.draws.below(3));
    let channels = groups * each;
    let shape = image(d, channels, 1, 3);
    d.int("num_groups", groups as i64);
    d.scalar("epsilon", &[0.01]);
    d.input(&shape, Domain::MODERATE)?;
    let features = if d.since() < 21 { groups } else { channels };
    d.input(&[features], Domain::MODERATE)?;
    d.input(&[features], Domain::MODERATE)?;
    Ok(())
}

/// Over the axes from one on; scale and bias are broadcast to them.
fn trailing(d: &mut Draft, bias: bool) -> Made {
    let shape = full(d, 1, 4);
    let (given, at) = axis(d, shape.len(), 1);
    let at = if d.whether("axis given") {
        d.int("axis", given);
        at
    } else {
        shape.len() - 1
    };
    d.scalar("epsilon", &EPSILONS[..1]);
    let features = match d.pick("scale form", &["whole", "ones"]) {
        "whole" => shape[at..].to_vec(),
        _ => vec![1],
    };
    if d.has("stash_type")
        && d.schema
            .type_constraints
            .iter()
            .any(|constraint| constraint.name == "U")
    {
        // The type of the statistics.
        let stash = d.dtype("U")? as i64;
        if stash != 1 || d.draws.one_in(2) {
            d.int("stash_type", stash);
        }
    }
    d.input(&shape, Domain::MODERATE)?;
    d.input(&features, Domain::MODERATE)?;
    if bias {
        d.optional("bias", &features, Domain::MODERATE)?;
    }
    Ok(())
}
