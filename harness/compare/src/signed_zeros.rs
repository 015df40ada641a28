//! Models for which the sign of zero counts.

use onnx_schema::has_signed_zeros;

/// Whether a model with these operators (such as `Transpose-13`) defines the sign of every zero, so that 0
/// instead of −0 is wrong.
pub fn signed_zeros(operators: &[String]) -> bool {
    let signed = |operator: &String| {
        let name = operator
            .rsplit_once('-')
            .map_or(operator.as_str(), |(name, _)| name);
        has_signed_zeros(name)
    };
    !operators.is_empty() && operators.iter().all(signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_with_defined_signs_keep_the_sign_of_zero() {
        let check = |operators: &[&str], expected| {
            let operators: Vec<String> = operators.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(signed_zeros(&operators), expected, "{operators:?}");
        };
        check(&["Transpose-13", "Where-16"], true);
        check(&["Transpose-13", "Add-14"], true);
        check(&["Transpose-13", "ReduceSum-13"], false);
        check(&["ai.onnx.ml.Scaler-1"], false);
        check(&[], false);
    }
}
