//! Resize and Upsample, axis by axis.

use onnx_tensor::Tensor;

use super::super::call::{axis, count, extent, one};
use super::super::movement::{split_at, take};
use super::super::numbers::{floats, from_floats, int_range};
use super::super::{Call, Outcome, Row, row};
use super::interpolate::{Taps, cubic, exclude_outside, linear};
use crate::error::{Problem, invalid};
use crate::size::has_room;

pub const ROWS: &[Row] = &[row("Upsample", 7, resize), row("Resize", 10, resize)];

fn resize(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let (axes, manner) = settle(call, tensor.shape())?;
    one(apply(tensor, &axes, &manner)?)
}

/// How each axis of an image of this shape is resized; all but the first input must be there.
fn settle<'a>(call: &Call<'a>, shape: &[usize]) -> Result<(Vec<Axis>, Manner<'a>), Problem> {
    match call.since {
        ..9 => legacy(call, shape, call.attributes.floats("scales")?.unwrap_or_default()),
        9..11 => legacy(call, shape, &float32s(call, 1)?),
        _ => modern(call, shape),
    }
}

/// For each pixel of the result along one axis: the two it lies between, and the share of the second.
pub type Between = Vec<(u32, u32, f32)>;

/// The last two axes as pixels between two others; `None` where others are resized, or a pixel is of another kind.
pub fn between(call: &Call, shape: &[usize]) -> Result<Option<[Between; 2]>, Problem> {
    let (axes, manner) = settle(call, shape)?;
    let Some((others, [rows, columns])) = axes.split_last_chunk::<2>() else {
        return Ok(None);
    };
    if axes.iter().any(|axis| axis.from == 0) || !others.iter().all(Axis::stays) {
        return Ok(None);
    }
    check_work(&axes, &manner)?;
    let pixel = |taps: Option<Taps>| match taps.as_deref() {
        Some(&[(only, _)]) => Some((only as u32, only as u32, 0.0)),
        Some(&[(first, _), (second, share)]) => Some((first as u32, second as u32, share as f32)),
        _ => None,
    };
    let table =
        |axis: &Axis| Ok::<_, Problem>(taps(axis, &manner)?.into_iter().map(pixel).collect::<Option<_>>());
    Ok(match (table(rows)?, table(columns)?) {
        (Some(rows), Some(columns)) => Some([rows, columns]),
        _ => None,
    })
}

fn float32s(call: &Call, position: usize) -> Result<Vec<f32>, Problem> {
    let values = call.find_tensor(position)?.map(floats).transpose()?;
    Ok(values.unwrap_or_default().into_iter().map(|x| x as f32).collect())
}

/// One axis of a resize.
struct Axis {
    from: usize,
    to: usize,
    scale: f64,
    roi: (f64, f64),
}

impl Axis {
    /// Whether nothing is done along it.
    fn stays(&self) -> bool {
        self.from == self.to && self.scale == 1.0 && self.roi == (0.0, 1.0)
    }
}

/// How a resize is done.
struct Manner<'a> {
    mode: &'a str,
    coordinates: &'a str,
    /// `nearest_mode`; there is none before since 11.
    nearest: Option<&'a str>,
    cubic: f64,
    antialias: bool,
    exclude_outside: bool,
    extrapolation: f64,
}

/// Before since 11: coordinates by the scale alone.
fn legacy<'a>(call: &Call<'a>, shape: &[usize], scales: &[f32]) -> Result<(Vec<Axis>, Manner<'a>), Problem> {
    if scales.len() != shape.len() {
        return invalid(format!(
            "{} scales are given for {} axes",
            scales.len(),
            shape.len()
        ));
    }
    let manner = Manner {
        mode: call.attributes.text("mode")?,
        coordinates: "asymmetric",
        nearest: None,
        cubic: -0.75,
        antialias: false,
        exclude_outside: false,
        extrapolation: 0.0,
    };
    let scaled = |(&from, &scale): (&usize, &f32)| Axis {
        from,
        to: (from as f64 * f64::from(scale)).floor() as usize,
        scale: f64::from(scale),
        roi: (0.0, 1.0),
    };
    Ok((shape.iter().zip(scales).map(scaled).collect(), manner))
}

fn modern<'a>(call: &Call<'a>, shape: &[usize]) -> Result<(Vec<Axis>, Manner<'a>), Problem> {
    let attribute = |name| call.attributes.float(name).map(f64::from);
    let manner = Manner {
        mode: call.attributes.text("mode")?,
        coordinates: call.attributes.text("coordinate_transformation_mode")?,
        nearest: Some(call.attributes.text("nearest_mode")?),
        cubic: attribute("cubic_coeff_a")?,
        antialias: call.attributes.flag("antialias")?,
        exclude_outside: call.attributes.flag("exclude_outside")?,
        extrapolation: attribute("extrapolation_value")?,
    };
    let listed = match call.attributes.ints("axes")? {
        Some(list) => list
            .iter()
            .map(|&one| axis(one, shape.len()))
            .collect::<Result<Vec<_>, _>>()?,
        None => (0..shape.len()).collect(),
    };
    let roi = call.find_tensor(1)?.map(floats).transpose()?.unwrap_or_default();
    let scales = float32s(call, 2)?;
    let sizes = call.find_ints(3)?.unwrap_or_default();
    let (given, by_size) = if sizes.is_empty() {
        (scales.len(), false)
    } else {
        (sizes.len(), true)
    };
    let crop = manner.coordinates == "tf_crop_and_resize";
    if given != listed.len() || (crop && roi.len() != 2 * given) {
        return invalid(format!(
            "{given} sizes or scales are given for {} axes",
            listed.len()
        ));
    }
    let mut all: Vec<Axis> = shape
        .iter()
        .map(|&from| Axis {
            from,
            to: from,
            scale: 1.0,
            roi: (0.0, 1.0),
        })
        .collect();
    let policy = call.attributes.text("keep_aspect_ratio_policy")?;
    let ratio = |place: usize| sizes[place] as f64 / shape[listed[place]] as f64;
    let kept = match policy {
        _ if !by_size => None,
        "not_larger" => (0..given).map(ratio).reduce(f64::min),
        "not_smaller" => (0..given).map(ratio).reduce(f64::max),
        _ => None,
    };
    for (place, &at) in listed.iter().enumerate() {
        let one = &mut all[at];
        if crop {
            one.roi = (roi[place], roi[place + given]);
        }
        let from = one.from as f64;
        match (by_size, kept) {
            (true, Some(kept)) => {
                one.to = (from * kept).round() as usize;
                one.scale = kept;
            }
            (true, None) => {
                one.to = extent(sizes[place])?;
                one.scale = one.to as f64 / from;
            }
            (false, _) => {
                one.scale = f64::from(scales[place]);
                let covered = if crop {
                    from * (one.roi.1 - one.roi.0)
                } else {
                    from
                };
                one.to = (covered * one.scale).floor() as usize;
            }
        }
    }
    Ok((all, manner))
}

/// Where a position of the result lies in the input; `None` is outside, where the extrapolation value stands.
fn coordinate(axis: &Axis, manner: &Manner, to: usize) -> Result<Option<f64>, Problem> {
    let (at, scale, from) = (to as f64, axis.scale, axis.from as f64);
    let length = axis.to as f64;
    // Resize's own length may be fractional: what is left over counts for the symmetric mode.
    let exact = from * scale;
    let result = match manner.coordinates {
        _ if axis.to == axis.from && scale == 1.0 && manner.coordinates != "tf_crop_and_resize" => at,
        "half_pixel" => (at + 0.5) / scale - 0.5,
        "half_pixel_symmetric" => {
            let adjustment = length / exact;
            from / 2.0 * (1.0 - adjustment) + (at + 0.5) / scale - 0.5
        }
        "pytorch_half_pixel" if axis.to > 1 => (at + 0.5) / scale - 0.5,
        "pytorch_half_pixel" => 0.0,
        "align_corners" if axis.to > 1 => at * (from - 1.0) / (exact - 1.0),
        "align_corners" => 0.0,
        "asymmetric" => at / scale,
        "tf_half_pixel_for_nn" => (at + 0.5) / scale,
        "tf_crop_and_resize" => {
            let (start, end) = axis.roi;
            let place = match axis.to > 1 {
                true => start * (from - 1.0) + at * (end - start) * (from - 1.0) / (length - 1.0),
                false => 0.5 * (start + end) * (from - 1.0),
            };
            return Ok((place >= 0.0 && place <= from - 1.0).then_some(place));
        }
        other => return invalid(format!("coordinate_transformation_mode `{other}` is not known")),
    };
    Ok(Some(result))
}

/// Without a mode the later neighbour where the axis shrinks, as the official cases of Resize-10 have it, else the earlier.
fn nearest(at: f64, axis: &Axis, mode: Option<&str>) -> Result<f64, Problem> {
    let Some(mode) = mode else {
        return Ok(if axis.scale < 1.0 { at.ceil() } else { at.floor() });
    };
    Ok(match mode {
        "floor" => at.floor(),
        "ceil" => at.ceil(),
        "round_prefer_ceil" => (at + 0.5).floor(),
        "" | "round_prefer_floor" => (at - 0.5).ceil(),
        other => return invalid(format!("nearest_mode `{other}` is not known")),
    })
}

/// The most elements of the input that the elements along one axis of the result may be made of, all together.
const MOST_TAPS: f64 = (1_u32 << 24) as f64;

/// Fails where the result, or what it is made of, would be too much.
fn check_work(axes: &[Axis], manner: &Manner) -> Result<(), Problem> {
    count(&axes.iter().map(|axis| axis.to).collect::<Vec<usize>>())?;
    for axis in axes {
        // Each element of the result has a list of what it is made of.
        has_room(axis.to.saturating_mul(4))?;
        // The cubic filter reaches over two elements on either side.
        let taps = 4.0 * axis.to as f64 / axis.scale;
        if manner.antialias && axis.scale < 1.0 && taps > MOST_TAPS {
            return invalid(format!(
                "with antialias {} elements of scale {} are made of more than {MOST_TAPS} of the input",
                axis.to, axis.scale
            ));
        }
    }
    Ok(())
}

fn apply(tensor: &Tensor, axes: &[Axis], manner: &Manner) -> Result<Tensor, Problem> {
    check_work(axes, manner)?;
    let shape: Vec<usize> = axes.iter().map(|axis| axis.to).collect();
    if count(&shape)? == 0 {
        return take(tensor, &shape, &[]);
    }
    if axes.iter().any(|axis| axis.from == 0 && axis.to > 0) {
        return invalid("an empty axis has nothing to read");
    }
    let mut plans: Vec<Vec<Option<Taps>>> = Vec::with_capacity(axes.len());
    for axis in axes {
        plans.push(taps(axis, manner)?);
    }
    if manner.mode == "nearest" && manner.coordinates != "tf_crop_and_resize" {
        return pick(tensor, &shape, &plans);
    }
    let mut values = floats(tensor)?;
    let mut current = tensor.shape().to_vec();
    for (at, plan) in plans.iter().enumerate() {
        if axes[at].stays() {
            continue;
        }
        let (outer, from, inner) = split_at(&current, at);
        let mut next = Vec::with_capacity(outer * plan.len() * inner);
        for row in 0..outer {
            for taps in plan {
                for column in 0..inner {
                    let read = |&(place, weight): &(i64, f64)| {
                        values[(row * from + place as usize) * inner + column] * weight
                    };
                    next.push(taps.as_ref().map_or(f64::NAN, |taps| taps.iter().map(read).sum()));
                }
            }
        }
        current[at] = plan.len();
        values = next;
    }
    let outside = outside_mask(&shape, &plans);
    for (value, outside) in values.iter_mut().zip(outside) {
        if outside {
            *value = manner.extrapolation;
        }
    }
    if int_range(tensor.dtype()).is_some() {
        values.iter_mut().for_each(|x| *x = x.round_ties_even());
    }
    from_floats(tensor.dtype(), &shape, values)
}

/// What makes up each position of the result along an axis; `None` is outside.
fn taps(axis: &Axis, manner: &Manner) -> Result<Vec<Option<Taps>>, Problem> {
    let widen = if manner.antialias && axis.scale < 1.0 {
        1.0 / axis.scale
    } else {
        1.0
    };
    let taps = |to: usize| -> Result<Option<Taps>, Problem> {
        let Some(at) = coordinate(axis, manner, to)? else {
            return Ok(None);
        };
        let mut taps = match manner.mode {
            "nearest" => vec![(nearest(at, axis, manner.nearest)? as i64, 1.0)],
            "linear" | "bilinear" => linear(at, widen),
            "cubic" => cubic(at, manner.cubic, widen),
            other => return invalid(format!("mode `{other}` is not known")),
        };
        if manner.exclude_outside && manner.mode != "nearest" {
            taps = exclude_outside(taps, axis.from);
        }
        let clamp = |(place, weight): (i64, f64)| (place.clamp(0, axis.from as i64 - 1), weight);
        Ok(Some(taps.into_iter().map(clamp).collect()))
    };
    (0..axis.to).map(taps).collect()
}

fn outside_mask(shape: &[usize], plans: &[Vec<Option<Taps>>]) -> Vec<bool> {
    let steps = super::super::movement::strides(shape);
    let total: usize = shape.iter().product();
    let outside = |linear: usize| {
        (0..shape.len()).any(|axis| plans[axis][(linear / steps[axis]) % shape[axis]].is_none())
    };
    (0..total).map(outside).collect()
}

/// The nearest elements of any type.
fn pick(tensor: &Tensor, shape: &[usize], plans: &[Vec<Option<Taps>>]) -> Result<Tensor, Problem> {
    let steps = super::super::movement::strides(shape);
    let own = super::super::movement::strides(tensor.shape());
    let place = |linear: usize| {
        let along = |axis: usize| {
            let taps = plans[axis][(linear / steps[axis]) % shape[axis]].as_ref();
            taps.and_then(|taps| taps.first())
                .map_or(0, |&(place, _)| place as usize)
                * own[axis]
        };
        (0..shape.len()).map(along).sum()
    };
    let places: Vec<usize> = (0..shape.iter().product()).map(place).collect();
    take(tensor, shape, &places)
}
