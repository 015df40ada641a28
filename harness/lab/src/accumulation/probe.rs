//! Probes: rows of terms whose sum shows how a backend adds.
//!
//! A row has a large number M, its negative, and small terms between. What was added to M before −M
//! came is rounded to the spacing of M; what came later, or to another partial sum, is kept. So the
//! result counts the small terms that met M first.

use onnx_tensor::DType;

use crate::accumulation::accumulator::{Accumulator, Direction};
use crate::accumulation::order::Order;
use crate::accumulation::subject::Kind;

/// The terms of a row; a multiple of 9 for a kernel of 3×3.
fn terms(kind: Kind) -> usize {
    if kind == Kind::Conv { 72 } else { 64 }
}

/// The rows of one request, and their results.
pub type Rows = Vec<Vec<f64>>;

/// A small term and the exponents of the large ones, within the range of the type.
#[derive(Clone, Copy)]
struct Scale {
    /// The small term.
    small: f64,
    /// The greatest exponent of M over the small term.
    exponents: u32,
}

fn scale(dtype: DType) -> Scale {
    match dtype {
        DType::Float16 => Scale {
            small: (-14_f64).exp2(),
            exponents: 29,
        },
        _ => Scale {
            small: (-60_f64).exp2(),
            exponents: 120,
        },
    }
}

/// The accumulator of an operator whose sums `add` returns; `None` if it returns none, or the
/// results are not sums.
///
/// # Errors
/// Those of `add`.
pub fn accumulator<E>(
    kind: Kind,
    dtype: DType,
    mut add: impl FnMut(&Rows) -> Result<Option<Vec<f64>>, E>,
) -> Result<Option<Accumulator>, E> {
    let (count, Scale { small, exponents }) = (terms(kind), scale(dtype));
    let scaled = if kind.divides() { count as f64 } else { 1.0 };
    let mut sums = |rows: &Rows| {
        let sums = add(rows)?;
        let fits = sums.filter(|sums| sums.len() == rows.len());
        Ok::<_, E>(fits.map(|sums| sums.into_iter().map(|sum| sum * scaled).collect::<Vec<f64>>()))
    };
    let Some(kept) = sums(&precision_rows(count, small, exponents))? else {
        return Ok(None);
    };
    let bits = bits(&kept, (count - 2) as f64 * small, exponents);
    // Already the smallest sum is wrong: these are no sums.
    if bits == Some(1) {
        return Ok(None);
    }
    let large = small * f64::from(exponents).exp2();
    let direction = match bits {
        None => Direction::Unseen,
        Some(bits) => {
            let spacing = large * (1.0 - f64::from(bits)).exp2();
            let found = sums(&direction_rows(count, large, 0.75 * spacing))?.unwrap_or_default();
            direction(&found, spacing)
        }
    };
    // All small terms together must be lost beside M.
    let order = match bits {
        Some(bits) if bits + count.ilog2() + 2 <= exponents => {
            let kept = sums(&order_rows(count, small, large))?.unwrap_or_default();
            let joined: Vec<usize> = kept
                .iter()
                .map(|kept| (count as f64 - kept / small) as usize)
                .collect();
            Some(Order::of(&joined))
        }
        _ => None,
    };
    let factors = if kind.multiplies() {
        // An accumulator also rounds the products: only fewer bits are those of the factors.
        sums(&factor_rows(count, dtype))?
            .and_then(|found| factor_bits(&found))
            .filter(|factors| bits.is_none_or(|bits| *factors < bits))
    } else {
        None
    };
    Ok(Some(Accumulator {
        bits,
        seen: exponents,
        factors,
        direction,
        order,
    }))
}

/// For each exponent: M and −M at four pairs of places, small terms at all others.
fn precision_rows(count: usize, small: f64, exponents: u32) -> Rows {
    let pairs = [(0, count - 1), (0, 1), (0, count / 2), (count / 2 - 1, count - 1)];
    let rows = (1..=exponents).flat_map(|exponent| pairs.map(|pair| (exponent, pair)));
    rows.map(|(exponent, (plus, minus))| {
        let large = small * f64::from(exponent).exp2();
        row(count, small, &[(plus, large), (minus, -large)])
    })
    .collect()
}

/// The first exponent at which a small term is lost: 2ᵖ + 1 does not have p bits.
fn bits(kept: &[f64], all: f64, exponents: u32) -> Option<u32> {
    let mut rows = kept.chunks(kept.len() / exponents as usize);
    let lost = rows.position(|pairs| pairs.iter().any(|kept| *kept != all))?;
    u32::try_from(lost + 1).ok()
}

/// M first, −M last, and three quarters of a spacing of M at each place between.
fn direction_rows(count: usize, large: f64, part: f64) -> Rows {
    let between = 1..count - 1;
    between
        .map(|place| row(count, 0.0, &[(0, large), (count - 1, -large), (place, part)]))
        .collect()
}

/// To nearest, three quarters of a spacing are a whole one; toward zero they are none. Where they
/// do not meet M, they are kept.
fn direction(found: &[f64], spacing: f64) -> Direction {
    if found.contains(&spacing) {
        Direction::Nearest
    } else if found.contains(&0.0) {
        Direction::Zero
    } else {
        Direction::Unseen
    }
}

/// M first and −M at each other place, small terms at all others.
fn order_rows(count: usize, small: f64, large: f64) -> Rows {
    (1..count)
        .map(|place| row(count, small, &[(0, large), (place, -large)]))
        .collect()
}

/// 1 + 2⁻ᵏ for each bit k of the type.
fn factor_rows(count: usize, dtype: DType) -> Rows {
    let bits = match dtype {
        DType::Double => 53,
        DType::Float16 => 11,
        DType::Bfloat16 => 8,
        _ => 24,
    };
    (1..bits)
        .map(|bit| row(count, 0.0, &[(0, 1.0 + f64::from(-bit).exp2())]))
        .collect()
}

/// The first bit that is lost: b bits represent 1 + 2⁻ᵏ up to k = b − 1.
fn factor_bits(found: &[f64]) -> Option<u32> {
    let exact = |(index, found): (usize, &f64)| *found != 1.0 + (-(index as f64 + 1.0)).exp2();
    let lost = found.iter().enumerate().position(exact)?;
    u32::try_from(lost + 1).ok()
}

fn row(count: usize, others: f64, given: &[(usize, f64)]) -> Vec<f64> {
    let mut row = vec![others; count];
    for (place, number) in given {
        if let Some(slot) = row.get_mut(*place) {
            *slot = *number;
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::accumulation::simulated::Adder;

    /// The probes find how a simulated backend adds.
    #[track_caller]
    fn check(adder: &Adder, dtype: DType, expected: &str) {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let add = |rows: &Rows| {
            let sums = rows.iter().map(|row| {
                let factors: Vec<(f64, f64)> = row.iter().map(|term| (*term, 1.0)).collect();
                adder.sum(&factors, &mut rng)
            });
            Ok::<_, Infallible>(Some(sums.collect()))
        };
        let Ok(found) = accumulator(Kind::MatMul, dtype, add);
        assert_eq!(found.expect("these are sums").to_string(), expected);
    }

    #[test]
    fn accumulators_are_told() {
        let float = Adder::FLOAT;
        let with = |order| Adder { order, ..float };
        check(&float, DType::Float, "float, to nearest, one after the other");
        check(
            &with(Order::Lanes(8)),
            DType::Float,
            "float, to nearest, 8 interleaved sums",
        );
        check(
            &with(Order::Pairwise),
            DType::Float,
            "float, to nearest, pairs of neighbours",
        );
        check(
            &with(Order::Blocks(16)),
            DType::Float,
            "float, to nearest, blocks of 16",
        );
        check(
            &Adder { bits: 53, ..float },
            DType::Float,
            "double, to nearest, one after the other",
        );
        check(
            &Adder { bits: 11, ..float },
            DType::Float,
            "float16, to nearest, one after the other",
        );
        check(
            &Adder { bits: 8, ..float },
            DType::Bfloat16,
            "bfloat16, to nearest, one after the other",
        );
        check(
            &Adder {
                toward_zero: true,
                ..float
            },
            DType::Float,
            "float, toward zero, one after the other",
        );
        check(
            &Adder {
                factor_bits: 11,
                ..float
            },
            DType::Float,
            "float, to nearest, one after the other, factors of 11 bits",
        );
        check(&float, DType::Float16, "float, to nearest");
        check(&Adder { bits: 53, ..float }, DType::Float16, "more than 29 bits");
    }
}
