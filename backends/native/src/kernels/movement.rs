//! Kernels that move values: Transpose, Concat, Split; Slice, Expand and Tile are in `strided`.

use std::ops::Range;
use std::sync::Mutex;

use native_kernels::Zeroable;
use native_kernels::layout::permute;

use super::moving::{Move, moving};
use super::used::Operand;
use super::{Attempt, Device, Kernel, Lowered, Use, floats};
use crate::error::Problem;
use crate::ir::{Layout, Operator};
use crate::ops::call::{axis, extents};
use crate::ops::movement::split_at;

/// Work with fewer elements is not divided among threads.
const GRAIN: usize = 16 * 1024;

/// Whether a result of a node has no elements; such a node runs in the general code.
pub fn is_empty(used: &Use) -> bool {
    used.outputs.iter().flatten().any(|&extent| extent == 0)
}

/// Lowers a Transpose.
pub fn transpose(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(x) = used.float(0).filter(|_| used.is_plain() && !is_empty(used)) else {
        return Ok(None);
    };
    let order = match operator.attributes.ints("perm")? {
        Some(order) => extents(order)?,
        None => (0..x.shape.len()).rev().collect(),
    };
    let shape = x.shape.clone();
    Lowered::of(used, device, vec![0], moving(Permuted { shape, order }))
}

/// The operand with its axes in another order.
struct Permuted {
    shape: Vec<usize>,
    order: Vec<usize>,
}

impl Move for Permuted {
    fn run<T: Zeroable>(
        &mut self,
        device: &Device,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Problem> {
        Ok(permute(
            &device.pool,
            &self.shape,
            &self.order,
            inputs[0],
            outputs[0],
        )?)
    }
}

/// The rows of a concatenation, and the number of elements of each operand in a row.
pub struct Joined {
    pub rows: usize,
    pub lengths: Vec<usize>,
}

/// Returns the rows of a Concat of these operands. A blocked layout is supported only along the channels, and
/// only if each part except the last fills its blocks.
pub fn joined(
    used: &Use,
    device: &Device,
    operator: &Operator,
    parts: &[&Operand],
) -> Result<Option<Joined>, Problem> {
    let whole_shape = &used.outputs[0];
    let at = axis(operator.attributes.int("axis")?, whole_shape.len())?;
    // Operands that do not fit fail when the node runs.
    let other_axes = |shape: &[usize]| [&shape[..at], &shape[at + 1..]].concat();
    let alike = parts.iter().all(|part| {
        part.shape.len() == whole_shape.len() && other_axes(&part.shape) == other_axes(whole_shape)
    });
    let extents = parts.iter().filter_map(|part| part.shape.get(at));
    if !alike || extents.sum::<usize>() != whole_shape[at] {
        return Ok(None);
    }
    let block = match used.layout {
        Layout::Plain => 1,
        Layout::Blocked => device.lanes(),
        Layout::ChannelsLast => 4,
    };
    let (plain, last) = (block == 1, used.layout == Layout::ChannelsLast);
    let whole = |shape: &[usize]| shape.get(1).is_some_and(|channels| channels % block == 0);
    let (_, before) = parts
        .split_last()
        .map_or((None, &[][..]), |(last, before)| (Some(last), before));
    let fits = parts.iter().all(|part| part.layout == used.layout)
        && (plain || (at == 1 && before.iter().all(|part| whole(&part.shape))));
    if !fits || parts.is_empty() {
        return Ok(None);
    }
    let length = |shape: &[usize]| {
        let (_, extent, inner) = split_at(shape, at);
        if last {
            extent.next_multiple_of(block)
        } else {
            extent.next_multiple_of(block) * inner
        }
    };
    let lengths = parts.iter().map(|part| length(&part.shape)).collect();
    let (outer, _, pixels) = split_at(whole_shape, at);
    let rows = if last { outer * pixels } else { outer };
    Ok(Some(Joined { rows, lengths }))
}

/// Lowers a Concat.
pub fn concat(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let parts = (0..used.inputs.len())
        .map(|position| used.float(position))
        .collect::<Option<Vec<_>>>();
    let Some(parts) = parts.filter(|_| !is_empty(used)) else {
        return Ok(None);
    };
    let Some(Joined { rows, lengths }) = joined(used, device, operator, &parts)? else {
        return Ok(None);
    };
    let row: usize = lengths.iter().sum();
    let reads: Vec<usize> = (0..parts.len()).collect();
    if rows == 1 {
        let places: Vec<Range<usize>> = lengths
            .iter()
            .scan(0, |end, length| {
                *end += length;
                Some(*end - length..*end)
            })
            .collect();
        return Ok(Some(Lowered {
            kernel: moving(Filled(places.clone())),
            reads,
            lengths: used.lengths(device),
            places: Some(places),
        }));
    }
    Lowered::of(used, device, reads, moving(Interleaved { row, lengths }))
}

/// Rows of the result, of which each operand has a part of this length.
struct Interleaved {
    row: usize,
    lengths: Vec<usize>,
}

impl Move for Interleaved {
    fn run<T: Zeroable>(
        &mut self,
        device: &Device,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Problem> {
        let Interleaved { row, ref lengths } = *self;
        each_part(device, outputs[0], row, |start, part| {
            for (number, target) in part.chunks_exact_mut(row).enumerate() {
                let (number, mut rest) = (start / row + number, target);
                for (input, &length) in inputs.iter().zip(lengths) {
                    let (own, after) = rest.split_at_mut(length);
                    own.copy_from_slice(&input[number * length..][..length]);
                    rest = after;
                }
            }
        });
        Ok(())
    }
}

/// Copies each input to its range of the output; other ranges are unchanged.
struct Filled(Vec<Range<usize>>);

impl Move for Filled {
    fn run<T: Zeroable>(
        &mut self,
        device: &Device,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Problem> {
        for (input, place) in inputs.iter().zip(&self.0) {
            each_part(device, &mut outputs[0][place.clone()], GRAIN, |start, part| {
                part.copy_from_slice(&input[start..][..part.len()]);
            });
        }
        Ok(())
    }
}

/// Copies each input to the output at its position.
pub fn copy_each() -> Box<dyn Kernel> {
    floats(move |device, inputs, outputs| {
        for (input, output) in inputs.iter().zip(outputs) {
            each_part(device, output, GRAIN, |start, part| {
                part.copy_from_slice(&input[start..][..part.len()]);
            });
        }
        Ok(())
    })
}

/// Lowers a Split.
pub fn split(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(x) = used.float(0).filter(|_| used.is_plain() && !is_empty(used)) else {
        return Ok(None);
    };
    let at = axis(operator.attributes.int("axis")?, x.shape.len())?;
    let (outer, extent, inner) = split_at(&x.shape, at);
    // Where the lengths are missing, the shapes of outputs are only declared.
    let is_part = |shape: &Vec<usize>| {
        let others = |shape: &[usize]| [&shape[..at], &shape[at + 1..]].concat();
        shape.len() == x.shape.len() && others(shape) == others(&x.shape)
    };
    if !used.outputs.iter().all(is_part) {
        return Ok(None);
    }
    let lengths: Vec<usize> = used.outputs.iter().map(|shape| shape[at] * inner).collect();
    // The general code refuses lengths that are not those of all outputs.
    let of_attribute = operator.attributes.ints("split")?.map(<[i64]>::len);
    let given = of_attribute.or_else(|| used.ints(1).map(|given| given.len()));
    let is_whole = used.listed == lengths.len() && given.is_none_or(|given| given == used.listed);
    if !is_whole || lengths.iter().sum::<usize>() != extent * inner {
        return Ok(None);
    }
    let row = extent * inner;
    Lowered::of(used, device, vec![0], moving(Parts { outer, row, lengths }))
}

/// Parts of these lengths of each row of the operand.
struct Parts {
    outer: usize,
    row: usize,
    lengths: Vec<usize>,
}

impl Move for Parts {
    fn run<T: Zeroable>(
        &mut self,
        _: &Device,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Problem> {
        let mut first = 0;
        for (y, &length) in outputs.iter_mut().zip(&self.lengths) {
            for row in 0..self.outer {
                y[row * length..][..length].copy_from_slice(&inputs[0][row * self.row + first..][..length]);
            }
            first += length;
        }
        Ok(())
    }
}

/// Calls `body` with parts of `y` and their offsets, on all threads; the cuts are at multiples of `grain`.
pub fn each_part<T: Send>(device: &Device, y: &mut [T], grain: usize, body: impl Fn(usize, &mut [T]) + Sync) {
    let threads = device.pool.threads();
    let grain = grain.max(1);
    let grains = y.len().div_ceil(grain);
    if threads == 1 || grains <= 1 {
        return body(0, y);
    }
    let each = grains.div_ceil(threads) * grain;
    let parts = y
        .chunks_mut(each)
        .enumerate()
        .map(|(number, part)| Mutex::new((number * each, part)));
    let parts: Vec<Mutex<(usize, &mut [T])>> = parts.collect();
    device.pool.run(&|thread| {
        // Each part belongs to one thread, so the lock is never contended.
        if let Some(Ok(mut part)) = parts.get(thread).map(Mutex::lock) {
            let (start, part) = &mut *part;
            body(*start, part);
        }
    });
}
