//! Interpolations beside elements that are not finite.
//!
//! A neighbour of weight 0 that is infinite or NaN makes the sum NaN where a runtime computes the product,
//! and not where it leaves the neighbour out: no sentence says which.

use onnx_bounds::Query;
use onnx_tensor::{Real, Tensor, TensorError, Value, dispatch};
use rand::RngExt;

use super::{Noise, Traits};

/// The distance of the farthest neighbour of a cubic interpolation.
const REACH: usize = 2;

impl Noise {
    /// The outputs of an interpolation in which every result near an element that is not finite is NaN, in
    /// half of the runs; `None` if there is no such element.
    pub(super) fn beside_infinities(
        &self,
        query: &Query<'_>,
        traits: Traits<'_>,
    ) -> Option<Vec<Option<Tensor>>> {
        if !matches!(traits.name, "GridSample" | "Resize" | "RoiAlign" | "Upsample") {
            return None;
        }
        let input = query.call.optional(0).and_then(Value::as_tensor)?;
        let places: Vec<usize> = {
            let elements = query.input(0)?;
            let numbered = elements.iter().enumerate().filter(|(_, x)| !x.is_finite());
            numbered.map(|(place, _)| place).collect()
        };
        if places.is_empty() || self.generator.borrow_mut().random() {
            return None;
        }
        let near = with_nan(input, &places).ok()?;
        query.evaluate(|index, _| (index == 0).then(|| near.clone())).ok()
    }
}

/// The tensor with NaN at these places and near them along each axis but the first two.
fn with_nan(tensor: &Tensor, places: &[usize]) -> Result<Tensor, TensorError> {
    let shape = tensor.shape();
    let mut is_near = vec![false; tensor.len()];
    places.iter().for_each(|place| is_near[*place] = true);
    let mut stride = 1;
    for (axis, extent) in shape.iter().enumerate().rev() {
        if axis > 1 {
            let before = is_near.clone();
            for place in (0..before.len()).filter(|place| before[*place]) {
                let at = place / stride % extent;
                let near = at.saturating_sub(REACH)..=(at + REACH).min(extent - 1);
                near.for_each(|other| is_near[place - at * stride + other * stride] = true);
            }
        }
        stride *= extent;
    }
    dispatch!(float, tensor.dtype(), T => {
        let mut elements = tensor.to_vec::<T>()?;
        let near = elements.iter_mut().zip(&is_near).filter(|(_, is_near)| **is_near);
        near.for_each(|(x, _)| *x = T::from_f64(f64::NAN));
        Tensor::new(shape, elements)
    })
}
