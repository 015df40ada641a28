//! RMSNormalization — divides the elements from `axis` on by their root mean square and scales them.
//!
//! The sum of squares in double-double, the rest in f64; the first stage ends in the cast of `stash_type`
//! (`Stage`), the second is rounded once, to the type of the scale.

use super::moments::mean_square;
use super::normalised_rows::{Distance, normalised};
use super::trailing::Trailing;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::reals::narrow;

pub const OP: OpDef = op("RMSNormalization", &[v(23, First, rms_normalization)]);

fn rms_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    if let Some(rows) = normalised(call, Distance::Zero, None)? {
        return one(rows.y);
    }
    let x = Trailing::read(call)?;
    let mut normalised = Vec::new();
    for row in x.rows() {
        let rms = (mean_square(row.iter().copied()) + x.epsilon).sqrt();
        for element in row {
            normalised.push(x.stage.leave(element / rms)?);
        }
    }
    let scale = call.tensor(1)?;
    one(narrow(x.scaled(normalised, scale)?, scale.dtype())?)
}
