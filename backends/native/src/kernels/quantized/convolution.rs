//! QLinearConv and ConvInteger over one or two spatial axes.

use native_kernels::conv::ConvShape;
use native_kernels::int8::{ByteImages, ByteLayout, Bytes, Int8Convolution};

use super::super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use super::{MAX_PRODUCTS, MAX_SUMMAND, Requantized, Zero, is_byte, target, zeros};
use crate::error::Problem;
use crate::ir::{Graph, Layout, Node, Op, Operator};
use crate::ops::Rounding;
use crate::ops::fast::{Fast, Quantized};
use crate::ops::numbers::slice;

/// The positions of operands among the inputs.
struct Positions {
    w: usize,
    x_zero: usize,
    w_zero: usize,
    bias: usize,
}

const QLINEAR: Positions = Positions {
    w: 3,
    x_zero: 2,
    w_zero: 5,
    bias: 8,
};

const INTEGER: Positions = Positions {
    w: 1,
    x_zero: 2,
    w_zero: 3,
    bias: 4,
};

/// Whether a node convolves bytes to bytes with a kernel that reads and writes images with channels last.
pub fn convolves_channels_last(graph: &Graph, node: &Node) -> bool {
    let (Op::Plain(operator), Some(used)) = (&node.op, Use::of(graph, node)) else {
        return false;
    };
    if !matches!(operator.row.fast, Some(Fast::Quantized(Quantized::Convolution))) {
        return false;
    }
    let whole = |parts: &Parts| Int8Convolution::takes_channels_last(&parts.shape);
    let parts = parts(&used, operator, &QLINEAR);
    requantized(&used).is_some() && matches!(parts, Ok(Some(parts)) if whole(&parts))
}

fn requantized(used: &Use) -> Option<Requantized> {
    let columns = *used.outputs[0].get(1)?;
    Requantized::of(used, [1, 4, 6], 7, columns).filter(|_| is_byte(used.dtypes[0]))
}

pub fn qlinear(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    match requantized(used) {
        Some(requantized) => bind(used, device, operator, &QLINEAR, Some(requantized)),
        None => Ok(None),
    }
}

pub fn integer(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    bind(used, device, operator, &INTEGER, None)
}

/// The properties of a convolution that are known before it runs.
struct Parts<'a> {
    shape: ConvShape,
    batch: usize,
    size: [usize; 2],
    weights: Bytes<'a>,
    x_zero: Zero,
    w_zero: Vec<i32>,
    bias: Option<Vec<i32>>,
}

/// Returns the convolution, the number of images and their size, if the kernels support it.
fn geometry(
    used: &Use,
    operator: &Operator,
    w: usize,
) -> Result<Option<(ConvShape, usize, [usize; 2])>, Problem> {
    let (Some(Some(x)), Some(Some(w))) = (used.inputs.first(), used.inputs.get(w)) else {
        return Ok(None);
    };
    let (&[batch, in_channels, ref input @ ..], &[out_channels, per_group, ref kernel @ ..]) =
        (&x.shape[..], &w.shape[..])
    else {
        return Ok(None);
    };
    let groups = usize::try_from(operator.attributes.int("group")?).unwrap_or(0);
    let size = match *input {
        [columns] => [1, columns],
        [rows, columns] => [rows, columns],
        _ => return Ok(None),
    };
    let products = per_group.checked_mul(kernel.iter().product());
    let sound = is_byte(x.dtype)
        && is_byte(w.dtype)
        && input.len() == kernel.len()
        && !x.shape.contains(&0)
        && per_group.checked_mul(groups) == Some(in_channels)
        && products.is_some_and(|products| (1..=MAX_PRODUCTS).contains(&products));
    if !sound {
        return Ok(None);
    }
    let found = crate::ops::Window::new(&operator.attributes, input, kernel, Rounding::Down)?;
    let shape = |window| ConvShape {
        in_channels,
        out_channels,
        groups,
        window,
    };
    let fits = |shape: &ConvShape| Int8Convolution::fits(shape, batch, size);
    let shape = found.two_axes().map(shape).filter(fits);
    Ok(shape.map(|shape| (shape, batch, size)))
}

/// Returns the properties, if the kernels support them.
fn parts<'a>(used: &Use<'a>, operator: &Operator, at: &Positions) -> Result<Option<Parts<'a>>, Problem> {
    let Some((shape, batch, size)) = geometry(used, operator, at.w)? else {
        return Ok(None);
    };
    let zero_points = (Zero::of(used, at.x_zero), zeros(used, at.w_zero));
    let (Some(weights), (Some(x_zero), Some(w_zero))) = (used.constant(at.w), zero_points) else {
        return Ok(None);
    };
    let bias = match (used.has(at.bias), used.constant(at.bias)) {
        (false, _) => None,
        (true, Some(bias)) => Some(slice::<i32>(bias)?.to_vec()),
        (true, None) => return Ok(None),
    };
    let small = |bias: &Vec<i32>| {
        bias.len() == shape.out_channels && bias.iter().all(|value| value.unsigned_abs() < MAX_SUMMAND)
    };
    let one_or_each = w_zero.len() == 1 || w_zero.len() == shape.out_channels;
    let fits = bias.as_ref().is_none_or(small) && one_or_each;
    let weights = Elements::of_tensor(weights)?.bytes()?;
    Ok(fits.then_some(Parts {
        shape,
        batch,
        size,
        weights,
        x_zero,
        w_zero,
        bias,
    }))
}

fn bind(
    used: &Use,
    device: &Device,
    operator: &Operator,
    at: &Positions,
    requantized: Option<Requantized>,
) -> Attempt {
    let Some(Parts {
        shape,
        batch,
        size,
        weights,
        x_zero,
        w_zero,
        bias,
    }) = parts(used, operator, at)?
    else {
        return Ok(None);
    };
    let constants: Vec<_> = used.constant(at.w).into_iter().collect();
    let convolution = device.packs.get(&constants, (shape, &w_zero), || {
        Ok(Int8Convolution::new(&device.pool, shape, weights, &w_zero)?)
    })?;
    let x_layout = used.inputs[0].as_ref().map_or(Layout::Plain, |x| x.layout);
    let [x_layout, y_layout] = [x_layout, used.layout].map(|layout| match layout {
        Layout::ChannelsLast => ByteLayout::ChannelsLast,
        _ => ByteLayout::Plain,
    });
    let reads = x_zero.reads(0, at.x_zero);
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let images = ByteImages {
            batch,
            size,
            layout: x_layout,
            x: inputs[0].bytes()?,
            zero: x_zero.value(inputs)?,
        };
        let y = target(requantized.as_ref(), &mut outputs[0])?;
        Ok(convolution.run(&device.pool, &images, bias.as_deref(), y_layout, y)?)
    };
    Lowered::of(used, device, reads, Box::new(kernel))
}
