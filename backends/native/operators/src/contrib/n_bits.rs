//! Weights of 2 to 8 bits in blocks, packed into bytes.
//!
//! MatMulNBits becomes a product by constants that DequantizeLinear restores, for which there are kernels:
//! codes of at most 4 bits have the type uint4, wider ones uint8.

use onnx_model::AttributeValue::Int;
use onnx_tensor::{DType, Tensor, U4};

use super::elementwise::narrowed;
use super::{Row, contrib};
use crate::call::{axis, count, extent, int64s};
use crate::compose::{Composed, Composition, Id};
use crate::error::{Problem, invalid, unsupported};
use crate::numbers::{floats, slice};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    contrib("GatherBlockQuantized", gather),
    Row {
        // Inference must not unpack the weights.
        shapes: First(|known| known.projected("N")),
        ..contrib("MatMulNBits", product)
    },
];

/// The attributes of weights.
#[derive(Clone, Copy)]
pub struct Layout {
    /// The number of summands.
    pub k: usize,
    /// The number of columns of the result.
    pub n: usize,
    pub bits: usize,
    pub block: usize,
}

impl Layout {
    fn read(c: &Composition<'_>) -> Composed<Layout> {
        let attributes = c.attributes();
        let read = |name: &str| extent(attributes.int(name)?);
        let layout = Layout {
            k: read("K")?,
            n: read("N")?,
            bits: read("bits")?,
            block: read("block_size")?,
        };
        if attributes.flag("weight_prepacked")? {
            return Ok(unsupported(
                "`weight_prepacked`: weights that are packed for one device",
            )?);
        }
        if !(2..=8).contains(&layout.bits) || layout.block < 16 || !layout.block.is_power_of_two() {
            return Ok(unsupported(format!(
                "weights of {} bits in blocks of {}: 2 to 8 bits and powers of two from 16 on are defined",
                layout.bits, layout.block
            ))?);
        }
        count(&[layout.k, layout.n])?;
        Ok(layout)
    }

    pub fn blocks(&self) -> usize {
        self.k.div_ceil(self.block)
    }

    /// Returns the codes of a matrix of `n` rows of `width` codes, of which `stride` bytes hold `per` codes,
    /// transposed.
    pub fn codes(
        &self,
        bytes: &Tensor,
        name: &str,
        [width, stride, per]: [usize; 3],
    ) -> Result<Vec<u8>, Problem> {
        let packed = slice::<u8>(bytes)?;
        let row = width.div_ceil(per) * stride;
        if packed.len() != self.n * row {
            return invalid(format!(
                "`{name}` of shape {:?} does not have {row} bytes for each of {} columns",
                bytes.shape(),
                self.n
            ));
        }
        let mut codes = vec![0; width * self.n];
        for (column, packed) in packed.chunks_exact(row.max(1)).enumerate() {
            for (part, bytes) in packed.chunks_exact(stride.max(1)).enumerate() {
                let first = part * per;
                let targets = codes[first * self.n + column..].iter_mut().step_by(self.n);
                self.unpack(bytes, targets.take(per.min(width - first)));
            }
        }
        Ok(codes)
    }

    /// Unpacks codes, low bits first.
    fn unpack<'t>(&self, bytes: &[u8], targets: impl Iterator<Item = &'t mut u8>) {
        match self.bits {
            4 => targets
                .enumerate()
                .for_each(|(at, code)| *code = bytes[at / 2] >> (at % 2 * 4) & 15),
            8 => targets.zip(bytes).for_each(|(code, byte)| *code = *byte),
            bits => {
                let mask = ((1_u16 << bits) - 1) as u8;
                let byte = |at: usize| u16::from(bytes.get(at).copied().unwrap_or(0));
                targets.enumerate().for_each(|(at, code)| {
                    let bit = at * bits;
                    let word = byte(bit / 8) | byte(bit / 8 + 1) << 8;
                    *code = (word >> (bit % 8)) as u8 & mask;
                });
            }
        }
    }

    /// Returns codes as a tensor of `rows × n`.
    fn tensor(&self, rows: usize, codes: Vec<u8>) -> Result<Tensor, Problem> {
        let shape = [rows, self.n];
        Ok(match self.bits {
            ..=4 => Tensor::new(
                &shape,
                codes.into_iter().map(|code| U4::wrap(i64::from(code))).collect(),
            )?,
            _ => Tensor::new(&shape, codes)?,
        })
    }

    /// Returns a matrix of a number for each column and block, transposed.
    pub fn by_blocks(&self, tensor: &Tensor, name: &str) -> Result<Vec<f32>, Problem> {
        let (numbers, blocks) = (floats(tensor)?, self.blocks());
        if numbers.len() != self.n * blocks {
            return invalid(format!(
                "`{name}` of shape {:?} does not have {blocks} numbers for each of {} columns",
                tensor.shape(),
                self.n
            ));
        }
        let at = |place: usize| numbers[place % self.n * blocks + place / self.n] as f32;
        Ok((0..numbers.len()).map(at).collect())
    }
}

/// The zero points of blocks, transposed.
enum Zeros {
    Codes(Vec<u8>),
    Reals(Vec<f32>),
}

impl Zeros {
    fn read(c: &Composition<'_>, layout: &Layout) -> Composed<Zeros> {
        let blocks = layout.blocks();
        let Some(zeros) = c.find(3) else {
            return Ok(Zeros::Codes(vec![1 << (layout.bits - 1); blocks * layout.n]));
        };
        let tensor = c.elements(zeros)?;
        if tensor.dtype() == DType::Uint8 {
            let stride = (blocks * layout.bits).div_ceil(8);
            return Ok(Zeros::Codes(layout.codes(
                &tensor,
                "zero_points",
                [blocks, stride, blocks.max(1)],
            )?));
        }
        let reals = layout.by_blocks(&tensor, "zero_points")?;
        let greatest = f32::from(u8::MAX >> (8 - layout.bits));
        let whole = |zero: &f32| (0.0..=greatest).contains(zero) && zero.fract() == 0.0;
        Ok(if reals.iter().all(whole) {
            Zeros::Codes(reals.into_iter().map(|zero| zero as u8).collect())
        } else {
            Zeros::Reals(reals)
        })
    }
}

fn product(c: &mut Composition<'_>) -> Composed {
    let layout = Layout::read(c)?;
    let x = c.input_wide(0)?;
    let packed = c.elements(c.input(1)?)?;
    if packed.is_empty() {
        return Ok(unsupported("`B` without elements")?);
    }
    let stride = (layout.block * layout.bits).div_ceil(8);
    let codes = layout.codes(&packed, "B", [layout.k, stride, layout.block])?;
    let scales = layout.by_blocks(&c.elements(c.input(2)?)?, "scales")?;
    let zeros = Zeros::read(c, &layout)?;
    let weights = match (c.find(4), zeros) {
        (None, Zeros::Codes(zeros)) => {
            let blocks = layout.blocks();
            let codes = c.constant(layout.tensor(layout.k, codes)?);
            let scales = c.constant(Tensor::new(&[blocks, layout.n], scales)?);
            let zeros = c.constant(layout.tensor(blocks, zeros)?);
            let given = [("axis", Int(0)), ("block_size", Int(layout.block as i64))];
            c.apply("DequantizeLinear", &[codes, scales, zeros], &given)?
        }
        (groups, zeros) => {
            let blocks = blocks_of(c, &layout, groups)?;
            let weights = match &zeros {
                Zeros::Codes(zeros) => restored(layout.n, &codes, &scales, zeros, &blocks),
                Zeros::Reals(zeros) => restored(layout.n, &codes, &scales, zeros, &blocks),
            };
            c.constant(Tensor::new(&[layout.k, layout.n], weights)?)
        }
    };
    let weights = c.cast(weights, c.dtype(x)?)?;
    let mut y = c.apply("MatMul", &[x, weights], &[])?;
    if let Some(bias) = c.find_wide(5)? {
        c.along_last(y, bias, "bias")?;
        y = c.add(y, bias)?;
    }
    narrowed(c, y)
}

/// Returns the block of each summand.
fn blocks_of(c: &Composition<'_>, layout: &Layout, groups: Option<Id>) -> Composed<Vec<usize>> {
    let Some(groups) = groups else {
        return Ok((0..layout.k).map(|place| place / layout.block).collect());
    };
    let numbers = int64s(&c.elements(groups)?)?;
    let known = |&group: &i64| {
        usize::try_from(group)
            .ok()
            .filter(|&group| group < layout.blocks())
    };
    let found: Vec<usize> = numbers.iter().take(layout.k).map_while(known).collect();
    if found.len() == layout.k {
        return Ok(found);
    }
    Ok(invalid(format!(
        "`g_idx` must have a block below {} for each of {} columns",
        layout.blocks(),
        layout.k
    ))?)
}

/// Returns the weights of `n` columns as real numbers, from the block of each row.
pub fn restored<Z: Copy + Into<f32>>(
    n: usize,
    codes: &[u8],
    scales: &[f32],
    zeros: &[Z],
    blocks: &[usize],
) -> Vec<f32> {
    let weight = |(place, &code): (usize, &u8)| {
        let at = blocks[place / n] * n + place % n;
        (f32::from(code) - zeros[at].into()) * scales[at]
    };
    codes.iter().enumerate().map(weight).collect()
}

/// GatherBlockQuantized: rows of a table, then DequantizeLinear of the gathered rows.
fn gather(c: &mut Composition<'_>) -> Composed {
    let attributes = c.attributes();
    let (data, indices, scales) = (c.input(0)?, c.input(1)?, c.input(2)?);
    let own = c.dtype(scales)?;
    let rank = c.rank(data)?;
    let along = axis(attributes.int("quantize_axis")?, rank)?;
    if axis(attributes.int("gather_axis")?, rank)? != 0 || along == 0 || along + 1 != rank {
        return Ok(unsupported(
            "a `gather_axis` other than the first, or a `quantize_axis` other than the last",
        )?);
    }
    let dtype = c.dtype(data)?;
    if !matches!(dtype, DType::Uint8 | DType::Uint4 | DType::Int4) {
        return Ok(unsupported(format!("data of {dtype}"))?);
    }
    let bits = if dtype == DType::Uint8 {
        extent(attributes.int("bits")?)?
    } else {
        8
    };
    if ![2, 4, 8].contains(&bits) {
        return Ok(invalid("`bits` must be 2, 4 or 8")?);
    }
    // Gather has no types of 4 bits.
    let whole = if dtype == DType::Int4 {
        DType::Int8
    } else {
        DType::Uint8
    };
    let data = c.cast(data, whole)?;
    let rows = c.apply("Gather", &[data, indices], &[])?;
    let rows = unpacked(c, rows, bits)?;
    let scales = c.apply("Gather", &[scales, indices], &[])?;
    let scales = c.wide(scales)?;
    let zeros = match c.find(3) {
        Some(zeros) => {
            let zeros = c.cast(zeros, whole)?;
            let zeros = c.apply("Gather", &[zeros, indices], &[])?;
            let zeros = unpacked(c, zeros, bits)?;
            let shape = c.shape(scales)?;
            let last = shape.len() - 1;
            c.slice(zeros, last, 0, shape[last])?
        }
        None => {
            let middle = if dtype == DType::Uint8 { 1 << (bits - 1) } else { 0 };
            let zero = c.scalar(whole, f64::from(middle))?;
            let target = c.apply("Shape", &[scales], &[])?;
            c.apply("Expand", &[zero, target], &[])?
        }
    };
    let block = ("block_size", Int(attributes.int("block_size")?));
    let at = ("axis", Int(-1));
    let y = c.apply("DequantizeLinear", &[rows, scales, zeros], &[at, block])?;
    c.give_as(0, y, own)
}

/// Returns the elements of some bits that are packed into bytes along the last axis, low bits first.
fn unpacked(c: &mut Composition<'_>, x: Id, bits: usize) -> Composed<Id> {
    if bits == 8 {
        return Ok(x);
    }
    let mut shape = c.shape(x)?;
    let parts = 8 / bits;
    let shifts: Vec<u8> = (0..parts).map(|part| (part * bits) as u8).collect();
    let shifts = c.constant(Tensor::vector(shifts));
    let mask = c.constant(Tensor::scalar(((1_u16 << bits) - 1) as u8));
    let apart = c.unsqueeze(x, &[shape.len()])?;
    let right = ("direction", onnx_model::AttributeValue::String(b"RIGHT".to_vec()));
    let shifted = c.apply("BitShift", &[apart, shifts], &[right])?;
    let codes = c.apply("BitwiseAnd", &[shifted, mask], &[])?;
    if let Some(last) = shape.last_mut() {
        *last *= parts;
    }
    c.reshape(codes, &shape)
}
