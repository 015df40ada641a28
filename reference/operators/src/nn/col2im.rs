//! Col2Im — adds overlapping blocks, given as columns, into an image.
//!
//! Precision: the overlapping elements are summed as `Accumulate` says and rounded once; integers wrap.
//! Complex numbers are summed by their parts. Sums of strings and booleans, which the type set includes,
//! are undefined.

use onnx_tensor::{Accumulator, Array, Complex32, Complex64, DType, Real, Tensor, dispatch};

use super::window::check_extents;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op("Col2Im", &[v(18, First, col2im)]);

fn col2im(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let axes = axes(call)?;
    let &[n, rows, columns] = x.shape() else {
        return Err(OpError::invalid(format!(
            "the input has shape {:?}, expected [N, C * block, L]",
            x.shape()
        )));
    };
    let block = product(axes.iter().map(|axis| axis.block))?;
    let blocks = product(axes.iter().map(|axis| axis.blocks))?;
    if block == 0 || !rows.is_multiple_of(block) || columns != blocks {
        let found = x.shape();
        return Err(OpError::invalid(format!(
            "the input has shape {found:?}, expected [N, C * {block}, {blocks}]"
        )));
    }
    let image: Vec<usize> = axes.iter().map(|axis| axis.image).collect();
    let shape = [&[n, rows / block], &image[..]].concat();
    call.reserve(&shape, x.dtype())?;
    if shape.contains(&0) {
        return one(layout::empty(x.dtype(), &shape)?);
    }
    // A target takes as much memory as a complex number, twice while the table grows.
    call.reserve(&[2, block, blocks], DType::Complex128)?;
    call.work(&[n, rows, columns])?;
    let targets = targets(&axes);
    match x {
        Tensor::Complex64(x) => {
            let parts = [x.mapv(|c| c.re).into_shared(), x.mapv(|c| c.im).into_shared()];
            let [re, im] = sums_of_parts::<f32>(parts, &targets, &shape);
            let numbers = re.into_iter().zip(im).map(|(re, im)| Complex32::new(re, im));
            one(Tensor::new(&shape, numbers.collect())?)
        }
        Tensor::Complex128(x) => {
            let parts = [x.mapv(|c| c.re).into_shared(), x.mapv(|c| c.im).into_shared()];
            let [re, im] = sums_of_parts::<f64>(parts, &targets, &shape);
            let numbers = re.into_iter().zip(im).map(|(re, im)| Complex64::new(re, im));
            one(Tensor::new(&shape, numbers.collect())?)
        }
        _ => dispatch!(real, x.dtype(), T => {
            one(Tensor::new(&shape, gather_blocks::<T>(&x.to_vec()?, &targets, &shape))?)
        }),
    }
}

/// One spatial axis of the image.
#[derive(Clone, Copy, Debug)]
struct Axis {
    image: usize,
    block: usize,
    /// The number of blocks along the axis.
    blocks: usize,
    stride: usize,
    dilation: usize,
    begin: usize,
}

impl Axis {
    /// The position in the image of element `inside` of block `number`; `None` in the padding.
    fn target(&self, number: usize, inside: usize) -> Option<usize> {
        let padded = number * self.stride + inside * self.dilation;
        padded.checked_sub(self.begin).filter(|&at| at < self.image)
    }
}

fn axes(call: &Call<'_>) -> Result<Vec<Axis>, OpError> {
    let (image, block) = (
        layout::extents(&call.integers(1)?)?,
        layout::extents(&call.integers(2)?)?,
    );
    let rank = image.len();
    let attribute = |name: &str, default: i64, count: usize| {
        let given = call.optional_ints(name)?.unwrap_or_else(|| vec![default; count]);
        let least = given.iter().all(|&value| value >= default);
        if given.len() != count || !least {
            return Err(OpError::invalid(format!(
                "`{name}` is {given:?}, expected {count} numbers of at least {default}"
            )));
        }
        let given = layout::extents(&given)?;
        check_extents(&given)?;
        Ok(given)
    };
    let (strides, dilations) = (attribute("strides", 1, rank)?, attribute("dilations", 1, rank)?);
    let pads = attribute("pads", 0, 2 * rank)?;
    if rank == 0 || block.len() != rank {
        return Err(OpError::invalid(format!(
            "the image has {rank} axes, but the block has {}",
            block.len()
        )));
    }
    check_extents(&image)?;
    check_extents(&block)?;
    let axis = |at: usize| {
        let span = block[at]
            .checked_sub(1)
            .and_then(|steps| steps.checked_mul(dilations[at]));
        let padded = image[at]
            .checked_add(pads[at])
            .and_then(|sum| sum.checked_add(pads[rank + at]));
        let room = span
            .zip(padded)
            .and_then(|(span, padded)| padded.checked_sub(span)?.checked_sub(1));
        let room = room.ok_or_else(|| {
            OpError::invalid(format!(
                "a block of {} with its dilation exceeds an image of {} with its pads",
                block[at], image[at]
            ))
        })?;
        Ok(Axis {
            image: image[at],
            block: block[at],
            blocks: room / strides[at] + 1,
            stride: strides[at],
            dilation: dilations[at],
            begin: pads[at],
        })
    };
    (0..rank).map(axis).collect()
}

fn product(mut factors: impl Iterator<Item = usize>) -> Result<usize, OpError> {
    let product = factors.try_fold(1_usize, usize::checked_mul);
    product.ok_or_else(|| OpError::invalid("the blocks have too many elements"))
}

/// For each element of a block (row-major) and each block (row-major), the position in the image.
fn targets(axes: &[Axis]) -> Vec<Option<usize>> {
    let mut targets = vec![vec![Some(0_usize)]];
    // The positions form a table with a row for each element of a block and a column for each block.
    for axis in axes {
        let row = |(row, inside): (&Vec<Option<usize>>, usize)| -> Vec<Option<usize>> {
            let pairs = row
                .iter()
                .flat_map(|&outer| (0..axis.blocks).map(move |number| (outer, number)));
            pairs
                .map(|(outer, number)| Some(outer? * axis.image + axis.target(number, inside)?))
                .collect()
        };
        targets = targets
            .iter()
            .flat_map(|outer| (0..axis.block).map(move |inside| (outer, inside)))
            .map(row)
            .collect();
    }
    targets.concat()
}

/// The sums of the real and of the imaginary parts.
fn sums_of_parts<T: Real>(parts: [Array<T>; 2], targets: &[Option<usize>], shape: &[usize]) -> [Vec<T>; 2] {
    parts.map(|part| gather_blocks(&part.iter().copied().collect::<Vec<T>>(), targets, shape))
}

fn gather_blocks<T: Real>(source: &[T], targets: &[Option<usize>], shape: &[usize]) -> Vec<T> {
    let pixels = layout::count(&shape[2..]);
    let mut result = Vec::with_capacity(layout::count(shape));
    for channel in source.chunks_exact(targets.len()) {
        let mut sums = vec![T::Acc::default(); pixels];
        for (&value, target) in channel.iter().zip(targets) {
            if let Some(sum) = target.and_then(|at| sums.get_mut(at)) {
                sum.add(value);
            }
        }
        result.extend(sums.into_iter().map(Accumulator::<T>::finish));
    }
    result
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    /// Blocks of ones: every element counts the blocks that overlap there, as in ONNX Runtime 1.31 for
    /// floats.
    #[test]
    fn overlaps_are_summed() {
        let inputs = |count: usize| {
            let ones = Tensor::new(&[1, 4, count], vec![100_u8; 4 * count]).unwrap();
            [
                ones,
                Tensor::vector(vec![3_i64, 3]),
                Tensor::vector(vec![2_i64, 2]),
            ]
        };
        // 400 wraps to 144.
        let image = Tensor::new(
            &[1, 1, 3, 3],
            vec![100_u8, 200, 100, 200, 144, 200, 100, 200, 100],
        )
        .unwrap();
        exact(("", "Col2Im", 18), &inputs(4), &[], &[image]);
        refused(("", "Col2Im", 18), &values(&inputs(3)), &[], "4");
        refused(
            ("", "Col2Im", 18),
            &values(&inputs(4)),
            &[attribute("strides", [0, 1])],
            "strides",
        );
        refused(
            ("", "Col2Im", 18),
            &values(&inputs(4)),
            &[attribute("dilations", [9, 9])],
            "exceeds",
        );
    }
}
