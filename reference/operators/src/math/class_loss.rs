//! The core of NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss: the loss from log-probabilities and
//! classes.
//!
//! Precision: products and sums in f64 (compensated), rounded once.
//! - A sample whose class is `ignore_index` has loss 0 and weight 0; any other class must be in [0, C).
//! - `mean` divides by the sum of the weights of the samples. Without a weight tensor these are 1, so that
//!   ignored samples do not count. (The text also says "mean(loss), if weight is not provided"; the
//!   official cases follow the first rule.) If no sample counts, the mean is 0 / 0, NaN.

use ndarray::{Array3, ArrayD, IxDyn};
use onnx_tensor::element::CompensatedSum;
use onnx_tensor::{Accumulator, Float, Tensor};

use crate::frame::{Call, OpError};

/// How the losses of the samples are reduced.
enum Reduction {
    None,
    Sum,
    Mean,
}

/// The loss of log-probabilities of shape (N, C, d₁ … dₖ) for the classes in input 1, shape (N, d₁ … dₖ),
/// with the weights in input 2, shape (C).
pub fn loss<T: Float>(call: &Call<'_>, log_probabilities: ArrayD<f64>) -> Result<Tensor, OpError> {
    let reduction = match call.string("reduction")? {
        "none" => Reduction::None,
        "sum" => Reduction::Sum,
        "mean" => Reduction::Mean,
        other => {
            return Err(OpError::invalid(format!(
                "`reduction` is `{other}`, expected `none`, `sum` or `mean`"
            )));
        }
    };
    let target_shape = call.tensor(1)?.shape();
    let samples = samples::<T>(call, log_probabilities)?;
    if let Reduction::None = reduction {
        let losses = samples
            .iter()
            .map(|&(loss, weight)| T::from_f64(loss * weight))
            .collect();
        return Ok(Tensor::new::<T>(target_shape, losses)?);
    }
    let (mut sum, mut weights) = (CompensatedSum::default(), CompensatedSum::default());
    for &(loss, weight) in &samples {
        sum.add_product(loss, weight);
        weights.add(weight);
    }
    Ok(Tensor::scalar(T::from_f64(match reduction {
        Reduction::Mean => sum.finish() / weights.finish(),
        _ => sum.finish(),
    })))
}

/// For each sample, its unweighted loss and the weight of its class.
fn samples<T: Float>(call: &Call<'_>, log_probabilities: ArrayD<f64>) -> Result<Vec<(f64, f64)>, OpError> {
    let y = by_class(log_probabilities, call.tensor(1)?.shape())?;
    let (_, classes, inner) = y.dim();
    let weights: Option<Vec<f64>> = call
        .optional_array::<T>(2)?
        .map(|weights| weights.iter().map(|weight| weight.to_f64()).collect());
    if let Some(weights) = weights.as_ref().filter(|weights| weights.len() != classes) {
        return Err(OpError::invalid(format!(
            "expected {classes} weights, one for each class, got {}",
            weights.len()
        )));
    }
    let ignored = call.optional_int("ignore_index")?;
    let sample = |(position, class): (usize, i64)| {
        if Some(class) == ignored {
            return Ok((0.0, 0.0));
        }
        let index = usize::try_from(class)
            .ok()
            .filter(|&index| index < classes)
            .ok_or_else(|| OpError::invalid(format!("class {class} is outside [0, {classes})")))?;
        let weight = weights.as_ref().map_or(1.0, |weights| weights[index]);
        Ok((-y[(position / inner, index, position % inner)], weight))
    };
    call.integers(1)?.into_iter().enumerate().map(sample).collect()
}

/// Log-probabilities reshaped to (N, C, d₁ · … · dₖ), checked against the shape of the targets.
fn by_class(log_probabilities: ArrayD<f64>, targets: &[usize]) -> Result<Array3<f64>, OpError> {
    let misfit = || {
        OpError::invalid(format!(
            "targets of shape {targets:?} do not agree with scores of shape {:?}, which must be (N, C, d1, …)",
            log_probabilities.shape()
        ))
    };
    let &[batch, classes, ref inner @ ..] = log_probabilities.shape() else {
        return Err(misfit());
    };
    if targets.first() != Some(&batch) || targets.get(1..) != Some(inner) {
        return Err(misfit());
    }
    let columns = if log_probabilities.is_empty() {
        0
    } else {
        inner.iter().product()
    };
    if columns == 0 {
        return Ok(Array3::zeros((0, classes, 0)));
    }
    Ok(log_probabilities
        .to_shape(IxDyn(&[batch, classes, columns]))?
        .into_owned()
        .into_dimensionality()?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    /// Three samples of two classes; the last is ignored. By hand: (1 · 2 + 5 · 3) / (2 + 3).
    #[test]
    fn ignored_samples_do_not_count() {
        let y = Tensor::new(&[3, 2], vec![-1.0_f32, -4.0, -2.0, -5.0, -3.0, -6.0]).unwrap();
        let classes = |last: i64| Tensor::vector(vec![0, 1, last]);
        let weights = Tensor::vector(vec![2.0_f32, 3.0]);
        let ignore = attribute("ignore_index", -7);
        let inputs = [y.clone(), classes(-7), weights];
        let none = attribute("reduction", "none");
        exact(
            ("", "NegativeLogLikelihoodLoss", 12),
            &inputs,
            std::slice::from_ref(&ignore),
            &[Tensor::scalar(3.4_f32)],
        );
        let each = Tensor::vector(vec![2.0_f32, 15.0, 0.0]);
        exact(
            ("", "NegativeLogLikelihoodLoss", 13),
            &inputs,
            &[ignore, none],
            &[each],
        );
        refused(
            ("", "NegativeLogLikelihoodLoss", 22),
            &values(&[y, classes(2)]),
            &[],
            "class 2 is outside [0, 2)",
        );
    }
}
