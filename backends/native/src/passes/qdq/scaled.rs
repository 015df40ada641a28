//! Bytes with their scale and zero point.

use onnx_tensor::{DType, Tensor};

use super::super::pattern::Around;
use crate::ir::{Graph, Node, Operator, ValueId, dtype};
use crate::ops::numbers::{floats, int_range, ints};

/// With a larger scale, an integer of 16 bits may not be representable in f32.
const LARGEST: f64 = f32::MAX as f64 / 65536.0;

/// A value as `(bytes - zero) · scale`.
#[derive(Clone)]
pub struct Scaled {
    pub bytes: ValueId,
    /// Their type.
    pub dtype: DType,
    scale: ValueId,
    zero: Option<ValueId>,
    /// The elements of the scale, all positive.
    pub scales: Vec<f64>,
    /// The elements of the zero point; a single 0 if there is none.
    pub zeros: Vec<i128>,
    axis: i64,
}

impl Scaled {
    /// Returns the result of a QuantizeLinear.
    pub fn quantized(around: &Around, node: &Node) -> Option<Scaled> {
        let operator = node.op.plain("QuantizeLinear")?;
        let given = Scaled::of(around, node, operator, node.output(0)?)?;
        given.is_one().then_some(given)
    }

    /// Returns the operand of the DequantizeLinear that defines a value of f32.
    pub fn dequantized(around: &Around, id: ValueId) -> Option<Scaled> {
        let (_, node) = around.producer(id)?;
        dtype(around.graph.known(id)).filter(|dtype| *dtype == DType::Float)?;
        Scaled::of(around, node, node.op.plain("DequantizeLinear")?, node.input(0)?)
    }

    fn of(around: &Around, node: &Node, operator: &Operator, bytes: ValueId) -> Option<Scaled> {
        let graph = around.graph;
        let number = |name: &str| operator.attributes.find_int(name).ok();
        let other = operator.attributes.dtype("precision").ok()?;
        let scale = node.input(1)?;
        let tensor = graph
            .constant(scale)
            .filter(|tensor| tensor.dtype() == DType::Float)?;
        let zeros = match node.input(2) {
            Some(zero) => ints(graph.constant(zero)?).ok()?,
            None => vec![0],
        };
        let scales = floats(tensor).ok()?;
        let fits = number("block_size")?.unwrap_or(0) == 0
            && other.is_none_or(|precision| precision == DType::Float)
            && tensor.rank() <= 1
            && (zeros.len() == scales.len() || zeros.len() == 1)
            && scales
                .iter()
                .all(|scale| (*scale as f32).is_normal() && *scale > 0.0 && *scale < LARGEST);
        fits.then_some(Scaled {
            bytes,
            dtype: dtype(graph.known(bytes))?,
            scale,
            zero: node.input(2),
            scales,
            zeros,
            axis: number("axis")?.unwrap_or(1),
        })
    }

    /// Whether there is a single scale.
    pub fn is_one(&self) -> bool {
        self.scales.len() == 1 && self.zeros.len() == 1
    }

    /// Whether the elements are bytes.
    pub fn is_bytes(&self) -> bool {
        matches!(self.dtype, DType::Int8 | DType::Uint8)
    }

    /// Whether there is a single scale, or one for each position along this axis of a tensor.
    pub fn is_along(&self, axis: usize, tensor: &Tensor) -> bool {
        let rank = tensor.rank() as i64;
        let own = if self.axis < 0 {
            self.axis.saturating_add(rank)
        } else {
            self.axis
        };
        self.is_one() || (own == axis as i64 && tensor.shape().get(axis) == Some(&self.scales.len()))
    }

    /// Whether the same bytes represent the same numbers.
    pub fn represents_the_same(&self, other: &Scaled) -> bool {
        self.dtype == other.dtype && self.scales == other.scales && self.zeros == other.zeros
    }

    /// Whether saturation cuts off all values outside of these bounds.
    pub fn saturates_within(&self, low: f32, high: f32) -> bool {
        let Some((least, most)) = int_range(self.dtype) else {
            return false;
        };
        let (scale, zero) = (self.scales[0], self.zeros[0] as f64);
        let place = |bound: f32| (f64::from(bound) / scale).round_ties_even() + zero;
        place(low) <= least as f64 && place(high) >= most as f64
    }

    /// Returns scale and zero point as inputs of a QLinear operator.
    pub fn inputs(&self, graph: &mut Graph) -> [Option<ValueId>; 2] {
        let zero = self.zero.unwrap_or_else(|| {
            let zero = match self.dtype {
                DType::Int8 => Tensor::scalar(0_i8),
                _ => Tensor::scalar(0_u8),
            };
            graph.add_constant("zero", zero)
        });
        [Some(self.scale), Some(zero)]
    }
}
