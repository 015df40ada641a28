//! ConvTranspose over one to three axes, and Conv where no fused kernel exists: over three axes, and with
//! weights that are not constant.

use native_kernels::conv::{InputLayout, Volume, VolumeFilters, VolumeShape};
use native_kernels::layout::{blocked_len, from_blocked, to_blocked};
use native_kernels::{Bias, Buffer, Epilogue};
use onnx_tensor::Tensor;

use super::careful::{convolve, plain, store};
use super::convolution::{is_finite, reads_plain};
use super::{Attempt, Device, Lowered, Use};
use crate::error::{Problem, invalid};
use crate::ir::{Graph, Layout, Node, Op, Operator, dtype};
use crate::ops::fast::Fast;
use crate::ops::numbers::slice;
use crate::ops::{Rounding, Transposition, Window};

/// The positions of the inputs.
const X: usize = 0;
const W: usize = 1;
const BIAS: usize = 2;

/// Returns the last extents of three axes; missing axes come first.
fn three(extents: &[usize], missing: usize) -> Option<[usize; 3]> {
    match *extents {
        [columns] => Some([missing, missing, columns]),
        [rows, columns] => Some([missing, rows, columns]),
        [planes, rows, columns] => Some([planes, rows, columns]),
        _ => None,
    }
}

/// Returns the geometry of a node over images of shape `x` with filters of shape `w`, and the shape of its
/// result; `None` if the shapes do not agree or kernels do not support them.
fn shape_of(operator: &Operator, x: &[usize], w: &[usize]) -> Option<(VolumeShape, Vec<usize>)> {
    let attributes = &operator.attributes;
    let (&[images, in_channels, ref input @ ..], &[first, second, ref kernel @ ..]) = (x, w) else {
        return None;
    };
    if let Some(given) = attributes.ints("kernel_shape").ok()? {
        let same = |(given, extent): (&i64, &usize)| usize::try_from(*given) == Ok(*extent);
        if given.len() != kernel.len() || !given.iter().zip(kernel).all(same) {
            return None;
        }
    }
    let groups = usize::try_from(attributes.int("group").ok()?).ok()?;
    let Some(Fast::Convolution { transposed }) = operator.row.fast else {
        return None;
    };
    let (strides, dilations, begins, output) = if transposed {
        let found = Transposition::new(attributes, operator.schema.since, x, w).ok()?;
        (found.strides, found.dilations, found.begins, found.shape)
    } else {
        let window = Window::new(attributes, input, kernel, Rounding::Down).ok()?;
        let output = [&[images, first], &window.output[..]].concat();
        (window.strides, window.dilations, window.pads_begin, output)
    };
    let channels_fit = if transposed {
        first == in_channels
    } else {
        Some(in_channels) == second.checked_mul(groups)
    };
    let shape = VolumeShape {
        transposed,
        in_channels,
        out_channels: *output.get(1)?,
        groups,
        size: three(input, 1)?,
        output: three(&output[2..], 1)?,
        kernel: three(kernel, 1)?,
        stride: three(&strides, 1)?,
        dilation: three(&dilations, 1)?,
        begin: three(&begins, 0)?,
    };
    (channels_fit && images > 0 && shape.check().is_ok()).then_some((shape, output))
}

/// Whether a node with constant weights has a kernel of this file, which reads and writes blocks.
pub fn convolves_volumes(graph: &Graph, node: &Node) -> bool {
    let Op::Plain(operator) = &node.op else {
        return false;
    };
    let float = |position: usize| {
        let id = node.input(position)?;
        (dtype(graph.known(id)) == Some(onnx_tensor::DType::Float)).then(|| graph.shape_of(id))?
    };
    let (Some(x), Some(w), Some(output)) = (
        float(X),
        float(W),
        node.only_output().and_then(|id| graph.shape_of(id)),
    ) else {
        return false;
    };
    let weights = node.input(W).and_then(|id| graph.constant(id));
    let finite = weights.is_some_and(|weights| slice::<f32>(weights).is_ok_and(is_finite));
    let bias = |channels: usize| node.input(BIAS).is_none() || float(BIAS) == Some(vec![channels]);
    finite
        && shape_of(operator, &x, &w)
            .is_some_and(|(shape, result)| result == output && bias(shape.out_channels))
}

/// A bound node.
struct Bound {
    operator: Operator,
    shape: VolumeShape,
    batch: usize,
    x_shape: Vec<usize>,
    w_shape: Vec<usize>,
    layout: InputLayout,
    /// The constant weights, packed.
    packed: Option<Volume>,
    /// The constant weights, if the general code may need them.
    weights: Option<Tensor>,
    has_bias: bool,
    /// Whether the image and the result have the blocked layout.
    x_is_blocked: bool,
    y_is_blocked: bool,
    image: Option<Buffer<f32>>,
    result: Option<Buffer<f32>>,
}

/// Lowers a Conv or ConvTranspose.
pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let (Some(x), Some(w)) = (used.float(X), used.float(W)) else {
        return Ok(None);
    };
    let Some((shape, output)) = shape_of(operator, &x.shape, &w.shape) else {
        return Ok(None);
    };
    let bias_fits = !used.has(BIAS)
        || used
            .float(BIAS)
            .is_some_and(|bias| bias.shape == [shape.out_channels]);
    let constant = used.floats(W);
    let finite = constant.is_none_or(is_finite);
    if used.outputs != [output] || !bias_fits || !finite {
        return Ok(None);
    }
    let x_is_blocked = x.layout == Layout::Blocked;
    let y_is_blocked = used.layout == Layout::Blocked;
    let layout = if !x_is_blocked && reads_plain(operator, shape.in_channels) {
        InputLayout::Plain
    } else {
        InputLayout::Blocked
    };
    let packed = match (used.constant(W), constant) {
        (Some(tensor), Some(weights)) => {
            let filters = device.packs.get(&[tensor], (shape.of_filters(), layout), || {
                Ok(VolumeFilters::new(&device.pool, shape, layout, weights)?)
            })?;
            Some(Volume::new(shape, &filters)?)
        }
        _ => None,
    };
    let batch = x.shape[0];
    let buffer = |needed: bool, channels: usize, pixels: usize| {
        let length = || blocked_len(&device.pool, batch, channels, pixels);
        needed.then(|| length().and_then(Buffer::try_zeroed)).transpose()
    };
    let mut reads = vec![X];
    reads.extend(packed.is_none().then_some(W));
    reads.extend(used.has(BIAS).then_some(BIAS));
    let mut bound = Bound {
        operator: operator.clone(),
        shape,
        batch,
        x_shape: x.shape.clone(),
        w_shape: w.shape.clone(),
        layout,
        weights: packed
            .as_ref()
            .is_some_and(Volume::mixes_groups)
            .then(|| used.constant(W).cloned())
            .flatten(),
        packed,
        has_bias: used.has(BIAS),
        x_is_blocked,
        y_is_blocked,
        image: buffer(
            !x_is_blocked && layout == InputLayout::Blocked,
            shape.in_channels,
            shape.size.iter().product(),
        )?,
        result: buffer(!y_is_blocked, shape.out_channels, shape.output.iter().product())?,
    };
    Lowered::new(used, device, reads, move |device, inputs, outputs| {
        let [y] = outputs else {
            return invalid("expected one result");
        };
        bound.run(device, inputs, y)
    })
}

impl Bound {
    fn run(&mut self, device: &Device, inputs: &[&[f32]], y: &mut [f32]) -> Result<(), Problem> {
        let pool = &device.pool;
        let bias = self.has_bias.then(|| inputs.last().copied()).flatten();
        let fresh = match &self.packed {
            Some(_) => None,
            None if !is_finite(inputs[W]) => return self.general(device, inputs, bias, y),
            None => {
                let filters = VolumeFilters::new(pool, self.shape, self.layout, inputs[W])?;
                Some(Volume::new(self.shape, &filters)?)
            }
        };
        let Some(volume) = self.packed.as_ref().or(fresh.as_ref()) else {
            return invalid("the weights are missing");
        };
        // Weights of other groups are zeros, which an infinite value turns into NaN.
        if volume.mixes_groups() && !is_finite(inputs[X]) {
            return self.general(device, inputs, bias, y);
        }
        let pixels = self.shape.size.iter().product();
        if let Some(image) = &mut self.image {
            to_blocked(pool, self.batch, self.shape.in_channels, pixels, inputs[X], image)?;
        }
        let x = self.image.as_deref().unwrap_or(inputs[X]);
        let epilogue = Epilogue {
            bias: bias.map_or(Bias::None, Bias::Column),
            ..Epilogue::default()
        };
        let Some(result) = &mut self.result else {
            return Ok(volume.run(pool, self.batch, x, &epilogue, y)?);
        };
        volume.run(pool, self.batch, x, &epilogue, result)?;
        let pixels = self.shape.output.iter().product();
        Ok(from_blocked(
            pool,
            self.batch,
            self.shape.out_channels,
            pixels,
            result,
            y,
        )?)
    }

    /// Runs the code over whole values, for operands that are not finite.
    fn general(
        &self,
        device: &Device,
        inputs: &[&[f32]],
        bias: Option<&[f32]>,
        y: &mut [f32],
    ) -> Result<(), Problem> {
        let pool = &device.pool;
        let image = plain(pool, &self.x_shape, inputs[X], self.x_is_blocked)?;
        let weights = match &self.weights {
            Some(weights) => weights.clone(),
            None => Tensor::new(&self.w_shape, inputs[W].to_vec())?,
        };
        let bias = bias
            .map(|bias| Tensor::new(&[bias.len()], bias.to_vec()))
            .transpose()?;
        let image = Tensor::new(&self.x_shape, image)?;
        let result = convolve(&self.operator, [Some(image), Some(weights), bias])?;
        store(pool, result.shape(), slice::<f32>(&result)?, y, self.y_is_blocked)
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{self, Int, Ints};
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    /// Checks a node over an image of this shape, with weights as constants and as computed values.
    #[track_caller]
    fn check(
        operator: &str,
        x: &[usize],
        w: &[usize],
        channels: usize,
        attributes: &[(&str, AttributeValue)],
    ) {
        let fixture = |weights: &str| {
            let nodes = vec![
                node("Sin", "w", "computed", &[]),
                node("Sin", "x", "image", &[]),
                node(operator, &format!("image {weights} b"), "y", attributes),
            ];
            Fixture::new(x, nodes).varied("w", w).varied("b", &[channels])
        };
        for weights in ["w", "computed"] {
            fixture(weights).check_kernels(&["Sin"], 1e-5);
        }
    }

    #[test]
    fn attributes_are_bound_for_every_number_of_axes() {
        let list = |name: &'static str, values: &[i64]| (name, Ints(values.to_vec()));
        check(
            "ConvTranspose",
            &[2, 4, 7],
            &[4, 3, 3],
            3,
            &[list("strides", &[2])],
        );
        check(
            "ConvTranspose",
            &[1, 9, 4, 5],
            &[9, 17, 3, 2],
            17,
            &[
                list("strides", &[2, 3]),
                list("pads", &[1, 0, 1, 1]),
                list("dilations", &[1, 2]),
                list("output_padding", &[1, 2]),
            ],
        );
        check(
            "ConvTranspose",
            &[1, 6, 4, 5],
            &[6, 2, 3, 3],
            6,
            &[
                ("group", Int(3)),
                list("strides", &[2, 2]),
                list("output_shape", &[8, 11]),
            ],
        );
        check(
            "ConvTranspose",
            &[1, 2, 2, 3, 4],
            &[2, 3, 2, 2, 2],
            3,
            &[list("strides", &[2, 1, 2])],
        );
        check(
            "Conv",
            &[2, 3, 4, 5, 6],
            &[9, 3, 3, 2, 3],
            9,
            &[list("pads", &[1, 0, 1, 1, 1, 1])],
        );
        check(
            "Conv",
            &[1, 8, 4, 5, 6],
            &[4, 4, 2, 2, 2],
            4,
            &[("group", Int(2))],
        );
    }

    /// The kernel multiplies values of other groups by zeros; an infinite one takes the general code.
    #[test]
    fn an_infinite_value_changes_only_results_of_its_group() {
        let nodes = vec![
            node("Div", "x d", "image", &[]),
            node("ConvTranspose", "image w", "sums", &[("group", Int(4))]),
            node("Min", "sums limit", "y", &[]),
        ];
        let divisors = Tensor::new(&[4, 1, 1], vec![1.0_f32, 0.0, 1.0, 1.0]).expect("four");
        Fixture::new(&[1, 4, 3, 3], nodes)
            .varied("w", &[4, 1, 2, 2])
            .constant("d", divisors)
            .constant("limit", Tensor::scalar(100.0_f32))
            .check_kernels(&[], 1e-5);
    }
}
