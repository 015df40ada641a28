//! Interpolations beside elements that are not finite.
//!
//! A neighbour of weight 0 that is infinite or NaN makes the sum NaN where a runtime computes the product,
//! and not where it leaves the neighbour out: no sentence says which.

use onnx_bounds::{Query, largest_near};
use onnx_tensor::{Array, Real, Tensor, TensorError, Value, dispatch};
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
        let marks = query.input(0)?.mapv(|x| f64::from(u8::from(!x.is_finite())));
        if marks.iter().all(|mark| *mark == 0.0) || self.generator.borrow_mut().random() {
            return None;
        }
        // The first two axes are not interpolated.
        let near = largest_near(&marks.into_shared(), 2..input.shape().len(), REACH);
        let near = with_nan(input, &near).ok()?;
        query.evaluate(|index, _| (index == 0).then(|| near.clone())).ok()
    }
}

/// The tensor with NaN in the place of the marked elements.
fn with_nan(tensor: &Tensor, marks: &Array<f64>) -> Result<Tensor, TensorError> {
    dispatch!(float, tensor.dtype(), T => {
        let mut elements = tensor.to_vec::<T>()?;
        let marked = elements.iter_mut().zip(marks).filter(|(_, mark)| **mark > 0.0);
        marked.for_each(|(x, _)| *x = T::from_f64(f64::NAN));
        Tensor::new(tensor.shape(), elements)
    })
}
