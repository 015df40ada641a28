//! Resize and Upsample, axis by axis.

use onnx_tensor::Tensor;

use super::super::call::{axis, count, extent, one};
use super::super::fast::Fast;
use super::super::movement::{split_at, take, take_or};
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use super::extents::{common_ratio, rounded, scaled_extent};
use super::interpolate::{Taps, cubic, exclude_outside, linear};
use super::number::{Number, Pair, is_paired};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;
use crate::size::has_room;

pub const ROWS: &[Row] = &[
    row("Upsample", 7, First(|known| known.settled(1, resized)), resize).fast(Fast::Resize),
    row("Resize", 10, First(|known| known.settled(1, resized)), resize).fast(Fast::Resize),
];

fn resize(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let (axes, options) = settle(call, tensor.shape())?;
    one(apply(tensor, &axes, &options)?)
}

/// Returns the shape to which an image of this shape is resized; all inputs except the first must be given.
fn resized(call: &Call, shape: &[usize]) -> Result<Vec<usize>, Problem> {
    let (axes, _) = settle(call, shape)?;
    Ok(axes.iter().map(|axis| axis.to).collect())
}

/// Returns how each axis of an image of this shape is resized; all inputs except the first must be given.
fn settle<'a>(call: &Call<'a>, shape: &[usize]) -> Result<(Vec<Axis>, Options<'a>), Problem> {
    match call.since {
        ..9 => enlarged(call, shape, call.attributes.floats("scales")?.unwrap_or_default()),
        9 => enlarged(call, shape, &float32s(call, 1)?),
        10 => legacy(call, shape, &float32s(call, 1)?),
        _ => modern(call, shape),
    }
}

/// For each pixel of the result along one axis: its two neighbours, and the weight of the second.
pub type Between = Vec<(u32, u32, f32)>;

/// Returns the last two axes as pixels between two others; `None` if other axes are resized, or a pixel has
/// other neighbours.
pub fn between(call: &Call, shape: &[usize]) -> Result<Option<[Between; 2]>, Problem> {
    let (axes, options) = settle(call, shape)?;
    let Some((others, [rows, columns])) = axes.split_last_chunk::<2>() else {
        return Ok(None);
    };
    if axes.iter().any(|axis| axis.from == 0) || !others.iter().all(Axis::stays) {
        return Ok(None);
    }
    check_work(&axes, &options)?;
    let pixel = |taps: Option<Taps>| match taps.as_deref() {
        Some(&[(only, _)]) => Some((only as u32, only as u32, 0.0)),
        Some(&[(first, _), (second, share)]) => Some((first as u32, second as u32, share as f32)),
        _ => None,
    };
    let table = |axis: &Axis| {
        Ok::<_, Problem>(
            taps(axis, &options)?
                .into_iter()
                .map(pixel)
                .collect::<Option<_>>(),
        )
    };
    Ok(match (table(rows)?, table(columns)?) {
        (Some(rows), Some(columns)) => Some([rows, columns]),
        _ => None,
    })
}

/// The neighbours of each pixel of the result along one axis, with their weights.
pub type Neighbours = Vec<Taps>;

/// Returns the neighbours along each axis that is resized, with its position; `None` if a pixel is outside or
/// the image is empty.
pub fn neighbours(call: &Call, shape: &[usize]) -> Result<Option<Vec<(usize, Neighbours)>>, Problem> {
    let (axes, options) = settle(call, shape)?;
    if axes.iter().any(|axis| axis.from == 0) {
        return Ok(None);
    }
    check_work(&axes, &options)?;
    let mut found = Vec::new();
    for (at, axis) in axes.iter().enumerate().filter(|(_, axis)| !axis.stays()) {
        let inside: Option<Neighbours> = taps(axis, &options)?.into_iter().collect();
        match inside {
            Some(inside) => found.push((at, inside)),
            None => return Ok(None),
        }
    }
    Ok(Some(found))
}

fn float32s(call: &Call, position: usize) -> Result<Vec<f32>, Problem> {
    let values = call.find_tensor(position)?.map(floats).transpose()?;
    Ok(values.unwrap_or_default().into_iter().map(|x| x as f32).collect())
}

/// The resize of one axis.
struct Axis {
    from: usize,
    to: usize,
    /// A quotient, so that the scale of two extents is not rounded.
    scale: (f64, f64),
    roi: (f64, f64),
}

impl Axis {
    /// Whether the axis is unchanged.
    fn stays(&self) -> bool {
        self.from == self.to && self.scale.0 == self.scale.1 && self.roi == (0.0, 1.0)
    }

    /// `length_resized` of the specification: the extent of the result before it is rounded down.
    fn length<N: Number>(&self) -> N {
        N::from(self.from as f64) * N::from(self.scale.0) / N::from(self.scale.1)
    }
}

/// The attributes of a resize.
struct Options<'a> {
    mode: &'a str,
    coordinates: &'a str,
    /// `nearest_mode`; `None` before since 11.
    nearest: Option<&'a str>,
    cubic: f64,
    antialias: bool,
    exclude_outside: bool,
    extrapolation: f64,
}

/// Checks that the scales of Upsample are at least 1.
fn enlarged<'a>(
    call: &Call<'a>,
    shape: &[usize],
    scales: &[f32],
) -> Result<(Vec<Axis>, Options<'a>), Problem> {
    match scales.iter().find(|&&scale| scale < 1.0) {
        Some(scale) => invalid(format!("expected a scale of at least 1, got {scale}")),
        None => legacy(call, shape, scales),
    }
}

/// Before since 11: coordinates depend on the scale only.
fn legacy<'a>(call: &Call<'a>, shape: &[usize], scales: &[f32]) -> Result<(Vec<Axis>, Options<'a>), Problem> {
    if scales.len() != shape.len() {
        return invalid(format!(
            "expected one scale for each axis, got {} for {} axes",
            scales.len(),
            shape.len()
        ));
    }
    let options = Options {
        mode: call.attributes.text("mode")?,
        coordinates: "asymmetric",
        nearest: None,
        cubic: -0.75,
        antialias: false,
        exclude_outside: false,
        extrapolation: 0.0,
    };
    let scaled = |(&from, &scale): (&usize, &f32)| {
        Ok(Axis {
            from,
            to: scaled_extent(from, scale, (0.0, 1.0))?,
            scale: (f64::from(scale), 1.0),
            roi: (0.0, 1.0),
        })
    };
    let axes = shape.iter().zip(scales).map(scaled);
    Ok((axes.collect::<Result<_, Problem>>()?, options))
}

fn modern<'a>(call: &Call<'a>, shape: &[usize]) -> Result<(Vec<Axis>, Options<'a>), Problem> {
    let attribute = |name| call.attributes.float(name).map(f64::from);
    let options = Options {
        mode: call.attributes.text("mode")?,
        coordinates: call.attributes.text("coordinate_transformation_mode")?,
        nearest: Some(call.attributes.text("nearest_mode")?),
        cubic: attribute("cubic_coeff_a")?,
        antialias: call.attributes.flag("antialias")?,
        exclude_outside: call.attributes.flag("exclude_outside")?,
        extrapolation: attribute("extrapolation_value")?,
    };
    let listed = match call.attributes.ints("axes")? {
        Some(list) => {
            super::super::call::axes(list, shape.len())?;
            list.iter()
                .map(|&one| axis(one, shape.len()))
                .collect::<Result<Vec<_>, _>>()?
        }
        None => (0..shape.len()).collect(),
    };
    let roi = call.find_tensor(1)?.map(floats).transpose()?.unwrap_or_default();
    let scales = float32s(call, 2)?;
    let sizes = call.find_ints(3)?.unwrap_or_default();
    let (given, by_size) = match (scales.is_empty(), sizes.is_empty()) {
        (false, true) => (scales.len(), false),
        (true, false) => (sizes.len(), true),
        _ => return invalid("exactly one of `scales` and `sizes` must be given"),
    };
    let crop = options.coordinates == "tf_crop_and_resize";
    if given != listed.len() || (crop && roi.len() != 2 * given) {
        return invalid(format!("got {given} sizes or scales for {} axes", listed.len()));
    }
    let mut all: Vec<Axis> = shape
        .iter()
        .map(|&from| Axis {
            from,
            to: from,
            scale: (1.0, 1.0),
            roi: (0.0, 1.0),
        })
        .collect();
    let common = if by_size {
        let ratio = |(&size, &at): (&i64, &usize)| Ok((extent(size)?, shape[at]));
        let ratios = sizes.iter().zip(&listed).map(ratio);
        let ratios = ratios.collect::<Result<Vec<_>, Problem>>()?;
        common_ratio(call.attributes.text("keep_aspect_ratio_policy")?, &ratios)?
    } else {
        None
    };
    for (place, &at) in listed.iter().enumerate() {
        let one = &mut all[at];
        if crop {
            one.roi = (roi[place], roi[place + given]);
        }
        if by_size {
            let size = extent(sizes[place])?;
            let (up, down) = common.unwrap_or((size, one.from));
            one.to = common.map_or(Ok(size), |ratio| rounded(one.from, ratio))?;
            one.scale = (up as f64, down.max(1) as f64);
        } else {
            one.to = scaled_extent(one.from, scales[place], one.roi)?;
            one.scale = (f64::from(scales[place]), 1.0);
        }
    }
    Ok((all, options))
}

/// Maps a position of the result to a coordinate of the input; `None` is outside, where the extrapolation
/// value is used.
fn coordinate<N: Number>(axis: &Axis, options: &Options, to: usize) -> Result<Option<N>, Problem> {
    let number = |value: f64| N::from(value);
    let (at, up, down) = (number(to as f64), number(axis.scale.0), number(axis.scale.1));
    let (from, one) = (number(axis.from as f64), number(1.0));
    let length = axis.length::<N>();
    let float = options.mode == "nearest" && axis.scale.1 == 1.0;
    // For nearest, coordinates are computed in float if the node states the scale, as in the reference.
    let rounded = |value: N| {
        if float {
            number(f64::from(value.near() as f32))
        } else {
            value
        }
    };
    let half = number(0.5);
    let half_pixel = rounded(rounded((at + half) * down / up) - half);
    let result = match options.coordinates {
        _ if axis.to == axis.from && up == down && options.coordinates != "tf_crop_and_resize" => at,
        "half_pixel" => half_pixel,
        "half_pixel_symmetric" => {
            let share = rounded(one - rounded(number(axis.to as f64) / rounded(length)));
            rounded(rounded(from * half * share) + half_pixel)
        }
        "pytorch_half_pixel" if length > one => half_pixel,
        "pytorch_half_pixel" => number(0.0),
        "align_corners" if length == one => number(0.0),
        "align_corners" => rounded(rounded(at * (from - one)) / rounded(rounded(length) - one)),
        "asymmetric" => rounded(at * down / up),
        "tf_half_pixel_for_nn" => rounded((at + half) * down / up),
        "tf_crop_and_resize" => {
            let (start, end) = (rounded(number(axis.roi.0)), rounded(number(axis.roi.1)));
            let steps = rounded(rounded(at * rounded(end - start)) * (from - one));
            let place = if rounded(length) > one {
                let moved = rounded(steps / rounded(rounded(length) - one));
                rounded(rounded(start * (from - one)) + moved)
            } else {
                rounded(rounded(half * rounded(start + end)) * (from - one))
            };
            return Ok((place >= number(0.0) && place <= from - one).then_some(place));
        }
        other => return invalid(format!("unknown coordinate_transformation_mode `{other}`")),
    };
    Ok(Some(result))
}

/// Rounds a coordinate. Without a mode (Resize-10) it takes the later neighbour if the axis shrinks, as in
/// the official cases, else the earlier.
fn nearest(at: f64, axis: &Axis, mode: Option<&str>) -> Result<f64, Problem> {
    let Some(mode) = mode else {
        return Ok(if axis.scale.0 < axis.scale.1 {
            at.ceil()
        } else {
            at.floor()
        });
    };
    Ok(match mode {
        "floor" => at.floor(),
        "ceil" => at.ceil(),
        "round_prefer_ceil" => (at + 0.5).floor(),
        "" | "round_prefer_floor" => (at - 0.5).ceil(),
        other => return invalid(format!("unknown nearest_mode `{other}`")),
    })
}

/// The maximum number of input elements read for all elements along one axis of the result.
const MAX_TAPS: f64 = (1_u32 << 24) as f64;

/// Fails if the result, or the work for it, exceeds the limits.
fn check_work(axes: &[Axis], options: &Options) -> Result<(), Problem> {
    count(&axes.iter().map(|axis| axis.to).collect::<Vec<usize>>())?;
    for axis in axes {
        // Each element of the result has a list of neighbours.
        has_room(axis.to.saturating_mul(4))?;
        // The cubic filter covers two elements on either side.
        let (up, down) = axis.scale;
        let taps = 4.0 * axis.to as f64 * (down / up);
        if options.antialias && up < down && taps > MAX_TAPS {
            return invalid(format!(
                "antialias: {} elements of scale {up} / {down} read more than {MAX_TAPS} of the input",
                axis.to
            ));
        }
    }
    Ok(())
}

fn apply(tensor: &Tensor, axes: &[Axis], options: &Options) -> Result<Tensor, Problem> {
    check_work(axes, options)?;
    let shape: Vec<usize> = axes.iter().map(|axis| axis.to).collect();
    if count(&shape)? == 0 {
        return take(tensor, &shape, &[]);
    }
    if axes.iter().any(|axis| axis.from == 0 && axis.to > 0) {
        return invalid("an empty axis cannot be resized");
    }
    if is_paired(tensor.dtype()) && options.mode != "nearest" {
        interpolated::<Pair>(tensor, &shape, axes, options)
    } else {
        interpolated::<f64>(tensor, &shape, axes, options)
    }
}

/// Resizes axis by axis. Results of integers are truncated toward zero at the end.
fn interpolated<N: Number>(
    tensor: &Tensor,
    shape: &[usize],
    axes: &[Axis],
    options: &Options,
) -> Result<Tensor, Problem> {
    let mut plans: Vec<Vec<Option<Taps<N>>>> = Vec::with_capacity(axes.len());
    for axis in axes {
        plans.push(taps(axis, options)?);
    }
    if options.mode == "nearest" {
        return pick(tensor, shape, &plans, options.extrapolation);
    }
    let mut values = N::elements(tensor)?;
    let mut current = tensor.shape().to_vec();
    for (at, plan) in plans.iter().enumerate() {
        if axes[at].stays() {
            continue;
        }
        let (outer, from, inner) = split_at(&current, at);
        current[at] = plan.len();
        let mut next = Vec::with_capacity(count(&current)?);
        for row in 0..outer {
            for taps in plan {
                for column in 0..inner {
                    let read = |&(place, weight): &(i64, N)| {
                        values[(row * from + place as usize) * inner + column] * weight
                    };
                    let taps = taps.as_deref().unwrap_or_default();
                    let first = taps.first().map_or(N::from(0.0), read);
                    next.push(taps.iter().skip(1).map(read).fold(first, |sum, term| sum + term));
                }
            }
        }
        values = next;
    }
    let outside = outside_mask(shape, &plans);
    for (value, outside) in values.iter_mut().zip(outside) {
        if outside {
            *value = N::from(options.extrapolation);
        }
    }
    N::tensor(tensor, shape, values)
}

/// Returns the neighbours of each position of the result along an axis; `None` is outside.
fn taps<N: Number>(axis: &Axis, options: &Options) -> Result<Vec<Option<Taps<N>>>, Problem> {
    let (up, down) = axis.scale;
    let widen = if options.antialias && up < down {
        N::from(down) / N::from(up)
    } else {
        N::from(1.0)
    };
    let taps = |to: usize| -> Result<Option<Taps<N>>, Problem> {
        let Some(at) = coordinate::<N>(axis, options, to)? else {
            return Ok(None);
        };
        let mut taps = match options.mode {
            "nearest" => {
                let place = nearest(at.near(), axis, options.nearest)?;
                vec![(place as i64, N::from(1.0))]
            }
            "linear" | "bilinear" => linear(at, widen),
            "cubic" => cubic(at, options.cubic, widen),
            other => return invalid(format!("unknown mode `{other}`")),
        };
        if options.exclude_outside && options.mode != "nearest" {
            taps = exclude_outside(taps, axis.from);
        }
        // Elements with weight 0 are not read, so that an infinity there has no effect.
        taps.retain(|&(_, weight)| weight != N::from(0.0));
        let clamp = |(place, weight): (i64, N)| (place.clamp(0, axis.from as i64 - 1), weight);
        Ok(Some(taps.into_iter().map(clamp).collect()))
    };
    (0..axis.to).map(taps).collect()
}

fn outside_mask<N>(shape: &[usize], plans: &[Vec<Option<Taps<N>>>]) -> Vec<bool> {
    let steps = super::super::movement::strides(shape);
    let total: usize = shape.iter().product();
    let outside = |linear: usize| {
        (0..shape.len()).any(|axis| plans[axis][(linear / steps[axis]) % shape[axis]].is_none())
    };
    (0..total).map(outside).collect()
}

/// Selects the nearest elements, of any type; outside the extrapolation value.
fn pick<N>(
    tensor: &Tensor,
    shape: &[usize],
    plans: &[Vec<Option<Taps<N>>>],
    extrapolation: f64,
) -> Result<Tensor, Problem> {
    let steps = super::super::movement::strides(shape);
    let own = super::super::movement::strides(tensor.shape());
    let place = |linear: usize| {
        let along = |axis: usize| {
            let taps = plans[axis][(linear / steps[axis]) % shape[axis]].as_ref()?;
            Some(taps.first()?.0 as usize * own[axis])
        };
        (0..shape.len()).map(along).sum::<Option<usize>>()
    };
    let places: Vec<Option<usize>> = (0..shape.iter().product()).map(place).collect();
    if places.iter().all(Option::is_some) {
        return take(tensor, shape, &places.into_iter().flatten().collect::<Vec<_>>());
    }
    let fill = from_floats(tensor.dtype(), &[1], vec![extrapolation])?;
    take_or(tensor, &fill, shape, &places)
}
