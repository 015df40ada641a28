//! BatchNormalization — (x − mean) / sqrt(var + epsilon) · scale + B, for each channel (or each feature).
//!
//! In f64, rounded once; f64: within 4 ULP of the larger of the two terms. The statistics of training are
//! sums in double-double.
//!
//! Versions: 1 and 6 train unless `is_test` is set; 7 and 9 train if more outputs than Y are named; 14 and
//! 15 have `training_mode`. Up to 7, `spatial` = 0 selects statistics for each feature (C × D1 × … × Dn); 9
//! drops it and allows inputs of rank 1, which have one channel. 14 gives the statistics, and 15 scale and
//! B, separate types.
//!
//! Interpretation: the variance of training is the population variance in all versions, as 14 says.
//! `saved_mean` and `saved_var` are the statistics of the batch. Outputs beyond Y outside of training are
//! an error, because the text calls them invalid.

use onnx_tensor::{DType, Float, Real, Tensor, Value, dispatch};

use super::moments::{Affine, Moments};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = op(
    "BatchNormalization",
    &[
        v(1, First, by_is_test),
        v(6, Semantics, by_is_test),
        v(7, Semantics, |call| {
            batch_normalization(call, trains_by_outputs(call), Features::read(call)?)
        }),
        v(9, Semantics, |call| {
            batch_normalization(call, trains_by_outputs(call), Features::Channels)
        }),
        v(14, Semantics, by_training_mode),
        v(15, TypesOnly, by_training_mode),
    ],
);

fn by_is_test(call: &Call<'_>) -> Result<Outputs, OpError> {
    batch_normalization(call, call.int("is_test")? == 0, Features::read(call)?)
}

fn trains_by_outputs(call: &Call<'_>) -> bool {
    (1..call.output_count()).any(|index| call.wants(index))
}

fn by_training_mode(call: &Call<'_>) -> Result<Outputs, OpError> {
    batch_normalization(call, call.flag("training_mode")?, Features::Channels)
}

/// The unit that has its own statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Features {
    Channels,
    /// Each element of an image.
    Elements,
}

impl Features {
    fn read(call: &Call<'_>) -> Result<Features, OpError> {
        Ok(match call.int("spatial")? {
            0 => Features::Elements,
            _ => Features::Channels,
        })
    }
}

/// The input as batch × features × elements of a feature.
#[derive(Clone, Copy, Debug)]
struct Layout {
    batch: usize,
    features: usize,
    inner: usize,
}

impl Layout {
    fn new(shape: &[usize], features: Features) -> Layout {
        let (batch, channels, inner) = match shape {
            [] => (1, 1, 1),
            [count] => (*count, 1, 1),
            [batch, channels, spatial @ ..] => (*batch, *channels, spatial.iter().product()),
        };
        match features {
            Features::Channels => Layout {
                batch,
                features: channels,
                inner,
            },
            Features::Elements => Layout {
                batch,
                features: channels * inner,
                inner: 1,
            },
        }
    }

    /// The positions of the elements of a feature.
    fn places(self, feature: usize) -> impl Iterator<Item = usize> + Clone {
        let Layout {
            batch,
            features,
            inner,
        } = self;
        (0..batch).flat_map(move |image| {
            let start = (image * features + feature) * inner;
            start..start + inner
        })
    }
}

/// The parameters that normalise the elements of a feature.
#[derive(Clone, Copy, Debug)]
struct Feature {
    mean: f64,
    variance: f64,
    scale: f64,
    bias: f64,
}

fn batch_normalization(call: &Call<'_>, training: bool, features: Features) -> Result<Outputs, OpError> {
    if !training && trains_by_outputs(call) {
        return Err(OpError::invalid("outputs other than Y are for training only"));
    }
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call, training, features))
}

fn typed<T: Float + Affine>(call: &Call<'_>, training: bool, features: Features) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let layout = Layout::new(x.shape(), features);
    let dense = x.as_standard_layout();
    let elements = dense.as_slice().unwrap_or_default();
    let given = parameters(call, x.shape(), layout, features)?;
    let used: Vec<Feature> = if training {
        statistics(layout, elements, &given)
    } else {
        given.clone()
    };
    let epsilon = f64::from(call.float("epsilon")?);
    let mut result = vec![T::ZERO; elements.len()];
    let inner = layout.inner.max(1);
    for (index, (chunk, result)) in elements.chunks(inner).zip(result.chunks_mut(inner)).enumerate() {
        let Feature {
            mean,
            variance,
            scale,
            bias,
        } = used[index % layout.features];
        let factor = scale / (variance + epsilon).sqrt();
        T::shift_and_scale(chunk, [mean, factor, bias], result);
    }
    let mut outputs = vec![Some(Value::from(Tensor::new(x.shape(), result)?))];
    if training {
        outputs.extend(running(call, &given, &used)?);
    }
    Ok(outputs)
}

/// Inputs 1 to 4: scale, B, mean and variance of each feature. Those of each element may have the shape of an
/// image.
fn parameters(
    call: &Call<'_>,
    x: &[usize],
    layout: Layout,
    features: Features,
) -> Result<Vec<Feature>, OpError> {
    let read = |index: usize| {
        let tensor = call.tensor(index)?;
        let image = features == Features::Elements && Some(tensor.shape()) == x.get(1..);
        let fits = tensor.shape() == [layout.features] || image;
        if fits {
            Ok(widen(tensor)?)
        } else {
            Err(OpError::invalid(format!(
                "input {index} has shape {:?}, expected one value for each of {} features",
                tensor.shape(),
                layout.features
            )))
        }
    };
    let (scales, biases, means, variances) = (read(1)?, read(2)?, read(3)?, read(4)?);
    let pairs = scales.iter().zip(&biases).zip(means.iter().zip(&variances));
    Ok(pairs
        .map(|((&scale, &bias), (&mean, &variance))| Feature {
            mean,
            variance,
            scale,
            bias,
        })
        .collect())
}

/// `given` with the statistics of the batch.
fn statistics<T: Real>(layout: Layout, elements: &[T], given: &[Feature]) -> Vec<Feature> {
    let of_feature = |(index, feature): (usize, &Feature)| {
        let Moments { mean, variance } =
            Moments::of(layout.places(index).map(|place| elements[place].to_f64()));
        Feature {
            mean,
            variance,
            ..*feature
        }
    };
    given.iter().enumerate().map(of_feature).collect()
}

/// The outputs of training: running mean and variance, and in versions that have them, those of the batch.
fn running(call: &Call<'_>, given: &[Feature], batch: &[Feature]) -> Result<Outputs, OpError> {
    let momentum = f64::from(call.float("momentum")?);
    let blend = |old: f64, new: f64| old * momentum + new * (1.0 - momentum);
    let pairs = || given.iter().zip(batch);
    let columns: [Vec<f64>; 4] = [
        pairs().map(|(old, new)| blend(old.mean, new.mean)).collect(),
        pairs()
            .map(|(old, new)| blend(old.variance, new.variance))
            .collect(),
        batch.iter().map(|feature| feature.mean).collect(),
        batch.iter().map(|feature| feature.variance).collect(),
    ];
    let (shape, dtype): (&[usize], DType) = (call.tensor(3)?.shape(), call.dtype(3)?);
    columns
        .into_iter()
        .take(call.output_count().saturating_sub(1))
        .map(|column| {
            let column = ndarray::ArrayD::from_shape_vec(shape, column)?;
            Ok(Some(Value::from(narrow(column, dtype)?)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, evaluate, exact, refused, values};

    /// By hand: 1, 3, 5, 7 have mean 4 and variance 5; with epsilon 4 and scale 3 the factor is 1.
    #[test]
    fn training_by_version() {
        let vector = |element: f32| Tensor::vector(vec![element]);
        let given = [3.0, 1.0, 10.0, 1.0].map(vector);
        let image = |elements: [f32; 4]| Tensor::new(&[2, 1, 2], elements.to_vec()).expect("four elements");
        let inputs = [&[image([1.0, 3.0, 5.0, 7.0])], &given[..]].concat();
        let y = image([-2.0, 0.0, 2.0, 4.0]);
        let running = [7.0, 3.0].map(vector);
        let saved = [4.0, 5.0].map(vector);
        let attributes = vec![attribute("epsilon", 4.0_f32), attribute("momentum", 0.5_f32)];
        let old = [std::slice::from_ref(&y), &running[..], &saved[..]].concat();
        let new = [&[y], &running[..]].concat();
        let with = |more| [&attributes[..], &[more]].concat();
        exact(
            ("", "BatchNormalization", 1),
            &inputs,
            &with(attribute("consumed_inputs", [0_i64; 5])),
            &old,
        );
        for since in [6, 7, 9] {
            exact(("", "BatchNormalization", since), &inputs, &attributes, &old);
        }
        for since in [14, 15] {
            exact(
                ("", "BatchNormalization", since),
                &inputs,
                &with(attribute("training_mode", 1)),
                &new,
            );
            refused(
                ("", "BatchNormalization", since),
                &values(&inputs),
                &attributes,
                "training only",
            );
        }
        refused(
            ("", "BatchNormalization", 6),
            &values(&inputs),
            &with(attribute("is_test", 1)),
            "training only",
        );
    }

    /// By hand: each of the two features has variance 4.
    #[test]
    fn statistics_of_features() {
        let tensor = |shape: &[usize], elements: &[f32]| {
            Tensor::new(shape, elements.to_vec()).expect("the elements fill the shape")
        };
        let parameter = |elements: [f32; 2]| tensor(&[1, 2], &elements);
        let x = tensor(&[2, 1, 2], &[1.0, 3.0, 5.0, 7.0]);
        let given = [[2.0, 4.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]].map(parameter);
        let saved = [[3.0, 5.0], [4.0, 4.0]].map(parameter);
        let y = tensor(&[2, 1, 2], &[-2.0, -3.0, 2.0, 5.0]);
        let attributes = [
            attribute("spatial", 0),
            attribute("epsilon", 0.0_f32),
            attribute("momentum", 0.0_f32),
        ];
        let expected = [&[y], &saved[..], &saved[..]].concat();
        exact(
            ("", "BatchNormalization", 7),
            &[&[x], &given[..]].concat(),
            &attributes,
            &expected,
        );
    }

    /// By hand: an input of rank 1 is one channel.
    #[test]
    fn an_input_of_rank_1() {
        let x = Tensor::vector(vec![1.0_f32, 3.0, 5.0, 7.0]);
        let given = [3.0_f32, 1.0, 0.0, 0.0].map(|element| Tensor::vector(vec![element]));
        let outputs = evaluate(
            ("", "BatchNormalization", 9),
            &values(&[&[x], &given[..]].concat()),
            &[attribute("epsilon", 4.0_f32)],
        );
        let expected = Tensor::vector(vec![-2.0_f32, 0.0, 2.0, 4.0]);
        let y = outputs.expect("the input is valid").swap_remove(0);
        assert!(y.as_tensor().is_some_and(|y| y.same_bits(&expected)), "{y:?}");
    }
}
