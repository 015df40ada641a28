//! Weights that are quantized in blocks and packed into bytes.

use std::ops::Range;

use ndarray::{Array2, ArrayD, ArrayView1, Ix2};
use onnx_arithmetic::product::{Blocks as Order, Matrix, Operands, Terms};
use onnx_tensor::{DType, Tensor};

use crate::frame::{Call, OpError};
use crate::shared::matrix_product::{multiply, product_in_f64};
use crate::shared::reals::widen;

/// Element `index` of a bit stream of elements of `bits` bits (1 to 8), low bits first; 0 behind its end.
pub fn unpacked(bytes: ArrayView1<'_, u8>, bits: usize, index: usize) -> u8 {
    let (byte, shift) = (index * bits / 8, index * bits % 8);
    let at = |place: usize| u16::from(bytes.get(place).copied().unwrap_or(0));
    let word = at(byte) | at(byte + 1) << 8;
    ((word >> shift) & ((1 << bits) - 1)) as u8
}

/// A matrix of `rows` × `columns`, each row quantized in blocks of `block` elements.
#[derive(Debug)]
pub struct Blocks {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// Bits of an element.
    pub bits: usize,
    /// Elements that share a scale.
    pub block: usize,
    /// The packed elements: each row has `stride` bytes for each block.
    pub packed: Array2<u8>,
    /// Bytes of a block.
    pub stride: usize,
    /// The scales, one for each block of each row.
    pub scales: Array2<f64>,
    /// The zero points.
    pub zeros: Zeros,
    /// The group of each column in place of its block.
    pub groups: Option<Vec<usize>>,
}

/// The zero points of the blocks.
#[derive(Debug)]
pub enum Zeros {
    All(f64),
    /// Packed like the elements, each row on its own.
    Packed(Array2<u8>),
    /// Real numbers.
    Reals(Array2<f64>),
}

impl Blocks {
    /// Element (`row`, `column`), exact in f64 but for the product with the scale.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        let block = column / self.block;
        let bytes = self.packed.row(row);
        let bytes = bytes.slice_move(ndarray::s![
            (block * self.stride).min(bytes.len())..((block + 1) * self.stride).min(bytes.len())
        ]);
        let step = f64::from(unpacked(bytes, self.bits, column % self.block));
        let block = self.groups.as_ref().map_or(block, |groups| groups[column]);
        (step - self.zero(row, block)) * self.scales[[row, block]]
    }

    /// Some rows.
    pub fn rows(&self, rows: Range<usize>) -> Array2<f64> {
        let mut result = Array2::zeros((rows.len(), self.columns));
        for (row, mut into) in rows.zip(result.rows_mut()) {
            if let Some(into) = into.as_slice_mut() {
                self.unpack(row, 0..self.columns, into);
            }
        }
        result
    }

    /// Writes the elements of some columns of a row.
    fn unpack(&self, row: usize, columns: Range<usize>, into: &mut [f64]) {
        if self.groups.is_some() || self.bits != 4 {
            let elements = columns.map(|column| self.at(row, column));
            return into
                .iter_mut()
                .zip(elements)
                .for_each(|(into, element)| *into = element);
        }
        let packed = self.packed.row(row);
        let byte = |at: usize| packed.get(at).copied().unwrap_or(0);
        let start = columns.start;
        for range in within_blocks(columns, self.block) {
            let block = range.start / self.block;
            let (scale, zero) = (self.scales[[row, block]], self.zero(row, block));
            let values: [f64; 16] = std::array::from_fn(|step| (step as f64 - zero) * scale);
            let first = block * self.stride;
            for at in range {
                let within = at % self.block;
                let step = byte(first + within / 2) >> (within % 2 * 4) & 0xF;
                into[at - start] = values[usize::from(step)];
            }
        }
    }

    /// The zero point of a block of a row.
    fn zero(&self, row: usize, block: usize) -> f64 {
        match &self.zeros {
            Zeros::All(zero) => *zero,
            Zeros::Packed(bytes) => f64::from(unpacked(bytes.row(row), self.bits, block)),
            Zeros::Reals(values) => values[[row, block]],
        }
    }

    /// The product of `a` (m × columns) and the transposed matrix, in f64.
    pub fn product(&self, call: &Call<'_>, a: &Array2<f64>) -> Result<Array2<f64>, OpError> {
        call.reserve(&[a.nrows(), self.rows], DType::Double)?;
        let dtype = call.dtype(0)?;
        call.products(dtype, &[a.nrows(), self.rows, self.columns])?;
        if dtype == DType::Double {
            return product_in_f64(&a.view(), &self.rows(0..self.rows).t(), dtype);
        }
        let (a, mut sums) = (a.as_standard_layout(), vec![0.0; a.nrows() * self.rows]);
        let left = a
            .as_slice()
            .and_then(|left| Matrix::by_rows(left, a.nrows(), self.columns));
        if let Some(left) = left.filter(|_| self.columns > 0) {
            let operands = Operands {
                a: &left.transposed(),
                b: self,
                blocks: &Order::of(self.columns),
            };
            // As in the product of matrices: the sum of −0 and a partial sum is the partial sum.
            multiply(operands, |_| -0.0, &mut sums, self.rows);
        }
        Ok(Array2::from_shape_vec((a.nrows(), self.rows), sums)?)
    }
}

/// The parts of `columns` that are in one block each.
fn within_blocks(columns: Range<usize>, block: usize) -> impl Iterator<Item = Range<usize>> {
    let Range { start, end } = columns;
    (start / block..end.div_ceil(block)).map(move |at| (at * block).max(start)..((at + 1) * block).min(end))
}

/// The transposed matrix: a term for each column.
impl Terms<f64> for Blocks {
    fn is_by_columns(&self) -> bool {
        true
    }

    fn fill(&self, term: usize, columns: Range<usize>, into: &mut [f64]) {
        let elements = columns.map(|column| self.at(column, term));
        into.iter_mut()
            .zip(elements)
            .for_each(|(into, element)| *into = element);
    }

    fn panels(&self, terms: Range<usize>, columns: Range<usize>, into: &mut [f64]) {
        const LANES: usize = 8;
        let mut row = vec![0.0; terms.len()];
        let firsts = columns.clone().step_by(LANES);
        for (first, panel) in firsts.zip(into.chunks_mut(terms.len().max(1) * LANES)) {
            panel.fill(0.0);
            for (lane, column) in (first..columns.end.min(first + LANES)).enumerate() {
                self.unpack(column, terms.clone(), &mut row);
                let places = panel.iter_mut().skip(lane).step_by(LANES);
                places.zip(&row).for_each(|(place, element)| *place = *element);
            }
        }
    }
}

/// `tensor` of this shape or, flattened, of as many elements, as a matrix of f64.
pub fn matrix(tensor: &Tensor, shape: (usize, usize), name: &str) -> Result<Array2<f64>, OpError> {
    let misfit = || {
        OpError::invalid(format!(
            "`{name}` has shape {:?}, expected {shape:?}",
            tensor.shape()
        ))
    };
    let values: ArrayD<f64> = widen(tensor)?;
    if values.len() != shape.0.saturating_mul(shape.1) {
        return Err(misfit());
    }
    let values = values.as_standard_layout().into_owned();
    values
        .into_shape_with_order(shape)
        .map_err(|_| misfit())?
        .into_dimensionality::<Ix2>()
        .map_err(|_| misfit())
}

/// Like [`matrix`], of bytes.
pub fn bytes(tensor: &Tensor, shape: (usize, usize), name: &str) -> Result<Array2<u8>, OpError> {
    let misfit = || {
        OpError::invalid(format!(
            "`{name}` has shape {:?}, expected {shape:?}",
            tensor.shape()
        ))
    };
    if tensor.len() != shape.0.saturating_mul(shape.1) {
        return Err(misfit());
    }
    Array2::from_shape_vec(shape, tensor.to_vec::<u8>()?).map_err(|_| misfit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_low_first() {
        let bytes = ndarray::arr1(&[0b1110_0100_u8, 0b0000_0001]);
        let all = |bits, count| {
            (0..count)
                .map(|at| unpacked(bytes.view(), bits, at))
                .collect::<Vec<_>>()
        };
        assert_eq!(all(2, 5), [0, 1, 2, 3, 1]);
        assert_eq!(all(4, 3), [4, 14, 1]);
        assert_eq!(all(3, 3), [4, 4, 7]);
        assert_eq!(all(8, 3), [0b1110_0100, 1, 0]);
    }
}
