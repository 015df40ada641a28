//! BifurcationDetector — merges predicted tokens into those of the decoder, and finds where the source
//! repeats their last n-gram.
//!
//! Interpretation, as in ONNX Runtime: the predicted tokens are compared with the source from the previous
//! match on, and the first one that differs is still taken; n-grams are tried from `min_ngram_size` on, and
//! the first size with at most one match decides; the index is that behind the n-gram in the source.

use onnx_tensor::{Tensor, Value};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::nn::positive;

pub const OP: OpDef = contrib("BifurcationDetector", &[v(1, First, bifurcation_detector)]);

fn bifurcation_detector(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (source, current) = (call.integers(0)?, call.integers(1)?);
    let (least, most) = (
        positive(call, "min_ngram_size")?,
        positive(call, "max_ngram_size")?,
    );
    let start = call.scalar::<i64>(2)?;
    let mut tokens = current;
    if let Some(predicted) = call.optional_integers(3)? {
        let start = usize::try_from(start).ok().filter(|&start| start <= source.len());
        let start = start.ok_or_else(|| OpError::invalid("the previous match is not in the source"))?;
        if predicted.len() != source.len() - start + 1 {
            return Err(OpError::invalid(format!(
                "{} predicted tokens, expected one more than the {} of the source behind the match",
                predicted.len(),
                source.len() - start
            )));
        }
        let pairs = predicted.iter().zip(&source[start..]);
        let equal = pairs
            .take_while(|(predicted, source)| predicted == source)
            .count();
        tokens.extend(&predicted[..=equal]);
    }
    call.work(&[most.min(tokens.len()), source.len(), most.min(tokens.len())])?;
    let index = suffix_match(&source, &tokens, least, most);
    Ok(vec![
        Some(Value::from(Tensor::vector(tokens))),
        Some(Value::from(Tensor::vector(vec![index]))),
    ])
}

/// The index behind the only occurrence of the last n-gram in the source; −1 if there is none. A size with
/// several occurrences leaves the decision to the next.
fn suffix_match(source: &[i64], tokens: &[i64], least: usize, most: usize) -> i64 {
    for size in least..=most.min(tokens.len()) {
        let ending = &tokens[tokens.len() - size..];
        let mut places = (0..)
            .zip(source.windows(size))
            .filter(|(_, n_gram)| *n_gram == ending);
        match (places.next(), places.next()) {
            (None, _) => return -1,
            (Some((at, _)), None) => return at + size as i64,
            (Some(_), Some(_)) => {}
        }
    }
    -1
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// The prediction 2, 9 agrees with the source in 2; its last token 9 is not in the source. Without a
    /// prediction the last token 3 occurs once, at index 3.
    #[test]
    fn merged_and_found() {
        let under = ("com.microsoft", "BifurcationDetector", 1);
        let vector = |values: &[i64]| Tensor::vector(values.to_vec());
        exact(
            under,
            &[vector(&[1, 2, 3]), vector(&[5]), vector(&[1]), vector(&[2, 9, 7])],
            &[],
            &[vector(&[5, 2, 9]), vector(&[-1])],
        );
        exact(
            under,
            &[vector(&[1, 2, 3, 4]), vector(&[5, 3]), vector(&[0])],
            &[],
            &[vector(&[5, 3]), vector(&[3])],
        );
    }
}
