//! The positions of the terms of each sum in the operands of an operator.

use crate::accumulation::subject::Kind;

/// Rows and columns of the product of two matrices, whose elements are the sums.
const SIDE: usize = 32;

/// Rows and columns of the result of a convolution.
const IMAGE: usize = 6;

/// Rows and columns of the kernel of a convolution.
const KERNEL: usize = 3;

/// The shapes of the operands, and which of their elements each sum takes.
#[derive(Clone, Debug)]
pub struct Layout {
    kind: Kind,
    /// The shape of the first operand.
    pub first: Vec<usize>,
    /// The shape of the second operand, if the operator has one.
    pub second: Option<Vec<usize>>,
    /// The number of sums.
    pub sums: usize,
    /// The number of terms of each.
    pub length: usize,
}

impl Layout {
    /// The operands of about a thousand sums of `length` terms.
    pub fn of(kind: Kind, length: usize) -> Layout {
        let with = |first: Vec<usize>, second: Option<Vec<usize>>, sums, length| Layout {
            kind,
            first,
            second,
            sums,
            length,
        };
        let sums = SIDE * SIDE;
        match kind {
            Kind::MatMul | Kind::Einsum => with(vec![SIDE, length], Some(vec![length, SIDE]), sums, length),
            Kind::Gemm => with(vec![SIDE, length], Some(vec![SIDE, length]), sums, length),
            Kind::Conv => {
                let channels = length.div_ceil(KERNEL * KERNEL);
                let padded = IMAGE + KERNEL - 1;
                with(
                    vec![1, channels, padded, padded],
                    Some(vec![SIDE, channels, KERNEL, KERNEL]),
                    SIDE * IMAGE * IMAGE,
                    channels * KERNEL * KERNEL,
                )
            }
            Kind::ReduceSum | Kind::ReduceMean | Kind::ReduceSumSquare => {
                with(vec![sums, length], None, sums, length)
            }
            Kind::GlobalAveragePool => with(vec![1, sums, 1, length], None, sums, length),
        }
    }

    /// The flat positions of the factors of a term in the two operands. A term without a second
    /// operand is its first factor, or the square of it.
    pub fn factors(&self, sum: usize, term: usize) -> (usize, usize) {
        match self.kind {
            Kind::MatMul | Kind::Einsum => {
                let (row, column) = (sum / SIDE, sum % SIDE);
                (row * self.length + term, term * SIDE + column)
            }
            Kind::Gemm => {
                let (row, column) = (sum / SIDE, sum % SIDE);
                (row * self.length + term, column * self.length + term)
            }
            Kind::Conv => {
                let (kernel, pixel) = (sum / (IMAGE * IMAGE), sum % (IMAGE * IMAGE));
                let (channel, tap) = (term / (KERNEL * KERNEL), term % (KERNEL * KERNEL));
                let row = pixel / IMAGE + tap / KERNEL;
                let column = pixel % IMAGE + tap % KERNEL;
                let padded = IMAGE + KERNEL - 1;
                (
                    (channel * padded + row) * padded + column,
                    kernel * self.length + term,
                )
            }
            Kind::ReduceSum | Kind::ReduceMean | Kind::ReduceSumSquare | Kind::GlobalAveragePool => {
                let place = sum * self.length + term;
                (place, place)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element of each operand is a factor, and no position is outside.
    #[test]
    fn the_sums_cover_the_operands() {
        for kind in Kind::ALL {
            let layout = Layout::of(kind, 16);
            let count = |shape: &[usize]| shape.iter().product::<usize>();
            let second = layout
                .second
                .as_ref()
                .map_or(count(&layout.first), |shape| count(shape));
            let mut seen = [vec![false; count(&layout.first)], vec![false; second]];
            for sum in 0..layout.sums {
                for term in 0..layout.length {
                    let (a, b) = layout.factors(sum, term);
                    seen[0][a] = true;
                    seen[1][b] = true;
                }
            }
            assert!(layout.sums >= 1000, "{kind:?}");
            assert!(seen.iter().flatten().all(|seen| *seen), "{kind:?}");
        }
    }
}
