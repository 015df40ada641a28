//! GatherBlockQuantized — Gather of data that are quantized in blocks, as real numbers.
//!
//! (step − zero point) · scale, rounded once. An index outside of the axis gives zeros, as the text says.
//!
//! Interpretation: 8-bit integers with `bits` below 8 are packed along the last axis, as are their zero
//! points.

use ndarray::{ArrayD, Dimension, IxDyn};
use onnx_tensor::{DType, Float, Tensor, dispatch};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::axes;
use crate::shared::quantized::reals;
use crate::shared::reals::widen;

use super::blocks::unpacked;

pub const OP: OpDef = contrib("GatherBlockQuantized", &[v(1, First, gather_block_quantized)]);

fn gather_block_quantized(call: &Call<'_>) -> Result<Outputs, OpError> {
    let table = Table::read(call)?;
    let (indices, of_indices) = (call.integers(1)?, call.tensor(1)?.shape());
    let axis = axes::axis(call.int("gather_axis")?, table.shape.len())?;
    if table.bits.is_some() && axis != 0 {
        return Err(OpError::invalid("8-bit integers require a `gather_axis` of 0"));
    }
    let extent = table.shape[axis];
    let shape = [&table.shape[..axis], of_indices, &table.shape[axis + 1..]].concat();
    let to = call.dtype(2)?;
    call.reserve(&shape, to)?;
    call.work(&shape)?;
    let selected: Vec<Option<usize>> = indices
        .iter()
        .map(|&index| axes::axis(index, extent).ok())
        .collect();
    let count = of_indices.len();
    let place = |index: &IxDyn| {
        let position = index.slice().to_vec();
        let flat = of_indices
            .iter()
            .zip(&position[axis..axis + count])
            .fold(0, |flat, (extent, at)| flat * extent + at);
        let row = selected[flat]?;
        Some([&position[..axis], &[row], &position[axis + count..]].concat())
    };
    dispatch!(float, to, T => {
        let y = ArrayD::from_shape_fn(IxDyn(&shape), |index| element::<T>(place(&index).map(|at| table.at(&at))));
        one(Tensor::from(y))
    })
}

fn element<T: Float>(value: Option<f64>) -> T {
    value.map_or(T::ZERO, T::from_f64)
}

/// The quantized data.
struct Table {
    /// The logical shape of the data.
    shape: Vec<usize>,
    axis: usize,
    block: usize,
    /// Bits of an element that is packed into bytes.
    bits: Option<usize>,
    data: Packed,
    scales: ArrayD<f64>,
    zeros: Option<Packed>,
    default_zero: f64,
}

/// Elements, of which several may be in one byte of the last axis.
enum Packed {
    Bytes(ArrayD<u8>, usize),
    Values(ArrayD<f64>),
}

impl Packed {
    fn read(tensor: &Tensor, bits: Option<usize>) -> Result<Packed, OpError> {
        match bits {
            Some(bits) => Ok(Packed::Bytes(tensor.array::<u8>()?.to_owned(), bits)),
            None => Ok(Packed::Values(reals(tensor)?)),
        }
    }

    fn at(&self, position: &[usize]) -> f64 {
        match self {
            Packed::Values(values) => values[position],
            Packed::Bytes(bytes, bits) => {
                let Some((&last, leading)) = position.split_last() else {
                    return 0.0;
                };
                let per_byte = 8 / bits;
                let byte = bytes[&[leading, &[last / per_byte]].concat()[..]];
                f64::from(unpacked(ndarray::arr1(&[byte]).view(), *bits, last % per_byte))
            }
        }
    }
}

impl Table {
    fn read(call: &Call<'_>) -> Result<Table, OpError> {
        let data = call.tensor(0)?;
        let (integral, bytes) = (!data.dtype().is_float(), data.dtype() == DType::Uint8);
        let is_byte_or_nibble = matches!(data.dtype(), DType::Uint8 | DType::Int4 | DType::Uint4);
        let bits = bytes.then(|| usize::try_from(call.int("bits")?).map_err(|_| wrong_bits()));
        let bits = bits.transpose()?;
        if bits.is_some_and(|bits| !matches!(bits, 2 | 4 | 8)) {
            return Err(wrong_bits());
        }
        let mut shape = data.shape().to_vec();
        let axis = axes::axis(call.int("quantize_axis")?, shape.len())?;
        if let (Some(bits), Some(last)) = (bits, shape.last_mut()) {
            *last = last.saturating_mul(8 / bits);
        }
        let block = match (call.int("block_size")?, is_byte_or_nibble) {
            (0, false) => shape[axis].max(1),
            (block @ 16.., _) if block & (block - 1) == 0 => usize::try_from(block).unwrap_or(usize::MAX),
            (block, _) => return Err(OpError::undefined(format!("a `block_size` of {block}"))),
        };
        let scales = widen(call.tensor(2)?)?;
        let blocks = |extent: usize| extent.div_ceil(block);
        let fits = scales.ndim() == shape.len()
            && scales.shape().iter().enumerate().all(|(at, &extent)| {
                let whole = if at == axis { blocks(shape[at]) } else { shape[at] };
                extent == whole || extent == 1 && at != axis && !is_byte_or_nibble
            });
        if !fits {
            return Err(OpError::invalid(format!(
                "scales of shape {:?} do not fit data of shape {shape:?} in blocks of {block} along axis {axis}",
                scales.shape()
            )));
        }
        let zeros = call.optional_tensor(3)?;
        if let Some(zeros) = zeros {
            let mut expected = scales.shape().to_vec();
            if let (Some(bits), Some(last)) = (bits, expected.last_mut()) {
                *last = last.saturating_mul(bits).div_ceil(8);
            }
            if !is_byte_or_nibble || zeros.shape() != expected {
                return Err(OpError::invalid(format!(
                    "zero points of shape {:?} for scales of shape {:?}",
                    zeros.shape(),
                    scales.shape()
                )));
            }
        }
        Ok(Table {
            axis,
            block,
            bits,
            data: Packed::read(data, bits)?,
            scales,
            zeros: zeros.map(|zeros| Packed::read(zeros, bits)).transpose()?,
            default_zero: match bits {
                Some(bits) if integral => f64::from(1_u32 << (bits - 1)),
                _ => 0.0,
            },
            shape,
        })
    }

    /// The real number at a logical position.
    fn at(&self, position: &[usize]) -> f64 {
        let mut block = position.to_vec();
        block[self.axis] /= self.block;
        let zero = self
            .zeros
            .as_ref()
            .map_or(self.default_zero, |zeros| zeros.at(&block));
        for (at, &extent) in block.iter_mut().zip(self.scales.shape()) {
            *at = (*at).min(extent - 1);
        }
        (self.data.at(position) - zero) * self.scales[&block[..]]
    }
}

fn wrong_bits() -> OpError {
    OpError::invalid("`bits` must be 2, 4 or 8")
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{I4, Tensor, Value};

    use crate::frame::testing::{attribute, check};

    const UNDER: crate::frame::testing::OpVersion = ("com.microsoft", "GatherBlockQuantized", 1);

    fn floats(shape: &[usize], values: &[f32]) -> Value {
        Tensor::new(shape, values.to_vec())
            .expect("the values fill the shape")
            .into()
    }

    /// By hand: row 1 is 1, 2 and then −8, each times 0.5; index 2 is outside and gives zeros.
    #[test]
    fn nibbles() {
        let mut data = vec![I4::saturate(0); 32];
        data[16..18].copy_from_slice(&[I4::saturate(1), I4::saturate(2)]);
        data[31] = I4::saturate(-8);
        let inputs = [
            Tensor::new(&[2, 16], data).expect("32 elements").into(),
            Tensor::vector(vec![-1_i64, 2]).into(),
            floats(&[2, 1], &[1.0, 0.5]),
        ];
        let mut y = vec![0.0_f32; 32];
        (y[0], y[1], y[15]) = (0.5, 1.0, -4.0);
        check(
            UNDER,
            &inputs,
            &[attribute("block_size", 16)],
            &[floats(&[2, 16], &y)],
        );
    }

    /// By hand: 0x93 is 3, 9; without a zero point minus 8, with the zero point 1 minus 1.
    #[test]
    fn packed_bytes() {
        let mut bytes = vec![0x88_u8; 8];
        bytes[0] = 0x93;
        let data = || Value::from(Tensor::new(&[1, 8], bytes.clone()).expect("8 bytes"));
        let index = || Value::from(Tensor::scalar(0_i32));
        let attributes = [attribute("block_size", 16), attribute("bits", 4)];
        let mut y = vec![0.0_f32; 16];
        (y[0], y[1]) = (-10.0, 2.0);
        check(
            UNDER,
            &[data(), index(), floats(&[1, 1], &[2.0])],
            &attributes,
            &[floats(&[16], &y)],
        );
        let zero = Value::from(Tensor::new(&[1, 1], vec![0x01_u8]).expect("a byte"));
        let mut y = vec![14.0_f32; 16];
        (y[0], y[1]) = (4.0, 16.0);
        check(
            UNDER,
            &[data(), index(), floats(&[1, 1], &[2.0]), zero],
            &attributes,
            &[floats(&[16], &y)],
        );
    }
}
