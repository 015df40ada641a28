//! MaxRoiPool — divides each region of interest into a grid of bins and returns the maximum of the pixels
//! of each bin.
//!
//! Maxima are exact. Interpretation, where the text has no formula (as in the layers of Caffe and ONNX
//! Runtime): scaled ends of a region are rounded to the nearest pixel, halves away from zero, and both
//! belong to it; it is at least one pixel wide and high; bin `i` of `n` over a length L covers ⌊i·L/n⌋ to
//! ⌈(i+1)·L/n⌉, exclusive, clipped to the image; an empty bin is 0.

use std::ops::Range;

use num_rational::BigRational;
use num_traits::ToPrimitive;
use onnx_tensor::{Element, Float, Real, Tensor, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;
use crate::shared::number::Number;

pub const OP: OpDef = op(
    "MaxRoiPool",
    &[v(1, First, max_roi_pool), v(22, TypesOnly, max_roi_pool)],
);

fn max_roi_pool(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (x, rois) = (call.tensor(0)?, call.tensor(1)?);
    let (&[batches, channels, height, width], &[regions, 5]) = (x.shape(), rois.shape()) else {
        return Err(OpError::invalid(
            "`X` must have rank 4 and `rois` the shape [count, 5]",
        ));
    };
    let bins = layout::extents(&call.ints("pooled_shape")?)?;
    let &[rows, columns] = bins.as_slice() else {
        return Err(OpError::invalid(format!(
            "`pooled_shape` is {bins:?}, expected a height and a width"
        )));
    };
    if rows == 0 || columns == 0 {
        return Err(OpError::invalid(format!("`pooled_shape` is {bins:?}")));
    }
    let scale = f64::from(call.float("spatial_scale")?);
    let shape = [regions, channels, rows, columns];
    call.reserve(&shape, x.dtype())?;
    // Adjacent bins share at most one row or column of pixels.
    let reach = [height.saturating_add(rows), width.saturating_add(columns)];
    call.work(&[regions, channels, reach[0], reach[1]])?;
    dispatch!(float, x.dtype(), T => {
        let (x, rois): (Vec<T>, Vec<T>) = (x.to_vec()?, rois.to_vec()?);
        let mut result = Vec::with_capacity(layout::count(&shape));
        for region in rois.chunks_exact(5) {
            let [image, left, top, right, bottom] = std::array::from_fn(|at| region[at].to_f64());
            let image = image_number(image, batches)?;
            let rows = spans([top, bottom], scale, rows, height)?;
            let columns = spans([left, right], scale, columns, width)?;
            let size = height * width;
            for channel in image * channels..(image + 1) * channels {
                let pixels = &x[channel * size..(channel + 1) * size];
                result.extend(rows.iter().flat_map(|row| columns.iter().map(|column| maximum(pixels, width, row, column))));
            }
        }
        one(Tensor::new(&shape, result)?)
    })
}

fn image_number(value: f64, batches: usize) -> Result<usize, OpError> {
    if value.fract() == 0.0 && (0.0..batches as f64).contains(&value) {
        return Ok(value as usize);
    }
    Err(OpError::invalid(format!(
        "a region refers to image {value} in a batch of {batches}"
    )))
}

/// The pixels that each bin covers along one axis.
fn spans(ends: [f64; 2], scale: f64, bins: usize, extent: usize) -> Result<Vec<Range<usize>>, OpError> {
    if ends.iter().any(|end| !(end * scale).is_finite()) {
        return Err(OpError::undefined(format!(
            "a region from {} to {} with a scale of {scale}",
            ends[0], ends[1]
        )));
    }
    // A product in f64 could be half of an integer where the exact one is not.
    let nearest = |end: f64| (BigRational::of(end) * BigRational::of(scale)).round().to_f64();
    let [start, end] = ends.map(|end| nearest(end).unwrap_or(0.0));
    let length = (end - start + 1.0).max(1.0);
    let clamp = |at: f64| (start + at).clamp(0.0, extent as f64) as usize;
    // The product comes before the quotient, so that integral bin borders are exact.
    let border = |bin: usize| bin as f64 * length / bins as f64;
    Ok((0..bins)
        .map(|bin| clamp(border(bin).floor())..clamp(border(bin + 1).ceil()))
        .collect())
}

fn maximum<T: Float + Element>(pixels: &[T], width: usize, rows: &Range<usize>, columns: &Range<usize>) -> T {
    let covered = rows
        .clone()
        .flat_map(|y| columns.clone().map(move |x| pixels[y * width + x]));
    covered.reduce(Real::max).unwrap_or(T::ZERO)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    fn inputs(rois: &[[f32; 5]]) -> [Tensor; 2] {
        let x = Tensor::new(&[1, 1, 4, 4], (1_u8..17).map(f32::from).collect()).unwrap();
        [x, Tensor::new(&[rois.len(), 5], rois.concat()).unwrap()]
    }

    /// Expected values from ONNX Runtime 1.31 (version 1).
    #[test]
    fn regions() {
        let of = |shape: &[usize], maxima: &[f32]| [Tensor::new(shape, maxima.to_vec()).unwrap()];
        let rois = [
            [0.0, 0.0, 0.0, 3.0, 3.0],
            [0.0, 1.0, 1.0, 2.0, 2.0],
            [0.0, 0.5, 0.5, 5.0, 2.4],
        ];
        let expected = of(
            &[3, 1, 2, 2],
            &[6.0, 8.0, 14.0, 16.0, 6.0, 7.0, 10.0, 11.0, 8.0, 8.0, 12.0, 12.0],
        );
        exact(
            ("", "MaxRoiPool", 1),
            &inputs(&rois),
            &[attribute("pooled_shape", [2, 2])],
            &expected,
        );
        let half = [
            attribute("pooled_shape", [1, 2]),
            attribute("spatial_scale", 0.5_f32),
        ];
        let rois = [[0.0, 0.0, 0.0, 6.0, 6.0], [0.0, 8.0, 8.0, 9.0, 9.0]];
        exact(
            ("", "MaxRoiPool", 22),
            &inputs(&rois),
            &half,
            &of(&[2, 1, 1, 2], &[14.0, 16.0, 0.0, 0.0]),
        );
    }

    #[test]
    fn an_image_must_exist() {
        let rois = values(&inputs(&[[1.0, 0.0, 0.0, 3.0, 3.0]]));
        refused(
            ("", "MaxRoiPool", 22),
            &rois,
            &[attribute("pooled_shape", [1, 1])],
            "image 1",
        );
    }
}
