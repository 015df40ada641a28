//! Texts that are numbers, as a Cast writes them: they are judged as the numbers that they name.

use std::borrow::Cow;

use onnx_tensor::Tensor;

/// A tensor of texts that are all numbers as doubles, or as integers if all are; any other tensor as it is.
pub(super) fn as_numbers(tensor: &Tensor) -> Cow<'_, Tensor> {
    let Tensor::String(texts) = tensor else {
        return Cow::Borrowed(tensor);
    };
    let integers: Option<Vec<i64>> = texts.iter().map(|text| text.parse().ok()).collect();
    let numbers = || {
        texts
            .iter()
            .map(|text| number(text))
            .collect::<Option<Vec<f64>>>()
    };
    let parsed = match integers {
        _ if texts.is_empty() => None,
        Some(integers) => Tensor::new(tensor.shape(), integers).ok(),
        None => numbers().and_then(|numbers| Tensor::new(tensor.shape(), numbers).ok()),
    };
    parsed.map_or(Cow::Borrowed(tensor), Cow::Owned)
}

/// The number that a text names, if it has digits.
fn number(text: &str) -> Option<f64> {
    let has_digits = text.contains(|c: char| c.is_ascii_digit());
    let literal = matches!(text, "INF" | "-INF" | "NaN");
    text.parse().ok().filter(|_| has_digits || literal)
}

/// What is wrong with texts of the right numbers: the text in scientific notation, which is not plain.
pub(super) fn scientific(tensor: &Tensor) -> Option<String> {
    let Tensor::String(texts) = tensor else {
        return None;
    };
    let found = texts
        .iter()
        .find(|text| text.contains(['e', 'E']) && number(text).is_some())?;
    Some(format!(
        "\"{found}\" is no plain floating-point representation (Cast-13)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_numbers_are_numbers() {
        let check = |texts: &[&str], expected: Option<Tensor>| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            let tensor = Tensor::vector(texts);
            assert_eq!(*as_numbers(&tensor), expected.unwrap_or_else(|| tensor.clone()));
        };
        check(
            &["1.5", "-2", "1e-5"],
            Some(Tensor::vector(vec![1.5, -2.0, 1e-5])),
        );
        check(&["0.5", "INF"], Some(Tensor::vector(vec![0.5, f64::INFINITY])));
        check(&["1", "-2"], Some(Tensor::vector(vec![1_i64, -2])));
        check(&["1.5", "a"], None);
        check(&["1.5", "inf"], None);
        check(&[], None);
    }

    #[test]
    fn scientific_notation_is_named() {
        let of = |text: &str| scientific(&Tensor::vector(vec!["0.5".to_owned(), text.to_owned()]));
        assert!(of("1.5e-5").is_some_and(|found| found.contains("1.5e-5")));
        assert_eq!(of("0.000015"), None);
        assert_eq!(of("apple"), None);
    }
}
