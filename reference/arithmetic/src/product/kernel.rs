//! The innermost loops: a tile of 8 × 8 sums that stay in registers over the terms of a block.

use crate::isa::{Isa, vectorised};

/// The rows and the columns of a tile.
pub(super) const LANES: usize = 8;

/// What the product needs of a factor.
pub trait Kernel: Copy + Default + Send + Sync + 'static {
    /// A sum of products.
    type Sum: Copy + Default + Send + Sync + 'static;

    /// Adds the products of a panel of rows and a panel of columns to a tile.
    #[doc(hidden)]
    fn tile(a: &[Self], b: &[Self], sums: &mut [[Self::Sum; LANES]; LANES]);
    /// Adds the products of a panel of rows and a panel of columns to a tile, each at once.
    #[doc(hidden)]
    fn tile_at_once(a: &[Self], b: &[Self], sums: &mut [[Self::Sum; LANES]; LANES]) {
        Self::tile(a, b, sums);
    }
    /// Adds the products of one factor and a row to `partial`.
    #[doc(hidden)]
    fn scaled(factor: Self, row: &[Self], partial: &mut [Self::Sum]);
    /// Whether the product with zero adds nothing to a partial sum.
    #[doc(hidden)]
    fn is_finite(self) -> bool;
    /// The partial sum before the first term of a block, where C is `sum`.
    #[doc(hidden)]
    fn open(sum: &[Self::Sum], partial: &mut [Self::Sum]);
    /// C, which was `sum`, after the last term of a block.
    #[doc(hidden)]
    fn close(partial: &[Self::Sum], sum: &mut [Self::Sum]);
    /// Copies a row into panels of 8 columns, as the term `index` of `count`.
    #[doc(hidden)]
    fn spread(row: &[Self], index: usize, count: usize, into: &mut [Self]);
}

/// Adds the products of two panels to the `down` × `across` sums at the start of `sums`.
pub(super) fn add<F: Kernel>(
    a: &[F],
    b: &[F],
    sums: &mut [F::Sum],
    stride: usize,
    (down, across): (usize, usize),
    at_once: bool,
) {
    let mut tile = [[F::Sum::default(); LANES]; LANES];
    for (row, tile) in tile.iter_mut().enumerate().take(down) {
        let at = row * stride;
        tile[..across].copy_from_slice(&sums[at..at + across]);
    }
    if at_once {
        F::tile_at_once(a, b, &mut tile);
    } else {
        F::tile(a, b, &mut tile);
    }
    for (row, tile) in tile.iter().enumerate().take(down) {
        let at = row * stride;
        sums[at..at + across].copy_from_slice(&tile[..across]);
    }
}

/// See [`Kernel::spread`].
#[inline(always)]
pub(super) fn spread<F: Copy + Default>(row: &[F], index: usize, count: usize, into: &mut [F]) {
    let (whole, rest) = row.as_chunks::<LANES>();
    let mut panels = into.chunks_exact_mut(count * LANES);
    for (columns, panel) in whole.iter().zip(&mut panels) {
        panel[index * LANES..][..LANES].copy_from_slice(columns);
    }
    if let (false, Some(panel)) = (rest.is_empty(), panels.next()) {
        let into = &mut panel[index * LANES..][..LANES];
        into.fill(F::default());
        into[..rest.len()].copy_from_slice(rest);
    }
}

impl Kernel for f64 {
    type Sum = f64;

    fn tile(a: &[f64], b: &[f64], sums: &mut [[f64; LANES]; LANES]) {
        let ((a, _), (b, _)) = (a.as_chunks(), b.as_chunks());
        // Narrower registers hold half as many sums.
        match Isa::detect() {
            Isa::Avx512 => whole(a, b, sums),
            _ => {
                upper(a, b, sums);
                lower(a, b, sums);
            }
        }
    }

    fn tile_at_once(a: &[f64], b: &[f64], sums: &mut [[f64; LANES]; LANES]) {
        let ((a, _), (b, _)) = (a.as_chunks(), b.as_chunks());
        onto(a, b, sums);
    }

    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }

    fn scaled(factor: f64, row: &[f64], partial: &mut [f64]) {
        scaled_f64(factor, row, partial);
    }

    fn open(_: &[f64], partial: &mut [f64]) {
        partial.fill(0.0);
    }

    fn close(partial: &[f64], sum: &mut [f64]) {
        sum.iter_mut()
            .zip(partial)
            .for_each(|(sum, partial)| *sum += partial);
    }

    fn spread(row: &[f64], index: usize, count: usize, into: &mut [f64]) {
        spread_f64(row, index, count, into);
    }
}

/// The products of the rows from `FIRST` on, in 8 columns.
#[inline(always)]
fn rows<const FIRST: usize, const ROWS: usize>(
    a: &[[f64; LANES]],
    b: &[[f64; LANES]],
    sums: &mut [[f64; LANES]; LANES],
) {
    let mut partial = [[0.0_f64; LANES]; ROWS];
    for (a, b) in a.iter().zip(b) {
        for row in 0..ROWS {
            for lane in 0..LANES {
                partial[row][lane] = a[FIRST + row].mul_add(b[lane], partial[row][lane]);
            }
        }
    }
    for row in 0..ROWS {
        for lane in 0..LANES {
            sums[FIRST + row][lane] += partial[row][lane];
        }
    }
}

vectorised! {
    fn onto(a: &[[f64; LANES]], b: &[[f64; LANES]], sums: &mut [[f64; LANES]; LANES]) {
        let mut total = *sums;
        for (a, b) in a.iter().zip(b) {
            for row in 0..LANES {
                for lane in 0..LANES {
                    total[row][lane] = a[row].mul_add(b[lane], total[row][lane]);
                }
            }
        }
        *sums = total;
    }

    fn whole(a: &[[f64; LANES]], b: &[[f64; LANES]], sums: &mut [[f64; LANES]; LANES]) {
        rows::<0, 8>(a, b, sums);
    }

    fn upper(a: &[[f64; LANES]], b: &[[f64; LANES]], sums: &mut [[f64; LANES]; LANES]) {
        rows::<0, 4>(a, b, sums);
    }

    fn lower(a: &[[f64; LANES]], b: &[[f64; LANES]], sums: &mut [[f64; LANES]; LANES]) {
        rows::<4, 4>(a, b, sums);
    }

    fn scaled_f64(factor: f64, row: &[f64], partial: &mut [f64]) {
        partial.iter_mut().zip(row).for_each(|(sum, &x)| *sum = factor.mul_add(x, *sum));
    }

    fn spread_f64(row: &[f64], index: usize, count: usize, into: &mut [f64]) {
        spread(row, index, count, into);
    }
}

/// Integers wrap, so that their sums have no order.
macro_rules! integer {
    ($($ty:ty),*) => {$(const _: () = {
        vectorised! {
            fn tile(a: &[[$ty; LANES]], b: &[[$ty; LANES]], sums: &mut [[$ty; LANES]; LANES]) {
                let mut total = *sums;
                for (a, b) in a.iter().zip(b) {
                    for row in 0..LANES {
                        for lane in 0..LANES {
                            total[row][lane] = total[row][lane].wrapping_add(a[row].wrapping_mul(b[lane]));
                        }
                    }
                }
                *sums = total;
            }

            fn scaled(factor: $ty, row: &[$ty], partial: &mut [$ty]) {
                let pairs = partial.iter_mut().zip(row);
                pairs.for_each(|(sum, &x)| *sum = sum.wrapping_add(factor.wrapping_mul(x)));
            }
        }

        impl Kernel for $ty {
            type Sum = $ty;

            fn tile(a: &[$ty], b: &[$ty], sums: &mut [[$ty; LANES]; LANES]) {
                tile(a.as_chunks().0, b.as_chunks().0, sums);
            }

            fn is_finite(self) -> bool {
                true
            }

            fn scaled(factor: $ty, row: &[$ty], partial: &mut [$ty]) {
                scaled(factor, row, partial);
            }

            fn open(sum: &[$ty], partial: &mut [$ty]) {
                partial.copy_from_slice(sum);
            }

            fn close(partial: &[$ty], sum: &mut [$ty]) {
                sum.copy_from_slice(partial);
            }

            fn spread(row: &[$ty], index: usize, count: usize, into: &mut [$ty]) {
                spread(row, index, count, into);
            }
        }
    };)*};
}
integer!(u8, i8, u16, i16, u32, i32, u64, i64);
