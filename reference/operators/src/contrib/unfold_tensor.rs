//! UnfoldTensor — all slices of `size` elements along an axis, `step` apart, on a new last axis.

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::nn::positive;
use crate::shared::{axes, layout};

pub const OP: OpDef = contrib("UnfoldTensor", &[v(1, First, unfold_tensor)]);

fn unfold_tensor(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let axis = axes::axis(call.int("dim")?, x.rank())?;
    let (size, step, extent) = (positive(call, "size")?, positive(call, "step")?, x.shape()[axis]);
    let Some(beyond) = extent.checked_sub(size) else {
        return Err(OpError::invalid(format!(
            "slices of {size} of an extent of {extent}"
        )));
    };
    let count = beyond / step + 1;
    let mut shape = x.shape().to_vec();
    shape[axis] = count;
    call.reserve(&[&shape[..], &[size]].concat(), x.dtype())?;
    let places = (0..count).flat_map(|slice| (0..size).map(move |at| slice * step + at));
    // The slices and their elements are neighbours; the elements then become the last axis.
    let picked = layout::pick(x, axis, places)?;
    shape.insert(axis + 1, size);
    let mut order: Vec<usize> = (0..shape.len()).collect();
    order.remove(axis + 1);
    order.push(axis + 1);
    one(layout::permute(&picked.reshape(&shape)?, &order)?.to_standard())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, rows};

    #[test]
    fn slices_of_two_two_apart() {
        let x = Tensor::new(&[5, 2], (0..10).map(|x| x as f32).collect()).expect("ten elements");
        let attributes = [attribute("dim", 0), attribute("size", 2), attribute("step", 2)];
        let y = Tensor::new(&[2, 2, 2], vec![0.0_f32, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]).expect("eight");
        exact(("com.microsoft", "UnfoldTensor", 1), &[x], &attributes, &[y]);
        let last = [attribute("size", 2)];
        let y = Tensor::new(&[1, 2, 2], vec![1.0_f32, 2.0, 2.0, 3.0]).expect("four");
        exact(
            ("com.microsoft", "UnfoldTensor", 1),
            &[rows(&[[1.0, 2.0, 3.0]])],
            &last,
            &[y],
        );
    }
}
