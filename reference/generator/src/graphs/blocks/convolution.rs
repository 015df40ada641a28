//! Images: convolutions with subsequent operators, pools, resizes, squeeze-and-excitation.

use onnx_model::AttributeValue::{Float, Int, Ints};

use super::super::draft::{GraphDraft, Wire};
use super::super::range::Range;
use super::elementwise::activated;
use super::{ints, text};

/// An image of four axes, or a new one.
fn image(g: &mut GraphDraft) -> Option<Wire> {
    let channels = g.one_of(&[1, 2, 3, 4, 8, 8, 12, 16, 16, 17, 32]);
    let (batch, height, width) = (g.one_of(&[1, 1, 1, 2]), g.extent(1, 9), g.extent(1, 9));
    g.float(&[batch, channels, height, width], |wire| {
        wire.rank() == 4 && wire.len() > 0
    })
}

/// Extents of a window along an axis.
struct Window {
    kernel: usize,
    stride: usize,
    dilation: usize,
    pads: (usize, usize),
}

impl Window {
    fn drawn(g: &mut GraphDraft, extent: usize) -> Window {
        let kernel = g.one_of(&[1, 1, 2, 3, 3, 3, 5]);
        let dilation = g.one_of(&[1, 1, 1, 2]);
        let reach = (kernel - 1) * dilation;
        let pads = match g.draws.below(3) {
            0 => (reach / 2, reach - reach / 2),
            1 => (0, 0),
            _ => (g.draws.below(3), g.draws.below(3)),
        };
        let missing = (reach + 1).saturating_sub(extent + pads.0 + pads.1);
        Window {
            kernel,
            dilation,
            stride: g.one_of(&[1, 1, 2, 3]),
            pads: (pads.0, pads.1 + missing),
        }
    }

    fn output(&self, extent: usize) -> usize {
        (extent + self.pads.0 + self.pads.1 - (self.kernel - 1) * self.dilation - 1) / self.stride + 1
    }
}

/// The attributes of windows over all spatial axes.
fn windows(all: &[Window]) -> Vec<(&'static str, onnx_model::AttributeValue)> {
    let list = |of: fn(&Window) -> usize| ints(&all.iter().map(of).collect::<Vec<_>>());
    let pads: Vec<usize> = all
        .iter()
        .map(|w| w.pads.0)
        .chain(all.iter().map(|w| w.pads.1))
        .collect();
    vec![
        ("kernel_shape", list(|w| w.kernel)),
        ("strides", list(|w| w.stride)),
        ("dilations", list(|w| w.dilation)),
        ("pads", ints(&pads)),
    ]
}

/// A convolution over any number of spatial axes.
pub fn convolved(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let (channels, extents) = (x.shape[1], &x.shape[2..]);
    let all: Vec<Window> = extents.iter().map(|&extent| Window::drawn(g, extent)).collect();
    let groups = match g.draws.below(4) {
        0 => channels,
        1 if channels % 2 == 0 => 2,
        _ => 1,
    };
    let maps = if groups == channels {
        channels * g.one_of(&[1, 1, 1, 2])
    } else {
        groups * g.one_of(&[1, 2, 4, 8, 16])
    };
    let kernel: Vec<usize> = all.iter().map(|window| window.kernel).collect();
    let terms = channels / groups * kernel.iter().product::<usize>();
    let w = g.weights(&[&[maps, channels / groups], &kernel[..]].concat(), terms)?;
    let mut attributes = windows(&all);
    attributes.push(("group", Int(groups as i64)));
    let outputs = extents
        .iter()
        .zip(&all)
        .map(|(&extent, window)| window.output(extent));
    let shape: Vec<usize> = [x.shape[0], maps].into_iter().chain(outputs).collect();
    let range = x.range.dot(w.range, terms);
    if g.draws.one_in(2) {
        let bias = g.weights(&[maps], 1)?;
        let range = range.plus(bias.range);
        return Some(g.emit("Conv", &[x, &w, &bias], &attributes, shape, range));
    }
    Some(g.emit("Conv", &[x, &w], &attributes, shape, range))
}

/// Scale and shift of each channel by statistics.
fn normalized(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let channels = [x.shape[1]];
    let (scale, shift, mean) = (
        g.weights(&channels, 1)?,
        g.weights(&channels, 1)?,
        g.weights(&channels, 1)?,
    );
    let variance = g.positive(&channels)?;
    let most = (x.range.most + 2.0) * 4.0 + 2.0;
    Some(g.emit(
        "BatchNormalization",
        &[x, &scale, &shift, &mean, &variance],
        &[("epsilon", Float(1e-3))],
        x.shape.clone(),
        Range::rounded(most),
    ))
}

/// Conv, then optionally BatchNormalization, scale and shift of channels, a sum, an activation.
pub fn convolution(g: &mut GraphDraft) -> Option<()> {
    let x = image(g)?;
    let mut y = convolved(g, &x)?;
    if g.draws.one_in(2) {
        y = normalized(g, &y)?;
    }
    if g.draws.one_in(6) {
        let operator = g.text(&["Mul", "Add"]);
        let factor = g.weights(&[1, y.shape[1], 1, 1], 1)?;
        y = g.combine(operator, &y, &factor)?;
    }
    if g.draws.one_in(3) {
        let (like, float) = (y.clone(), g.float);
        let other =
            match g.find(|wire| wire.dtype == float && wire.shape == like.shape && wire.name != like.name) {
                Some(other) => other,
                None => g.feed(&like.shape)?,
            };
        let (a, b) = if g.draws.one_in(2) {
            (&y, &other)
        } else {
            (&other, &y)
        };
        y = g.combine("Add", a, b)?;
    }
    if g.draws.one_in(8) {
        g.keep(y.clone());
    }
    if g.draws.one_in(2) {
        y = g.tamed(y)?;
        y = activated(g, &y)?;
    }
    g.keep(y);
    Some(())
}

/// BatchNormalization without a convolution before it, or before one.
pub fn statistics(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 8, 4], |wire| {
        (2..=5).contains(&wire.rank()) && wire.len() > 0
    })?;
    let y = normalized(g, &x)?;
    g.keep(y);
    Some(())
}

/// A convolution over one or three spatial axes.
pub fn other_rank(g: &mut GraphDraft) -> Option<()> {
    let x = if g.draws.one_in(3) {
        g.float(&[1, 4, 3, 4, 3], |wire| {
            wire.rank() == 5 && wire.len() > 0 && wire.len() < 1000
        })?
    } else {
        g.float(&[1, 8, 11], |wire| wire.rank() == 3 && wire.len() > 0)?
    };
    let y = convolved(g, &x)?;
    let y = g.tamed(y)?;
    let y = if g.draws.one_in(2) { activated(g, &y)? } else { y };
    g.keep(y);
    Some(())
}

/// ConvTranspose, as in decoders.
pub fn transposed(g: &mut GraphDraft) -> Option<()> {
    let x = image(g)?;
    let &[n, channels, h, w] = x.shape.as_slice() else {
        return None;
    };
    let groups = if channels % 2 == 0 && g.draws.one_in(4) {
        2
    } else {
        1
    };
    let per_group = g.one_of(&[1, 2, 3, 8]);
    let (kernel, stride) = (g.one_of(&[1, 2, 2, 3, 4]), g.one_of(&[1, 2, 2, 3]));
    let pad = if kernel > 1 {
        g.draws.below(kernel.min(3))
    } else {
        0
    };
    let more = if stride > 1 { g.draws.below(2) } else { 0 };
    let extent = |input: usize| {
        ((input - 1) * stride + kernel + more)
            .checked_sub(2 * pad)
            .filter(|&extent| extent > 0)
    };
    let shape = vec![n, per_group * groups, extent(h)?, extent(w)?];
    let weights = g.weights(&[channels, per_group, kernel, kernel], channels)?;
    let attributes = [
        ("strides", ints(&[stride, stride])),
        ("pads", ints(&[pad; 4])),
        ("output_padding", ints(&[more, more])),
        ("group", Int(groups as i64)),
    ];
    let range = x.range.dot(weights.range, channels * kernel * kernel);
    let y = if g.draws.one_in(2) {
        let bias = g.weights(&[per_group * groups], 1)?;
        let range = range.plus(bias.range);
        g.emit("ConvTranspose", &[&x, &weights, &bias], &attributes, shape, range)
    } else {
        g.emit("ConvTranspose", &[&x, &weights], &attributes, shape, range)
    };
    let y = g.tamed(y)?;
    let y = if g.draws.one_in(3) { normalized(g, &y)? } else { y };
    g.keep(y);
    Some(())
}

/// Pools of windows, or of the whole plane.
pub fn pool(g: &mut GraphDraft) -> Option<()> {
    let x = image(g)?;
    let (n, c) = (x.shape[0], x.shape[1]);
    if g.draws.one_in(4) {
        let operator = g.text(&["GlobalAveragePool", "GlobalMaxPool"]);
        let range = if operator == "GlobalMaxPool" {
            x.range
        } else {
            Range::rounded(x.range.most)
        };
        let y = g.emit(operator, &[&x], &[], vec![n, c, 1, 1], range);
        g.keep(y);
        return Some(());
    }
    let mut all: Vec<Window> = x.shape[2..]
        .iter()
        .map(|&extent| Window::drawn(g, extent))
        .collect();
    for (window, &extent) in all.iter_mut().zip(&x.shape[2..]) {
        // A pad is smaller than the kernel, and every window overlaps the input.
        window.dilation = 1;
        window.kernel = window.kernel.min(extent.max(1));
        window.pads = if window.kernel > 1 {
            (window.kernel / 2, (window.kernel - 1) / 2)
        } else {
            (0, 0)
        };
    }
    let outputs = x.shape[2..]
        .iter()
        .zip(&all)
        .map(|(&extent, window)| window.output(extent));
    let shape: Vec<usize> = [n, c].into_iter().chain(outputs).collect();
    let mut attributes = windows(&all);
    attributes.retain(|(name, _)| *name != "dilations");
    let y = if g.draws.one_in(2) {
        g.emit("MaxPool", &[&x], &attributes, shape, x.range)
    } else {
        attributes.push(("count_include_pad", Int(i64::from(g.draws.one_in(2)))));
        g.emit(
            "AveragePool",
            &[&x],
            &attributes,
            shape,
            Range::rounded(x.range.most),
        )
    };
    g.keep(y);
    Some(())
}

/// Squeeze-and-excitation: the mean of each channel, through two small layers, scales the channel.
pub fn excitation(g: &mut GraphDraft) -> Option<()> {
    let x = image(g)?;
    let (n, c) = (x.shape[0], x.shape[1]);
    let pooled = if g.draws.one_in(2) {
        g.emit(
            "GlobalAveragePool",
            &[&x],
            &[],
            vec![n, c, 1, 1],
            Range::rounded(x.range.most),
        )
    } else {
        super::heads::reduced(g, &x, "ReduceMean", &[2, 3], true)?
    };
    let layer = |g: &mut GraphDraft, x: &Wire, maps: usize| -> Option<Wire> {
        let (w, b) = (
            g.weights(&[maps, x.shape[1], 1, 1], x.shape[1])?,
            g.weights(&[maps], 1)?,
        );
        let range = x.range.dot(w.range, x.shape[1]).plus(b.range);
        Some(g.emit("Conv", &[x, &w, &b], &[], vec![n, maps, 1, 1], range))
    };
    let narrow = layer(g, &pooled, (c / 2).max(1))?;
    let narrow = g.emit("Relu", &[&narrow], &[], narrow.shape.clone(), narrow.range);
    let wide = layer(g, &narrow, c)?;
    let gate = if g.draws.one_in(2) {
        g.map("Sigmoid", &wide, &[], 1.0)
    } else {
        g.map("HardSigmoid", &wide, &[], 1.0)
    };
    let (a, b) = if g.draws.one_in(2) {
        (&x, &gate)
    } else {
        (&gate, &x)
    };
    let y = g.combine("Mul", a, b)?;
    g.keep(y);
    Some(())
}

/// Resizes the plane.
pub fn resize(g: &mut GraphDraft) -> Option<()> {
    let x = image(g)?;
    let y = resized(g, &x)?;
    g.keep(y);
    Some(())
}

fn resized(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let &[n, c, h, w] = x.shape.as_slice() else {
        return None;
    };
    let nearest = g.draws.one_in(2);
    let transform = g.text(&["asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"]);
    // Between two elements the nearest depends on rounding: only integer factors are exact.
    let whole = nearest && transform != "align_corners";
    let transform = if nearest { "asymmetric" } else { transform };
    let factor = g.one_of(&[2, 2, 3]);
    let by_sizes = !whole && g.draws.one_in(2);
    let (height, width) = if by_sizes {
        (g.extent(1, 12), g.extent(1, 12))
    } else {
        (h * factor, w * factor)
    };
    let shape = vec![n, c, height, width];
    let mode = if nearest {
        "nearest"
    } else {
        g.text(&["linear", "cubic"])
    };
    let mut attributes = vec![
        ("mode", text(mode)),
        ("coordinate_transformation_mode", text(transform)),
    ];
    if nearest {
        attributes.push(("nearest_mode", text("floor")));
    }
    let range = if nearest {
        x.range
    } else {
        Range::rounded(2.0 * x.range.most)
    };
    let name = if by_sizes {
        let sizes = g.list(&shape.iter().map(|&extent| extent as i64).collect::<Vec<_>>());
        g.node("Resize", &[&x.name, "", "", &sizes.name], &attributes, 1)
            .pop()?
    } else {
        let scales = onnx_tensor::Tensor::vector(vec![1.0_f32, 1.0, factor as f32, factor as f32]);
        let scales = g.constant(scales, Range::multiples(3.0, 1.0));
        g.node("Resize", &[&x.name, "", &scales.name], &attributes, 1)
            .pop()?
    };
    Some(Wire {
        name,
        dtype: x.dtype,
        shape,
        range: range.held_by(x.dtype),
    })
}

/// One level of a U-Net: downsampling, convolution, upsampling, concatenation.
pub fn level(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[1, 8, 4, 6], |wire| {
        wire.rank() == 4 && wire.shape[2] % 2 == 0 && wire.shape[3] % 2 == 0 && wire.len() > 0
    })?;
    let &[n, c, h, w] = x.shape.as_slice() else {
        return None;
    };
    let window = [("kernel_shape", ints(&[2, 2])), ("strides", ints(&[2, 2]))];
    let down = g.emit("MaxPool", &[&x], &window, vec![n, c, h / 2, w / 2], x.range);
    let maps = g.one_of(&[2, 8, 16]);
    let weights = g.weights(&[maps, c, 3, 3], 9 * c)?;
    let range = down.range.dot(weights.range, 9 * c);
    let inner = g.emit(
        "Conv",
        &[&down, &weights],
        &[("pads", ints(&[1; 4]))],
        vec![n, maps, h / 2, w / 2],
        range,
    );
    let inner = g.emit("Relu", &[&inner], &[], inner.shape.clone(), inner.range);
    let up = if g.draws.one_in(2) {
        let scales = g.constant(
            onnx_tensor::Tensor::vector(vec![1.0_f32, 1.0, 2.0, 2.0]),
            Range::multiples(2.0, 1.0),
        );
        let mode = [
            ("mode", text("nearest")),
            ("coordinate_transformation_mode", text("asymmetric")),
            ("nearest_mode", text("floor")),
        ];
        let name = g
            .node("Resize", &[&inner.name, "", &scales.name], &mode, 1)
            .pop()?;
        Wire {
            name,
            shape: vec![n, maps, h, w],
            ..inner.clone()
        }
    } else {
        let weights = g.weights(&[maps, 4, 2, 2], maps)?;
        let range = inner.range.dot(weights.range, 4 * maps);
        g.emit(
            "ConvTranspose",
            &[&inner, &weights],
            &[("strides", ints(&[2, 2]))],
            vec![n, 4, h, w],
            range,
        )
    };
    let mut shape = x.shape.clone();
    shape[1] += up.shape[1];
    let (a, b) = if g.draws.one_in(2) { (&up, &x) } else { (&x, &up) };
    let y = g.emit(
        "Concat",
        &[a, b],
        &[("axis", Int(1))],
        shape,
        x.range.or(up.range),
    );
    g.keep(y);
    Some(())
}

/// Normalisation of images by their own statistics.
pub fn own_statistics(g: &mut GraphDraft) -> Option<()> {
    let x = image(g)?;
    (x.shape[2] * x.shape[3] > 1).then_some(())?;
    let channels = [x.shape[1]];
    let most = ((x.shape[2] * x.shape[3] * x.shape[1]) as f64).sqrt() * 2.0 + 2.0;
    let y = match g.draws.below(3) {
        0 if g.opset >= 21 && x.shape[1] % 2 == 0 => {
            let (scale, shift) = (g.weights(&channels, 1)?, g.weights(&channels, 1)?);
            g.emit(
                "GroupNormalization",
                &[&x, &scale, &shift],
                &[("num_groups", Int(2)), ("epsilon", Float(1e-2))],
                x.shape.clone(),
                Range::rounded(most),
            )
        }
        1 => {
            let size = ("size", Int(g.one_of(&[1, 3, 5]) as i64));
            g.map("LRN", &x, &[size], x.range.most)
        }
        _ => {
            let (scale, shift) = (g.weights(&channels, 1)?, g.weights(&channels, 1)?);
            g.emit(
                "InstanceNormalization",
                &[&x, &scale, &shift],
                &[("epsilon", Float(1e-2))],
                x.shape.clone(),
                Range::rounded(most),
            )
        }
    };
    g.keep(y);
    Some(())
}

/// A convolution with the axis order of TensorFlow.
pub fn channels_last(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[1, 5, 5, 8], |wire| wire.rank() == 4 && wire.len() > 0)?;
    let turned = |g: &mut GraphDraft, x: &Wire, order: [usize; 4]| {
        let shape = order.iter().map(|&axis| x.shape[axis]).collect();
        let perm = Ints(order.iter().map(|&axis| axis as i64).collect());
        g.emit("Transpose", &[x], &[("perm", perm)], shape, x.range)
    };
    let first = turned(g, &x, [0, 3, 1, 2]);
    let inner = convolved(g, &first)?;
    let inner = g.tamed(inner)?;
    let inner = if g.draws.one_in(2) {
        activated(g, &inner)?
    } else {
        inner
    };
    let y = turned(g, &inner, [0, 2, 3, 1]);
    g.keep(y);
    Some(())
}
