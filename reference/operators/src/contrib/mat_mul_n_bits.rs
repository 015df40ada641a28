//! MatMulNBits — A times the transposed matrix of weights that are quantized in blocks, plus a bias.
//!
//! A weight is (step − zero point) · scale in f64; sums in f64 (double-double for f64), rounded once.
//!
//! Interpretation: `accuracy_level` permits a runtime to round A; the reference does so only as a reading
//! (question `n-bits-activations`). Where B has an
//! extent of zero, the projection is omitted, and Y is the bias or zero. `g_idx` selects the block of each
//! column, as in ONNX Runtime. Weights that are packed for one device are not defined.

use ndarray::{Array2, ArrayD, Axis, IxDyn};
use onnx_tensor::{DType, Tensor};

use super::biased::along_last;
use super::blocks::{Blocks, Zeros, bytes, matrix};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, contrib, one, v};
use crate::nn::positive;
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("MatMulNBits", &[v(1, First, mat_mul_n_bits)]);

fn mat_mul_n_bits(call: &Call<'_>) -> Result<Outputs, OpError> {
    let a: &Tensor = call.tensor(0)?;
    let (inner, columns) = (positive(call, "K")?, positive(call, "N")?);
    if call.int("weight_prepacked")? != 0 {
        return Err(OpError::undefined("weights that are packed for one device"));
    }
    let Some((&last, rows)) = a.shape().split_last() else {
        return Err(OpError::invalid("A must not be a scalar"));
    };
    if last != inner {
        return Err(OpError::invalid(format!(
            "A has rows of {last}, but `K` is {inner}"
        )));
    }
    let shape = [rows, &[columns]].concat();
    call.reserve(&shape, DType::Double)?;
    let mut y = if call.tensor(1)?.is_empty() {
        ArrayD::zeros(IxDyn(&shape))
    } else {
        let count = rows.iter().product();
        let mut a: Array2<f64> = widen(a)?
            .as_standard_layout()
            .into_owned()
            .into_shape_with_order((count, inner))?;
        if call.int("accuracy_level")? == 4 && call.takes(Reading::NBitsActivationsBytes) {
            round_to_bytes(&mut a, positive(call, "block_size")?);
        }
        let product = blocks(call, inner, columns)?.product(call, &a)?;
        product.into_shape_with_order(IxDyn(&shape))?
    };
    if let Some(bias) = call.optional_tensor(5)? {
        y += &along_last(&y, bias, "bias")?;
    }
    one(narrow(y, a.dtype())?)
}

/// Rounds every block of a row to the multiples of its greatest magnitude over 127, computed in float.
fn round_to_bytes(a: &mut Array2<f64>, block: usize) {
    for mut row in a.rows_mut() {
        for mut part in row.axis_chunks_iter_mut(Axis(0), block) {
            let greatest = part.iter().fold(0.0_f32, |most, &a| most.max((a as f32).abs()));
            let scale = greatest / 127.0;
            let inverse = if scale == 0.0 { 0.0 } else { scale.recip() };
            part.mapv_inplace(|a| f64::from((a as f32 * inverse).round_ties_even()) * f64::from(scale));
        }
    }
}

/// The weights of a node as real numbers, one row for each column of the result; `None` if they are omitted.
pub fn weights(call: &Call<'_>) -> Result<Option<Array2<f64>>, OpError> {
    let (inner, columns) = (positive(call, "K")?, positive(call, "N")?);
    if call.tensor(1)?.is_empty() {
        return Ok(None);
    }
    call.reserve(&[columns, inner], DType::Double)?;
    blocks(call, inner, columns).map(|blocks| Some(blocks.rows(0..columns)))
}

fn blocks(call: &Call<'_>, inner: usize, columns: usize) -> Result<Blocks, OpError> {
    let (bits, block) = (positive(call, "bits")?, positive(call, "block_size")?);
    if !(2..=8).contains(&bits) || block < 16 || !block.is_power_of_two() {
        return Err(OpError::undefined(format!(
            "weights of {bits} bits in blocks of {block}: the text has 2 to 8 bits and powers of two from 16 on"
        )));
    }
    let blocks = inner.div_ceil(block);
    let stride = block * bits / 8;
    let zeros = match call.optional_tensor(3)? {
        None => Zeros::All(f64::from(1_u32 << (bits - 1))),
        Some(zeros) if zeros.dtype() == DType::Uint8 => Zeros::Packed(bytes(
            zeros,
            (columns, (blocks * bits).div_ceil(8)),
            "zero_points",
        )?),
        Some(zeros) => Zeros::Reals(matrix(zeros, (columns, blocks), "zero_points")?),
    };
    Ok(Blocks {
        rows: columns,
        columns: inner,
        bits,
        block,
        packed: bytes(call.tensor(1)?, (columns, blocks.saturating_mul(stride)), "B")?,
        stride,
        scales: matrix(call.tensor(2)?, (columns, blocks), "scales")?,
        zeros,
        groups: groups(call, inner, blocks)?,
    })
}

/// The block of each column, if the node lists them.
fn groups(call: &Call<'_>, inner: usize, blocks: usize) -> Result<Option<Vec<usize>>, OpError> {
    let Some(groups) = call.optional_integers(4)? else {
        return Ok(None);
    };
    let known = |&group: &i64| usize::try_from(group).ok().filter(|&group| group < blocks);
    let found: Option<Vec<usize>> = groups.iter().take(inner).map(known).collect();
    match found {
        Some(found) if found.len() == inner => Ok(Some(found)),
        _ => Err(OpError::invalid(format!(
            "`g_idx` must have a block below {blocks} for each of {inner} columns"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{Reading, attribute, check, check_reading, refused, rows};

    const UNDER: crate::frame::testing::OpVersion = ("com.microsoft", "MatMulNBits", 1);

    fn attributes(bits: i64, inner: i64) -> Vec<Attribute> {
        vec![
            attribute("K", inner),
            attribute("N", 2),
            attribute("bits", bits),
            attribute("block_size", 16),
        ]
    }

    fn packed(blocks: usize, size: usize, first: [u8; 2], second: [u8; 2]) -> Value {
        let mut bytes = vec![0x88_u8; 2 * blocks * size];
        bytes[..2].copy_from_slice(&first);
        bytes[blocks * size..blocks * size + 2].copy_from_slice(&second);
        Tensor::new(&[2, blocks, size], bytes)
            .expect("the bytes fill the shape")
            .into()
    }

    fn powers(count: usize) -> Value {
        let mut row = vec![0.0_f32; count];
        row[..3].copy_from_slice(&[1.0, 10.0, 100.0]);
        Tensor::new(&[1, count], row).expect("a row").into()
    }

    /// By hand: 0x91 is 1, 9; 0x7F is 15, 7; each minus 8, times the scales 1 and 0.5.
    #[test]
    fn four_bits() {
        let scales = || Tensor::vector(vec![1.0_f32, 0.5]).into();
        let inputs = [powers(16), packed(1, 8, [0x91, 0x88], [0x7F, 0x88]), scales()];
        check(UNDER, &inputs, &attributes(4, 16), &[rows(&[[3.0, -1.5]]).into()]);
        let mut with_zeros = inputs.to_vec();
        // Zero points 1 and 15: 8 − 1 = 7 and 8 − 15 = −7 for the elements that are 8.
        with_zeros.push(
            Tensor::new(&[2, 1], vec![0x01_u8, 0x0F])
                .expect("two bytes")
                .into(),
        );
        let y = rows(&[[780.0, -390.0]]);
        check(UNDER, &with_zeros, &attributes(4, 16), &[y.into()]);
        let mut with_reals = inputs.to_vec();
        with_reals.push(
            Tensor::new(&[2, 1], vec![1.0_f32, 15.0])
                .expect("two floats")
                .into(),
        );
        check(
            UNDER,
            &with_reals,
            &attributes(4, 16),
            &[rows(&[[780.0, -390.0]]).into()],
        );
    }

    /// By hand: 0b10_01_00_11 is 3, 0, 1, 2 minus 2, in the first of two blocks; K ends in the second.
    #[test]
    fn two_bits_and_a_block_that_ends_early() {
        let inputs = [
            powers(17),
            packed(2, 4, [0b1001_0011, 0xAA], [0b1010_1010, 0xAA]),
            Tensor::new(&[2, 2], vec![1.0_f32, 9.0, 1.0, 9.0])
                .expect("four floats")
                .into(),
        ];
        let y = rows(&[[1.0 - 20.0 - 100.0, 0.0]]);
        check(UNDER, &inputs, &attributes(2, 17), &[y.into()]);
    }

    /// By hand: the weights of the first result are 0, 7, 1 and, in the second block, 0, 1, 2; the only
    /// weight of the second is −8. As bytes the blocks have the scales 1 and 2: 127, 0, −2 and 254, 4, −8.
    #[test]
    fn bytes_if_the_level_permits_them() {
        let mut a = vec![0.0_f32; 32];
        a[..3].copy_from_slice(&[127.0, 0.4, -2.5]);
        a[16..19].copy_from_slice(&[254.0, 3.0, -7.0]);
        let mut b = vec![0x88_u8; 32];
        (b[0], b[1], b[8], b[9], b[16]) = (0xF8, 0x89, 0x98, 0x8A, 0x80);
        let inputs = [
            rows(&[<[f32; 32]>::try_from(a).expect("32 elements")]).into(),
            Tensor::new(&[2, 2, 8], b).expect("32 bytes").into(),
            Tensor::vector(vec![1.0_f32; 4]).into(),
        ];
        let exact = [rows(&[[2.8 - 2.5 + 3.0 - 14.0, -1016.0]]).into()];
        let bytes = [rows(&[[-2.0 + 4.0 - 16.0, -1016.0]]).into()];
        let level = |level: i64| [attributes(4, 32), vec![attribute("accuracy_level", level)]].concat();
        let reading = Reading::NBitsActivationsBytes;
        check(UNDER, &inputs, &level(4), &exact);
        check_reading(reading, UNDER, &inputs, &level(1), &exact);
        check_reading(reading, UNDER, &inputs, &level(4), &bytes);
    }

    /// The projection is omitted: Y is the bias.
    #[test]
    fn no_weights() {
        let mut inputs = vec![Some(powers(16))];
        inputs.push(Some(
            Tensor::new::<u8>(&[0, 1, 8], vec![]).expect("nothing").into(),
        ));
        inputs.push(Some(Tensor::new::<f32>(&[0], vec![]).expect("nothing").into()));
        let inputs: Vec<Value> = inputs.into_iter().flatten().collect();
        check(UNDER, &inputs, &attributes(4, 16), &[rows(&[[0.0, 0.0]]).into()]);
        let odd = [
            powers(16),
            packed(1, 8, [0, 0], [0, 0]),
            Tensor::vector(vec![1.0_f32]).into(),
        ];
        refused(UNDER, &odd, &attributes(4, 16), "`scales`");
    }
}
