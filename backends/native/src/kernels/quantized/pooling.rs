//! MaxPool of bytes over two spatial axes, channels last.

use native_kernels::int8::{ByteLayout, Bytes, BytesMut, max_pool, relayout};
use native_kernels::pool::{PoolShape, Pooling};
use native_kernels::{Buffer, Pool, Zeroable};

use super::super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use super::{MAXIMUM, is_byte};
use crate::error::{Problem, invalid};
use crate::ir::{Graph, Layout, Node, Op, Operator};
use crate::ops::fast::Fast;
use crate::ops::{Rounding, Window};

/// Images and channels, the size of an image, and the window.
type Parts = ([usize; 2], [usize; 2], PoolShape);

/// Whether a node pools bytes with a kernel.
pub fn pools_bytes(graph: &Graph, node: &Node) -> bool {
    let (Op::Plain(operator), Some(used)) = (&node.op, Use::of(graph, node)) else {
        return false;
    };
    matches!(operator.row.fast, Some(Fast::Pool(MAXIMUM))) && matches!(parts(&used, operator), Ok(Some(_)))
}

fn parts(used: &Use, operator: &Operator) -> Result<Option<Parts>, Problem> {
    let Some(Some(x)) = used.inputs.first() else {
        return Ok(None);
    };
    let &[batch, channels, rows, columns] = x.shape.as_slice() else {
        return Ok(None);
    };
    if !is_byte(x.dtype) || used.outputs.len() != 1 || x.shape.contains(&0) {
        return Ok(None);
    }
    let size = [rows, columns];
    let shape = window(operator, size, Pooling::Max)?;
    Ok(shape.map(|shape| ([batch, channels], size, shape)))
}

/// Returns the window of a pooling over images of `size`, if the kernels support it.
pub(super) fn window(
    operator: &Operator,
    size: [usize; 2],
    pooling: Pooling,
) -> Result<Option<PoolShape>, Problem> {
    let kernel = crate::ops::call::extents(operator.attributes.ints("kernel_shape")?.unwrap_or_default())?;
    let ceil_mode = operator.attributes.flag("ceil_mode")?;
    let rounding = if ceil_mode { Rounding::Up } else { Rounding::Down };
    let found = Window::new(&operator.attributes, &size, &kernel, rounding)?;
    let Some(window) = found.two_axes() else {
        return Ok(None);
    };
    let shape = PoolShape {
        window,
        pooling,
        ceil_mode,
    };
    let fits = shape
        .output(size)
        .is_ok_and(|output| output[..] == found.output[..]);
    Ok(fits.then_some(shape))
}

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(([batch, channels], size, shape)) = parts(used, operator)? else {
        return Ok(None);
    };
    let output = shape.output(size)?;
    let plain = used.layout == Layout::Plain;
    let planes = Planes::new([batch, channels], [size, output]);
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let pool = &device.pool;
        let largest = |x: Bytes, y: BytesMut| Ok(max_pool(pool, [batch, channels], size, &shape, x, y)?);
        match (inputs, outputs) {
            ([Elements::U8(x)], [ElementsMut::U8(y)]) if plain => planes.around(pool, x, y, |x, y| {
                largest(Bytes::Unsigned(x), BytesMut::Unsigned(y))
            }),
            ([Elements::I8(x)], [ElementsMut::I8(y)]) if plain => {
                planes.around(pool, x, y, |x, y| largest(Bytes::Signed(x), BytesMut::Signed(y)))
            }
            ([x], [y]) => largest(x.bytes()?, y.bytes()?),
            _ => invalid("a pooling has one input and one output"),
        }
    };
    Lowered::of(used, device, vec![0], Box::new(kernel))
}

/// Converts images in the plain layout before and after the pooling.
pub(super) struct Planes {
    batch: usize,
    channels: usize,
    pixels: [usize; 2],
}

impl Planes {
    /// Images before and after the pooling: images and channels, and their sizes.
    pub(super) fn new([batch, channels]: [usize; 2], sizes: [[usize; 2]; 2]) -> Planes {
        let pixels = sizes.map(|[rows, columns]| rows * columns);
        Planes {
            batch,
            channels,
            pixels,
        }
    }

    /// Runs `body` on images with channels last.
    pub(super) fn around<T: Zeroable>(
        &self,
        pool: &Pool,
        x: &[T],
        y: &mut [T],
        body: impl Fn(&[T], &mut [T]) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let [before, after] = self.pixels.map(|pixels| [self.batch, self.channels, pixels]);
        let len =
            |[batch, channels, pixels]: [usize; 3]| ByteLayout::ChannelsLast.len(batch, channels, pixels);
        let (mut from, mut to) = (
            Buffer::try_zeroed(len(before)?)?,
            Buffer::try_zeroed(len(after)?)?,
        );
        relayout(pool, before, ByteLayout::Plain, x, &mut from)?;
        body(&from, &mut to)?;
        Ok(relayout(pool, after, ByteLayout::ChannelsLast, &to, y)?)
    }
}
