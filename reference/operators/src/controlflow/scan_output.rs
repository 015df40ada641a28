//! Scan outputs of Loop and Scan: one tensor per iteration, stacked along a new axis.

use onnx_model::Graph;
use onnx_tensor::{DType, Tensor, Value};

use super::dimensions::Dimensions;
use crate::frame::{Call, OpError};
use crate::shared::{axes, layout, stacking};

/// One scan output during a loop.
#[derive(Default)]
pub(super) struct ScanOutput {
    /// `None` is padding of a shorter sequence (Scan-8).
    parts: Vec<Option<Tensor>>,
    element: Option<(DType, Vec<usize>)>,
}

impl ScanOutput {
    /// `count` empty scan outputs.
    pub(super) fn several(count: usize) -> Vec<ScanOutput> {
        (0..count).map(|_| ScanOutput::default()).collect()
    }

    /// Appends the value of one iteration. Element type and shape must be the same in all iterations.
    pub(super) fn push(&mut self, call: &Call<'_>, value: Value) -> Result<(), OpError> {
        let Value::Tensor(part) = value else {
            let found = value.value_type();
            return Err(OpError::invalid(format!(
                "a scan output must be a tensor, got {found}"
            )));
        };
        let (dtype, shape) = self
            .element
            .get_or_insert_with(|| (part.dtype(), part.shape().to_vec()));
        if *dtype != part.dtype() || shape != part.shape() {
            return Err(OpError::invalid(format!(
                "a scan output changes from {dtype} {shape:?} to {} {:?} between iterations",
                part.dtype(),
                part.shape()
            )));
        }
        let mut total = vec![self.parts.len() + 1];
        total.extend_from_slice(shape);
        call.reserve(&total, *dtype)?;
        self.parts.push(Some(part));
        Ok(())
    }

    /// Appends `count` parts that the specification leaves unspecified; they are zero here.
    pub(super) fn pad(&mut self, count: usize) {
        self.parts.extend(std::iter::repeat_n(None, count));
    }

    /// The parts stacked along `axis` of the result, in reverse order if `reversed`. If there was no
    /// iteration, output `index` of `body` declares type and shape.
    pub(super) fn finish(
        mut self,
        call: &Call<'_>,
        body: &Graph,
        index: usize,
        dimensions: &Dimensions,
        order: Order,
    ) -> Result<Tensor, OpError> {
        let (dtype, shape) = match self.element.take() {
            Some(element) => element,
            None => dimensions.declared(call, body, index)?,
        };
        let axis = (order.read_axis)(order.axis, shape.len() + 1)?;
        let mut whole = shape.clone();
        whole.insert(axis, self.parts.len());
        call.reserve(&whole, dtype)?;
        if self.parts.is_empty() {
            return layout::filled(&whole, &stacking::blank(dtype)?);
        }
        let padding = layout::filled(&shape, &stacking::blank(dtype)?)?;
        let mut parts: Vec<&Tensor> = self
            .parts
            .iter()
            .map(|part| part.as_ref().unwrap_or(&padding))
            .collect();
        if order.reversed {
            parts.reverse();
        }
        stacking::stack(call, &parts, axis)
    }
}

/// How the parts of a scan output are combined.
#[derive(Clone, Copy)]
pub(super) struct Order {
    /// The axis of the result along which the parts are stacked.
    pub(super) axis: i64,
    /// How the operator version interprets the axis.
    pub(super) read_axis: axes::ReadAxis,
    /// Whether each part is prepended instead of appended.
    pub(super) reversed: bool,
}

impl Order {
    /// Along the first axis, in iteration order.
    pub(super) const APPENDED: Order = Order {
        axis: 0,
        read_axis: axes::axis,
        reversed: false,
    };
}
