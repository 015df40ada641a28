//! Linear models: one row of coefficients for each score.

use super::features::Features;
use crate::frame::OpError;

/// Scores `X·Cᵀ + b`, row by row, in f64. `coefficients` holds one row for each of the `targets`;
/// `intercepts` one value for each, or none.
pub fn scores(
    features: &Features,
    coefficients: &[f32],
    intercepts: &[f32],
    targets: usize,
) -> Result<Vec<f64>, OpError> {
    if Some(coefficients.len()) != features.width.checked_mul(targets) {
        return Err(OpError::invalid(format!(
            "`coefficients` has {} values, expected one for each of {targets} scores and {} features",
            coefficients.len(),
            features.width
        )));
    }
    if !intercepts.is_empty() && intercepts.len() != targets {
        return Err(OpError::invalid(format!(
            "`intercepts` has {} values, expected one for each of {targets} scores",
            intercepts.len()
        )));
    }
    let mut scores = Vec::with_capacity(features.rows.saturating_mul(targets));
    for row in features.iter() {
        for target in 0..targets {
            let weights = &coefficients[target * features.width..(target + 1) * features.width];
            let product: f64 = row.iter().zip(weights).map(|(x, &c)| x * f64::from(c)).sum();
            scores.push(product + intercepts.get(target).copied().map_or(0.0, f64::from));
        }
    }
    Ok(scores)
}
