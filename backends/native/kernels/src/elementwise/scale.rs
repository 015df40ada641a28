//! Multiplies each row of weights by a factor.

use crate::Isa;
use crate::error::{Result, ensure};
use crate::simd::{Kernel, Simd};

/// Multiplies each of the equally long rows of `values` by its factor, in f64, and rounds once.
pub fn scale_rows(factors: &[f64], values: &mut [f32]) -> Result<()> {
    let whole = values.is_empty() || !factors.is_empty() && values.len().is_multiple_of(factors.len());
    ensure(whole, "scale of rows", || {
        format!(
            "{} values cannot be divided into {} rows",
            values.len(),
            factors.len()
        )
    })?;
    Isa::detect().run(Rows { factors, values });
    Ok(())
}

struct Rows<'a> {
    factors: &'a [f64],
    values: &'a mut [f32],
}

impl Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let each = (self.values.len() / self.factors.len().max(1)).max(1);
        for (row, &factor) in self.values.chunks_exact_mut(each).zip(self.factors) {
            for value in row {
                *value = (f64::from(*value) * factor) as f32;
            }
        }
    }
}
