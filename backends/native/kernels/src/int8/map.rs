//! A function of one byte, and the concatenation of bytes with different scales.

use super::pair::fused;
use super::scale::round;
use super::{ByteScale, Bytes};
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// Work with fewer elements is not divided among threads.
const GRAIN: usize = 16 * 1024;

/// A function from bytes to bytes, given as their bits.
#[derive(Clone, Debug)]
pub struct ByteMap {
    isa: Isa,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Identity,
    /// `saturate(round(byte · factor + shift) + zero)`, which was compared for all bytes.
    Linear(Linear),
    Table(Box<[u8; 256]>),
}

#[derive(Clone, Copy, Debug)]
struct Linear {
    flip: u8,
    factor: f32,
    shift: f32,
    low: f32,
    high: f32,
    zero: u8,
}

impl ByteMap {
    /// Returns the function with these values.
    pub fn of_table(pool: &Pool, table: [u8; 256]) -> Self {
        let same = (0..=u8::MAX).zip(&table).all(|(at, value)| at == *value);
        Self {
            isa: pool.isa(),
            form: if same {
                Form::Identity
            } else {
                Form::Table(Box::new(table))
            },
        }
    }

    /// Returns `quantize(dequantize(x))`, each rounded to f32.
    pub fn rescaled(pool: &Pool, from: ByteScale, to: ByteScale) -> Self {
        let table = std::array::from_fn(|bits| to.bits(from.value(bits as u8)));
        let exact = Self::of_table(pool, table);
        let factor = f64::from(from.scale) / f64::from(to.scale);
        let place = to.place();
        let linear = Linear {
            flip: from.flip(),
            factor: factor as f32,
            shift: -(f64::from(from.unsigned_zero()) * factor) as f32,
            low: place.low as f32,
            high: place.high as f32,
            zero: place.zero,
        };
        let fast = Self {
            isa: pool.isa(),
            form: Form::Linear(linear),
        };
        let bytes: [u8; 256] = std::array::from_fn(|at| at as u8);
        let mut found = [0; 256];
        fast.on_slices(&bytes, &mut found);
        match exact.form {
            Form::Table(_) if found == table => fast,
            _ => exact,
        }
    }

    /// Computes the function of each byte.
    ///
    /// # Errors
    /// Different lengths.
    pub fn run(&self, pool: &Pool, x: &[u8], y: &mut [u8]) -> Result<()> {
        need("function of bytes: result", x.len(), y.len())?;
        let y = Shared::new(y);
        pool.split(x.len(), GRAIN, |range| {
            // SAFETY: ranges are disjoint, each belongs to one thread.
            let target = unsafe { y.part(range.start, range.len()) };
            self.on_slices(&x[range], target);
        });
        Ok(())
    }

    fn on_slices(&self, x: &[u8], y: &mut [u8]) {
        match &self.form {
            Form::Identity => y.copy_from_slice(x),
            Form::Linear(linear) => self.isa.run(Line { of: *linear, x, y }),
            Form::Table(table) => {
                for (y, x) in y.iter_mut().zip(x) {
                    *y = table[usize::from(*x)];
                }
            }
        }
    }
}

struct Line<'a> {
    of: Linear,
    x: &'a [u8],
    y: &'a mut [u8],
}

impl Kernel for Line<'_> {
    type Output = ();

    /// Vectorized by the compiler.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let of = self.of;
        for (y, x) in self.y.iter_mut().zip(self.x) {
            let value = fused::<S>(f32::from(*x ^ of.flip), of.factor, of.shift);
            *y = round(value, of.low, of.high).wrapping_add(of.zero);
        }
    }
}

/// An operand of a concatenation: `[rows][len]`, with the function of its bytes.
#[derive(Clone, Copy, Debug)]
pub struct BytePart<'a> {
    /// The bytes.
    pub x: Bytes<'a>,
    /// The number of bytes in a row.
    pub len: usize,
    /// The function.
    pub map: &'a ByteMap,
}

/// Concatenates the rows of all parts; the result is given as bits.
///
/// # Errors
/// A part or the result has another length.
pub fn concat_bytes(pool: &Pool, rows: usize, parts: &[BytePart], y: &mut [u8]) -> Result<()> {
    let what = "concatenation of bytes";
    let row = parts
        .iter()
        .try_fold(0_usize, |sum, part| sum.checked_add(part.len));
    let row = row.unwrap_or(usize::MAX);
    need(
        "concatenation of bytes: result",
        product(what, &[rows, row])?,
        y.len(),
    )?;
    for part in parts {
        need(
            "concatenation of bytes: operand",
            product(what, &[rows, part.len])?,
            part.x.len(),
        )?;
    }
    ensure(row > 0, what, || "no bytes".into())?;
    let y = Shared::new(y);
    pool.split(rows, (GRAIN / row).max(1), |range| {
        for at in range {
            let mut first = at * row;
            for part in parts {
                // SAFETY: rows are disjoint, each belongs to one thread.
                let target = unsafe { y.part(first, part.len) };
                part.map
                    .on_slices(&part.x.raw()[at * part.len..][..part.len], target);
                first += part.len;
            }
        }
    });
    Ok(())
}
