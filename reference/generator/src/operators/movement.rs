//! Operators that move elements, or that depend on shapes.

use super::{Declaration, of};
use crate::families::{axes, axis, axis_within, full, give_axes, shape, unary};
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    of("CenterCropPad", center_crop_pad),
    of("Concat", concat),
    of("DepthToSpace", |d| blocks(d, false)),
    of("Expand", expand),
    of("Flatten", flatten),
    of("NonZero", |d| {
        let shape = shape(d, 1, 4);
        d.input(&shape, Domain::ANY)?;
        Ok(())
    }),
    of("Pad", pad),
    of("Reshape", reshape),
    of("ReverseSequence", reverse_sequence),
    of("Shape", shape_of),
    of("Size", |d| unary(d, Domain::ANY)),
    of("Slice", slice),
    of("SpaceToDepth", |d| blocks(d, true)),
    of("Split", split),
    of("Squeeze", squeeze),
    of("Tile", tile),
    of("Transpose", transpose),
    of("Unique", unique),
    of("Unsqueeze", unsqueeze),
];

/// Extents below and above those of the input.
fn center_crop_pad(d: &mut Draft) -> Made {
    let shape = full(d, 1, 4);
    d.input(&shape, Domain::ANY)?;
    let count = if d.whether("axes given") {
        let (given, _) = axes(d, shape.len(), 1, 18);
        d.ints("axes", &given);
        given.len()
    } else {
        shape.len()
    };
    let extents: Vec<i64> = (0..count).map(|_| 1 + d.draws.below(7) as i64).collect();
    d.numbers(&extents)
}

/// Negative axes are permitted from version 11 on; version 4 does not mention them.
fn concat(d: &mut Draft) -> Made {
    let shape = shape(d, 1, 5);
    let (given, at) = axis(d, shape.len(), 11);
    let default = d.since() == 1 && shape.len() > 1 && d.pick("axis given", &["yes", "no"]) == "no";
    let at = if default { 1 } else { at };
    if !default {
        d.int("axis", given);
    }
    let count: usize = d.pick("inputs", &["1", "2", "3", "5"]).parse().unwrap_or(1);
    for _ in 0..count {
        let mut part = shape.clone();
        part[at] = d.draws.below(4);
        if d.since() < 4 {
            part[at] += 1;
        }
        d.input(&part, Domain::ANY)?;
    }
    Ok(())
}

fn blocks(d: &mut Draft, to_depth: bool) -> Made {
    let block = [1, 2, 3][d.draws.below(3)];
    d.mode("mode");
    d.int("blocksize", block as i64);
    let (n, c) = (d.draws.below(3), 1 + d.draws.below(3));
    let (h, w) = (1 + d.draws.below(3), 1 + d.draws.below(3));
    let shape = if to_depth {
        [n, c, h * block, w * block]
    } else {
        [n, c * block * block, h, w]
    };
    d.input(&shape, Domain::ANY)?;
    Ok(())
}

/// The shape and the input are broadcast to each other.
fn expand(d: &mut Draft) -> Made {
    let (a, b) = crate::families::broadcast_shapes(d);
    d.input(&a, Domain::ANY)?;
    d.numbers(&signed(&b))
}

/// The axis may be after the last.
fn flatten(d: &mut Draft) -> Made {
    let shape = shape(d, 0, 5);
    if d.whether("axis given") {
        let (given, _) = axis_within(d, shape.len(), shape.len() + 1, 11);
        d.int("axis", given);
    } else {
        d.require(!shape.is_empty(), "the default axis is outside the shape")?;
    }
    d.input(&shape, Domain::ANY)?;
    Ok(())
}

/// Negative pads remove elements; `reflect` needs more elements than it adds, and `edge` and `wrap` at
/// least one.
fn pad(d: &mut Draft) -> Made {
    let mode = d.mode("mode");
    let constant = mode == "constant";
    let shape = if constant { shape(d, 1, 5) } else { full(d, 1, 4) };
    let by_axes = d.schema.input(3).is_some() && d.whether("axes given");
    let (given, places) = if by_axes {
        axes(d, shape.len(), 1, 18)
    } else {
        (Vec::new(), (0..shape.len()).collect())
    };
    let sign = d.pick("pads", &["positive", "negative", "zero"]);
    let amount = |d: &mut Draft, axis: usize| -> i64 {
        let extent = shape[axis] as i64;
        let most = if mode == "reflect" { (extent - 1).min(3) } else { 3 };
        match sign {
            "negative" if d.draws.one_in(2) && constant && d.since() >= 2 => -d.draws.between(0, extent / 2),
            // What is left repeats: at least one element.
            "negative" if mode == "wrap" && d.draws.one_in(2) => -d.draws.between(0, (extent - 1) / 2),
            "zero" => 0,
            _ => d.draws.between(0, most),
        }
    };
    let before: Vec<i64> = places.iter().map(|&axis| amount(d, axis)).collect();
    let after: Vec<i64> = places.iter().map(|&axis| amount(d, axis)).collect();
    let pads = [before, after].concat();
    let data = shape.clone();
    d.input(&data, Domain::ANY)?;
    if d.since() < 11 {
        d.ints(if d.since() == 1 { "paddings" } else { "pads" }, &pads);
        d.scalar("value", &[1.5, -2.0]);
        return Ok(());
    }
    d.numbers(&pads)?;
    d.optional("constant value", &[], Domain::MODERATE)?;
    if by_axes { d.numbers(&given) } else { Ok(()) }
}

/// 0 copies an extent except with `allowzero`, and one extent may be -1.
fn reshape(d: &mut Draft) -> Made {
    let shape = shape(d, 0, 5);
    d.input(&shape, Domain::ANY)?;
    let zero = d.flag("allowzero", false);
    let count: usize = shape.iter().product();
    let empty = count == 0;
    let form = d.pick(
        "shape form",
        &["flat", "same", "inferred", "copied", "split", "ones"],
    );
    let mut target: Vec<i64> = match form {
        "same" => signed(&shape),
        "copied" if !zero => shape
            .iter()
            .map(|&extent| if d.draws.one_in(2) { 0 } else { extent as i64 })
            .collect(),
        "inferred" if !shape.is_empty() && !empty => {
            let mut target = signed(&shape);
            let at = d.draws.below(shape.len());
            target[at] = -1;
            target
        }
        "split" if !empty => {
            let divisor = (1..=count)
                .filter(|divisor| count.is_multiple_of(*divisor))
                .collect::<Vec<_>>();
            let first = *d.draws.one_of(&divisor).unwrap_or(&1);
            vec![first as i64, (count / first) as i64]
        }
        "ones" => [vec![1], signed(&shape), vec![1]].concat(),
        _ if empty => signed(&shape),
        _ => vec![-1],
    };
    // Without `allowzero` an extent of 0 can only be copied from the same position.
    if empty && !zero && !matches!(form, "same" | "copied") {
        target = signed(&shape);
    }
    if d.has("shape") {
        d.ints("shape", &target);
        return Ok(());
    }
    d.numbers(&target)
}

fn reverse_sequence(d: &mut Draft) -> Made {
    let (time, batch) = (1 + d.draws.below(5), 1 + d.draws.below(3));
    let order = d.pick("layout", &["time first", "batch first", "default"]);
    let (first, second) = if order == "batch first" {
        (batch, time)
    } else {
        (time, batch)
    };
    match order {
        "time first" => {
            d.int("time_axis", 0);
            d.int("batch_axis", 1);
        }
        "batch first" => {
            d.int("time_axis", 1);
            d.int("batch_axis", 0);
        }
        _ => {}
    }
    let rest: usize = d.pick("rank", &["2", "3", "4"]).parse().unwrap_or(2);
    let rest: Vec<usize> = (2..rest).map(|_| 1 + d.draws.below(3)).collect();
    d.input(&[vec![first, second], rest].concat(), Domain::ANY)?;
    let lengths: Vec<i64> = (0..batch).map(|_| 1 + d.draws.below(time) as i64).collect();
    d.numbers(&lengths)
}

fn shape_of(d: &mut Draft) -> Made {
    for bound in ["start", "end"] {
        if d.has(bound) {
            match d.pick(bound, &["absent", "inside", "negative", "beyond", "far below"]) {
                "inside" => {
                    let at = d.draws.between(0, 3);
                    d.int(bound, at);
                }
                "negative" => {
                    let at = d.draws.between(-3, -1);
                    d.int(bound, at);
                }
                "beyond" => d.int(bound, 40),
                "far below" => d.int(bound, -40),
                _ => {}
            }
        }
    }
    unary(d, Domain::ANY)
}

/// Bounds inside, beyond and far beyond the extents; negative steps from version 10 on.
fn slice(d: &mut Draft) -> Made {
    let shape = shape(d, 1, 4);
    d.input(&shape, Domain::ANY)?;
    let some = d.whether("axes given");
    let (given, places) = if some {
        axes(d, shape.len(), 1, 11)
    } else {
        let count = 1 + d.draws.below(shape.len());
        (Vec::new(), (0..count).collect())
    };
    let form = d.pick("bounds", &["inside", "around", "negative", "far", "extreme"]);
    let wide = d
        .input_type(1)
        .is_ok_and(|of| crate::element(of) == onnx_tensor::DType::Int64)
        || d.since() == 1;
    let limit = if wide { i64::MAX } else { i64::from(i32::MAX) };
    let bound = |d: &mut Draft, extent: i64| match form {
        "inside" => d.draws.between(0, extent),
        "around" => d.draws.between(-extent - 2, extent + 2),
        "negative" => d.draws.between(-extent, -1),
        "far" => [-1000, 1000][d.draws.below(2)],
        _ => [limit, -limit - 1, -limit, 0][d.draws.below(4)],
    };
    let extents: Vec<i64> = places.iter().map(|&axis| shape[axis] as i64).collect();
    let starts: Vec<i64> = extents.iter().map(|&extent| bound(d, extent)).collect();
    let ends: Vec<i64> = extents.iter().map(|&extent| bound(d, extent)).collect();
    if d.since() == 1 {
        d.ints("starts", &starts);
        d.ints("ends", &ends);
        if some {
            d.ints("axes", &given);
        }
        return Ok(());
    }
    d.numbers(&starts)?;
    d.numbers(&ends)?;
    if some {
        d.numbers(&given)?
    } else {
        d.skip()
    }
    let steps = d.pick("steps", &["absent", "one", "two", "negative", "large"]);
    if steps == "absent" {
        d.skip();
        return Ok(());
    }
    let step = |d: &mut Draft| match steps {
        "one" => 1,
        "two" => 2,
        "negative" => -1 - d.draws.below(2) as i64,
        _ => [100, -100][d.draws.below(2)],
    };
    let steps: Vec<i64> = extents.iter().map(|_| step(d)).collect();
    d.numbers(&steps)
}

/// Equal parts, given parts, or from version 18 on a number of parts of which the last is smaller.
fn split(d: &mut Draft) -> Made {
    let mut shape = full(d, 1, 4);
    let (given, at) = axis(d, shape.len(), 11);
    // Version 1 states no default.
    let default = d.since() > 1 && !d.whether("axis given");
    let at = if default { 0 } else { at };
    if !default {
        d.int("axis", given);
    }
    let parts = 1 + d.draws.below(3);
    let newest = d.has("num_outputs");
    let form = if newest {
        d.pick("parts", &["equal", "given", "uneven"])
    } else {
        d.pick("parts", &["equal", "given"])
    };
    let sizes: Vec<usize> = (0..parts)
        .map(|_| d.draws.below(4) + usize::from(d.since() < 11))
        .collect();
    match form {
        "given" => shape[at] = sizes.iter().sum(),
        "uneven" => shape[at] = parts * 2 + 1,
        _ => shape[at] = parts * (1 + d.draws.below(3)),
    }
    if form == "uneven" {
        // Every part but the last has the same extent, and the last must not be empty.
        let each = shape[at].div_ceil(parts);
        d.require(each * (parts - 1) < shape[at], "the last part is empty")?;
    }
    d.input(&shape, Domain::ANY)?;
    let sizes = signed(&sizes);
    match (form, newest) {
        ("given", _) if d.has("split") => d.ints("split", &sizes),
        ("given", _) if d.since() == 1 => d.skip(),
        ("given", _) => d.numbers(&sizes)?,
        (_, true) => d.int("num_outputs", parts as i64),
        (_, false) => {}
    }
    let kind = crate::value_type(&d.input_type(0)?);
    d.results(vec![kind; parts]);
    Ok(())
}

fn squeeze(d: &mut Draft) -> Made {
    let rest = shape(d, 0, 3);
    let rank = rest.len() + 1 + d.draws.below(2);
    let (given, places) = axes(d, rank, 1, 11);
    let count = rank - rest.len();
    d.require(given.len() >= count, "too few axes")?;
    let (given, mut places) = (given[..count].to_vec(), places[..count].to_vec());
    places.sort_unstable();
    let mut full = rest;
    for &place in &places {
        full.insert(place, 1);
    }
    d.input(&full, Domain::ANY)?;
    if d.whether("axes given") {
        give_axes(d, &given)
    } else {
        Ok(())
    }
}

fn tile(d: &mut Draft) -> Made {
    let shape = shape(d, 1, 4);
    d.input(&shape, Domain::ANY)?;
    if d.since() == 1 {
        let times = 1 + d.draws.below(3) as i64;
        let at = d.draws.below(shape.len()) as i64;
        d.number(times)?;
        return d.number(at);
    }
    let repeats: Vec<i64> = shape.iter().map(|_| d.draws.below(3) as i64).collect();
    d.numbers(&repeats)
}

fn transpose(d: &mut Draft) -> Made {
    let shape = shape(d, 0, 5);
    d.input(&shape, Domain::ANY)?;
    if d.whether("perm given") {
        let order = d.draws.permutation(shape.len());
        d.ints("perm", &signed(&order));
    }
    Ok(())
}

/// NaN is not equal to itself and has no order: the result for NaN is undefined.
fn unique(d: &mut Draft) -> Made {
    let shape = full(d, 1, 3);
    d.flag("sorted", true);
    if d.whether("axis given") {
        let (given, _) = axis(d, shape.len(), 11);
        d.int("axis", given);
    }
    d.input(&shape, Domain::whole(-2.0, 2.0))?;
    Ok(())
}

/// The axes are those of the output.
fn unsqueeze(d: &mut Draft) -> Made {
    let shape = shape(d, 0, 3);
    d.input(&shape, Domain::ANY)?;
    let count = 1 + d.draws.below(2);
    let (given, _) = axes(d, shape.len() + count, 1, 11);
    d.require(given.len() >= count, "too few axes")?;
    give_axes(d, &given[..count])
}

/// Extents as signed integers.
pub(super) fn signed(extents: &[usize]) -> Vec<i64> {
    extents.iter().map(|&extent| extent as i64).collect()
}
