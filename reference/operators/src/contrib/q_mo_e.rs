//! QMoE — MoE with weights of integers that are quantized by rows or in blocks of a row.
//!
//! A weight is (step − zero point) · scale in f64; the rest as MoE. Interpretation: `weights_prepacked` −1 is
//! the layout of the processor, which is the raw one. Formats of floats of 8 and 4 bits are refused.

use ndarray::{Array2, Axis, Ix3};
use onnx_tensor::Tensor;

use super::blocks::{Blocks, Zeros};
use super::experts::{Experts, Projection, route};
use super::mo_e::{biases, logits, tokens};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("QMoE", &[v(1, First, q_mo_e)]);

fn q_mo_e(call: &Call<'_>) -> Result<Outputs, OpError> {
    let quant_type = call.string("quant_type")?;
    if quant_type != "int" || call.int("weights_prepacked")? == 1 {
        return Err(OpError::undefined(format!(
            "weights of the type `{quant_type}`, or packed for one device"
        )));
    }
    let (x, shape) = tokens(call)?;
    let logits = logits(call, 1, x.nrows())?;
    let given = call
        .optional(14)
        .map(|_| self::logits(call, 14, x.nrows()))
        .transpose()?;
    let chosen = route(call, &logits, given.as_ref())?;
    let experts = Experts {
        first: projection(call, 1, [2, 3, 4, 11])?,
        second: projection(call, 2, [5, 6, 7, 12])?,
        third: match call.optional(8) {
            None => None,
            Some(_) => Some(projection(call, 3, [8, 9, 10, 13])?),
        },
    };
    let y = experts.outputs(call, &x, &chosen, call.dtype(0)?)?;
    one(narrow(y.into_shape_with_order(shape)?, call.dtype(0)?)?)
}

type Weights<'a> = Box<dyn Fn(usize) -> Result<Array2<f64>, OpError> + 'a>;

/// Projection `number`, whose weights, scales, bias and zero points are these inputs.
fn projection<'a>(
    call: &Call<'a>,
    number: usize,
    [weights, scales, bias, zeros]: [usize; 4],
) -> Result<Projection<Weights<'a>>, OpError> {
    let bits = match call.optional_int(&format!("fc{number}_expert_weight_bits"))? {
        None => call.int("expert_weight_bits")?,
        Some(bits) => bits,
    };
    let bits = usize::try_from(bits)
        .ok()
        .filter(|bits| matches!(bits, 2 | 3 | 4 | 8));
    let bits = bits.ok_or_else(|| OpError::invalid("weights must have 2, 3, 4 or 8 bits"))?;
    let quantized = Quantized {
        bits,
        block: usize::try_from(call.optional_int("block_size")?.unwrap_or(0)).unwrap_or(0),
        weights: call.tensor(weights)?,
        scales: call.tensor(scales)?,
        zeros: call.optional_tensor(zeros)?,
    };
    Ok(Projection {
        weights: Box::new(move |expert| quantized.expert(expert)),
        bias: biases(call, bias)?,
    })
}

/// The weights of all experts.
struct Quantized<'a> {
    bits: usize,
    block: usize,
    weights: &'a Tensor,
    scales: &'a Tensor,
    zeros: Option<&'a Tensor>,
}

impl Quantized<'_> {
    fn expert(&self, expert: usize) -> Result<Array2<f64>, OpError> {
        let misfit = || {
            OpError::invalid(format!(
                "weights of shape {:?} and scales of shape {:?} do not fit expert {expert}",
                self.weights.shape(),
                self.scales.shape()
            ))
        };
        let packed = self.weights.array::<u8>()?.view().into_dimensionality::<Ix3>();
        let packed = packed.map_err(|_| misfit())?;
        if expert >= packed.dim().0 || self.scales.shape().first() != Some(&packed.dim().0) {
            return Err(misfit());
        }
        let packed = packed.index_axis(Axis(0), expert).to_owned();
        let (rows, width) = packed.dim();
        let columns = width.saturating_mul(8) / self.bits;
        let scales = widen(self.scales)?.index_axis_move(Axis(0), expert);
        let blocks = match scales.shape() {
            [count] if *count == rows => 1,
            [count, blocks] if *count == rows => *blocks,
            _ => return Err(misfit()),
        };
        let block = match self.block {
            0 => columns.max(1),
            block => block,
        };
        if columns.div_ceil(block) != blocks {
            return Err(misfit());
        }
        let blocks = Blocks {
            rows,
            columns,
            bits: self.bits,
            block,
            packed,
            stride: (block * self.bits).div_ceil(8),
            scales: scales.into_shape_with_order((rows, blocks))?,
            zeros: self.zero_points(expert, rows, blocks)?,
            groups: None,
        };
        Ok(blocks.rows(0..rows))
    }

    /// The zero points: of rows they are packed along the rows, of blocks along the blocks of a row.
    fn zero_points(&self, expert: usize, rows: usize, blocks: usize) -> Result<Zeros, OpError> {
        let Some(zeros) = self.zeros else {
            return Ok(Zeros::All(f64::from(1_u32 << (self.bits - 1))));
        };
        let misfit = || OpError::invalid(format!("zero points of shape {:?}", zeros.shape()));
        let all = zeros.array::<u8>()?;
        if all.shape().first().is_none_or(|&count| expert >= count) {
            return Err(misfit());
        }
        let one = all.index_axis(Axis(0), expert).to_owned();
        match one.shape() {
            [width] if *width == (rows * self.bits).div_ceil(8) && blocks == 1 => {
                let one = one.into_dimensionality::<ndarray::Ix1>()?;
                let zero = |(row, _)| f64::from(super::blocks::unpacked(one.view(), self.bits, row));
                Ok(Zeros::Reals(Array2::from_shape_fn((rows, 1), zero)))
            }
            [count, width] if *count == rows && *width == (blocks * self.bits).div_ceil(8) => {
                Ok(Zeros::Packed(one.into_dimensionality::<ndarray::Ix2>()?))
            }
            _ => Err(misfit()),
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, evaluate_optional, rows};

    /// By hand: one expert; 0x9A is 10 and 9, minus 8, times 0.5: 1 · 3 + 0.5 · 4 = 5; then 0xFA is 10 and
    /// 15, of which K has both: 5 · (10 − 8) · 2 = 20 for each of two outputs with weights (2, 7).
    #[test]
    fn nibbles() {
        let bytes = |shape: [usize; 3], values: &[u8]| -> Option<Value> {
            Some(
                Tensor::new(&shape, values.to_vec())
                    .expect("the bytes fill the shape")
                    .into(),
            )
        };
        let inputs = [
            Some(rows(&[[3.0_f32, 4.0]]).into()),
            Some(rows(&[[0.0_f32]]).into()),
            bytes([1, 2, 1], &[0x9A, 0x88]),
            Some(rows(&[[0.5_f32, 1.0]]).into()),
            None,
            bytes([1, 2, 1], &[0x8A, 0x8F]),
            Some(rows(&[[2.0_f32, 1.0]]).into()),
        ];
        let schema = &onnx_schema::versions("com.microsoft", "QMoE")[0];
        let outputs = evaluate_optional(schema, &inputs, &[attribute("k", 1)]).expect("a result");
        let y = outputs[0].as_tensor().and_then(|y| y.to_vec::<f32>().ok());
        assert_eq!(y, Some(vec![20.0, 35.0]));
    }
}
