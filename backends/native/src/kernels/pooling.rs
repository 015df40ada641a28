//! Poolings over one to three spatial axes and global poolings, with images in the plain or blocked layout.

use native_kernels::elementwise::ChannelLayout;
use native_kernels::pool::{PoolShape, Pooling, global_pool, pool};
use native_kernels::{Buffer, Pool, conv};

use super::affine::{channels, image};
use super::{Attempt, Device, Lowered, Use};
use crate::error::{Problem, invalid};
use crate::ir::{Layout, Operator};
use crate::ops::fast::Pooled;
use crate::ops::{Rounding, Window, two_axes};

pub fn lower(used: &Use, device: &Device, operator: &Operator, pooled: Pooled) -> Attempt {
    let (Some(x), 1) = (used.float(0), used.outputs.len()) else {
        return Ok(None);
    };
    let (&[batch, count, ref spatial @ ..], Some(extents)) = (x.shape.as_slice(), image(&x.shape)) else {
        return Ok(None);
    };
    if x.layout != used.layout || x.shape.contains(&0) {
        return Ok(None);
    }
    let layout = channels(x.layout);
    let include_pad = operator.attributes.flag("count_include_pad")?;
    let pooling = if pooled.mean {
        Pooling::Average { include_pad }
    } else {
        Pooling::Max
    };
    if pooled.global {
        return Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
            Ok(global_pool(
                &device.pool,
                layout,
                extents,
                pooling,
                inputs[0],
                outputs[0],
            )?)
        });
    }
    let kernel = crate::ops::call::extents(operator.attributes.ints("kernel_shape")?.unwrap_or_default())?;
    let up = operator.attributes.flag("ceil_mode")?;
    let rounding = if up { Rounding::Up } else { Rounding::Down };
    let found = Window::new(&operator.attributes, spatial, &kernel, rounding)?;
    if found.output.contains(&0) {
        return Lowered::new(used, device, vec![0], |_, _, _| Ok(()));
    }
    // Kernels and ONNX may differ in how the mean counts the padding of a last window that ends after it.
    if include_pad && up && !found.is_whole(spatial) {
        return Ok(None);
    }
    let blocks = match x.layout {
        Layout::Blocked => [batch * count.div_ceil(device.lanes()), device.lanes()],
        _ => [batch, count],
    };
    let Some(stages) = stages(&found, spatial, blocks, pooling, up)? else {
        return Ok(None);
    };
    let between = match &stages[..] {
        [first, _] => first.results(),
        _ => 0,
    };
    let mut between: Buffer<f32> = Buffer::try_zeroed(between)?;
    Lowered::new(
        used,
        device,
        vec![0],
        move |device, inputs, outputs| match &stages[..] {
            [first, second] => {
                first.run(&device.pool, layout, inputs[0], &mut between)?;
                second.run(&device.pool, layout, &between, outputs[0])
            }
            [only] => only.run(&device.pool, layout, inputs[0], outputs[0]),
            _ => invalid("a pooling has one or two stages"),
        },
    )
}

/// A pooling over two axes.
struct Stage {
    /// The numbers of images and channels.
    planes: [usize; 2],
    /// The extents of an image, and of its result.
    size: [usize; 2],
    output: [usize; 2],
    shape: PoolShape,
}

impl Stage {
    fn results(&self) -> usize {
        self.planes.iter().chain(&self.output).product()
    }

    fn run(&self, threads: &Pool, layout: ChannelLayout, x: &[f32], y: &mut [f32]) -> Result<(), Problem> {
        Ok(pool(threads, layout, self.planes, self.size, &self.shape, x, y)?)
    }
}

/// Returns the poolings over two axes that make up a pooling: over planes and then along the depth, if there
/// are three axes. The maximum of maxima is the maximum, and each plane of a window has as many pixels as the
/// others, so the mean of means is the mean. `None` if kernels do not support the window.
fn stages(
    found: &Window,
    spatial: &[usize],
    [batch, channels]: [usize; 2],
    pooling: Pooling,
    ceil_mode: bool,
) -> Result<Option<Vec<Stage>>, Problem> {
    let stage = |planes: [usize; 2], window: conv::Window, size: [usize; 2], output: [usize; 2]| {
        let shape = PoolShape {
            window,
            pooling,
            ceil_mode,
        };
        let same = shape.output(size).is_ok_and(|found| found == output);
        same.then_some(Stage {
            planes,
            size,
            output,
            shape,
        })
    };
    let (depth, plane) = match *spatial {
        [depth, ref plane @ ..] if spatial.len() == 3 => (Some(depth), plane),
        _ => (None, spatial),
    };
    let first = usize::from(depth.is_some());
    let (Some(window), Some(size), Some(output)) = (
        found.two_axes_from(first),
        two_axes(plane, 1),
        two_axes(&found.output[first..], 1),
    ) else {
        return Ok(None);
    };
    let Some(depth) = depth else {
        return Ok(stage([batch, channels], window, size, output).map(|only| vec![only]));
    };
    let Some(images) = batch.checked_mul(depth) else {
        return invalid("the image has too many planes");
    };
    let along = conv::Window {
        kernel: [found.kernel[0], 1],
        stride: [found.strides[0], 1],
        dilation: [found.dilations[0], 1],
        pad_begin: [found.pads_begin[0], 0],
        pad_end: [found.pads_end[0], 0],
    };
    let pixels = output[0] * output[1];
    let planes = stage([images, channels], window, size, output);
    let depths = stage(
        [batch, channels],
        along,
        [depth, pixels],
        [found.output[0], pixels],
    );
    Ok(planes.zip(depths).map(|(planes, depths)| vec![planes, depths]))
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{Int, Ints};

    use crate::fixture::{Fixture, node};

    #[test]
    fn volumes_are_pooled_over_planes_and_then_along_the_depth() {
        let window = [
            ("kernel_shape", Ints(vec![2, 3, 2])),
            ("strides", Ints(vec![1, 2, 1])),
            ("pads", Ints(vec![1, 1, 0, 0, 1, 1])),
        ];
        let with = |name: &'static str| [&window[..], &[(name, Int(1))]].concat();
        let nodes = vec![
            node("MaxPool", "x", "a", &window),
            node("AveragePool", "a", "b", &window),
            node("AveragePool", "b", "c", &with("count_include_pad")),
            node("MaxPool", "c", "d", &with("ceil_mode")),
            node("GlobalMaxPool", "d", "e", &[]),
            node("Add", "d e", "y", &[]),
        ];
        Fixture::new(&[2, 3, 5, 17, 7], nodes).check_kernels(&[], 1e-6);
    }

    #[test]
    fn whole_windows_count_padding_also_if_the_number_of_windows_is_rounded_up() {
        let attributes = [
            ("kernel_shape", Ints(vec![2, 3])),
            ("strides", Ints(vec![2, 2])),
            ("pads", Ints(vec![0, 1, 0, 1])),
            ("ceil_mode", Int(1)),
            ("count_include_pad", Int(1)),
        ];
        let pool = || vec![node("AveragePool", "x", "y", &attributes)];
        Fixture::new(&[1, 2, 6, 7], pool()).check_kernels(&[], 1e-6);
        Fixture::new(&[1, 2, 7, 8], pool()).check_kernels(&["AveragePool"], 1e-6);
    }
}
