//! Rotary embeddings of heads by cached cosines and sines.

use ndarray::{Array2, Array3, Array4, Ix2};

use crate::frame::{Call, OpError};
use crate::nn::rotate as turn;
use crate::shared::reals::widen;

/// The cosines and the sines of each token, batch × sequence × half.
pub type Angles = (Array3<f64>, Array3<f64>);

/// Cosines and sines, a row for each position.
#[derive(Debug)]
pub struct Caches {
    cos: Array2<f64>,
    sin: Array2<f64>,
}

impl Caches {
    /// The caches at these inputs.
    pub fn read(call: &Call<'_>, cos: usize, sin: usize) -> Result<Caches, OpError> {
        let table = |index: usize| {
            let rank = |_| OpError::invalid(format!("the cache at input {index} must have rank 2"));
            widen(call.tensor(index)?)?
                .into_dimensionality::<Ix2>()
                .map_err(rank)
        };
        let (cos, sin) = (table(cos)?, table(sin)?);
        if cos.dim() == sin.dim() {
            Ok(Caches { cos, sin })
        } else {
            Err(OpError::invalid("the caches have different shapes"))
        }
    }

    /// The angles of these positions, batch × sequence × half.
    pub fn select(&self, positions: &[i64], (batch, length): (usize, usize)) -> Result<Angles, OpError> {
        let row = |&position: &i64| {
            let row = usize::try_from(position)
                .ok()
                .filter(|&row| row < self.cos.nrows());
            row.ok_or_else(|| {
                OpError::invalid(format!(
                    "position {position} is outside a cache of {} rows",
                    self.cos.nrows()
                ))
            })
        };
        let rows = positions.iter().map(row).collect::<Result<Vec<_>, _>>()?;
        let shape = (batch, length, self.cos.ncols());
        let select = |table: &Array2<f64>| {
            Ok::<Array3<f64>, OpError>(
                table
                    .select(ndarray::Axis(0), &rows)
                    .into_shape_with_order(shape)?,
            )
        };
        Ok((select(&self.cos)?, select(&self.sin)?))
    }
}

/// Rotates the first elements of each head in pairs: neighbours if `interleaved`, otherwise of two halves.
pub fn rotate(x: &mut Array4<f64>, (cos, sin): &Angles, interleaved: bool) -> Result<(), OpError> {
    let (batch, _, tokens, size) = x.dim();
    let (rows, columns, half) = cos.dim();
    if (rows, columns) != (batch, tokens) {
        return Err(OpError::invalid(format!(
            "{rows} entries of {columns} positions do not fit {batch} entries of {tokens} tokens"
        )));
    }
    if 2 * half > size {
        return Err(OpError::invalid(format!(
            "caches of {half} columns rotate {} elements, but a head has {size}",
            2 * half
        )));
    }
    turn(x, cos, sin, interleaved);
    Ok(())
}

#[cfg(test)]
mod tests {
    use ndarray::{Array3, Array4};

    use super::rotate;

    #[test]
    fn positions_fit_entries_and_tokens() {
        let mut keys = Array4::ones((2, 1, 3, 4));
        for (batch, tokens, fits) in [(2, 3, true), (1, 3, false), (2, 2, false)] {
            let angles = (
                Array3::zeros((batch, tokens, 2)),
                Array3::zeros((batch, tokens, 2)),
            );
            assert_eq!(
                rotate(&mut keys, &angles, false).is_ok(),
                fits,
                "{batch} × {tokens}"
            );
        }
    }
}
