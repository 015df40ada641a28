//! Seeded random inputs with the types and shapes of a case's inputs.

use backend_api::Named;
use onnx_tensor::{DType, Tensor, TensorError, Value};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// The distribution of random inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// Uniform in [0, 1), like the official inputs: with constant positive weights, other inputs give
    /// only zeros after the first ReLU.
    Positive,
    /// Mean 0, variance 1, with patches of similar values. (Pooling makes white noise almost constant.)
    Picture,
}

/// The number of patches along an axis of a picture.
const PATCHES: usize = 8;
/// The weights of the patch and of the noise in a value; their squares sum to 1.
const PATCH: f32 = 0.8;
const NOISE: f32 = 0.6;

/// The inputs number `number` of a seed: new float32 tensors; other values are those of `template`.
pub(super) fn seeded(
    template: &[Named],
    style: Style,
    seed: u64,
    number: u64,
) -> Result<Vec<Named>, TensorError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Stream 0 is used for the weights.
    rng.set_stream(number + 1);
    let draw = |(name, value): &Named| match value {
        Value::Tensor(tensor) if rotates(value) => {
            let elements = match style {
                Style::Positive => (0..tensor.len()).map(|_| rng.random()).collect(),
                Style::Picture => picture(tensor.shape(), tensor.len(), &mut rng),
            };
            let tensor = Tensor::new::<f32>(tensor.shape(), elements)?;
            Ok((name.clone(), Value::Tensor(tensor)))
        }
        _ => Ok((name.clone(), value.clone())),
    };
    template.iter().map(draw).collect()
}

/// Whether an input of a light model is varied. Integers may be shapes or indices, which must not
/// change.
fn rotates(value: &Value) -> bool {
    matches!(value, Value::Tensor(tensor) if tensor.dtype() == DType::Float)
}

/// Noise over patches in the last two axes.
fn picture(shape: &[usize], count: usize, rng: &mut impl Rng) -> Vec<f32> {
    let [.., height, width] = *shape else {
        return (0..count).map(|_| rng.sample(StandardNormal)).collect();
    };
    let mut elements = Vec::with_capacity(count);
    for _ in 0..count.checked_div(height * width).unwrap_or(0) {
        let patches: [[f32; PATCHES]; PATCHES] =
            std::array::from_fn(|_| std::array::from_fn(|_| rng.sample(StandardNormal)));
        for row in 0..height {
            for column in 0..width {
                let patch = patches[row * PATCHES / height][column * PATCHES / width];
                let noise: f32 = rng.sample(StandardNormal);
                elements.push(PATCH * patch + NOISE * noise);
            }
        }
    }
    elements
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use super::*;

    fn template() -> Vec<Named> {
        let image = Tensor::new(&[1, 3, 50, 40], vec![0.0_f32; 6000]).unwrap();
        let axes = Tensor::vector(vec![1_i64, 2]);
        vec![
            ("x".to_owned(), Value::Tensor(image)),
            ("axes".to_owned(), Value::Tensor(axes)),
        ]
    }

    fn floats(inputs: &[Named]) -> Vec<f32> {
        match &inputs[0].1 {
            Value::Tensor(tensor) => tensor.to_vec().unwrap(),
            value => panic!("{value:?}"),
        }
    }

    #[track_caller]
    fn check(style: Style, mean: f32, variance: f32) {
        let draw = |seed, number| floats(&seeded(&template(), style, seed, number).unwrap());
        let drawn = draw(1, 0);
        assert_eq!(drawn, draw(1, 0), "the same seed gives the same inputs");
        assert!(
            drawn != draw(1, 1) && drawn != draw(2, 0),
            "other numbers and seeds give other inputs"
        );
        let n = drawn.len() as f32;
        let found = drawn.iter().sum::<f32>() / n;
        assert_abs_diff_eq!(found, mean, epsilon = 0.2);
        let found = drawn.iter().map(|x| (x - found).powi(2)).sum::<f32>() / n;
        assert_abs_diff_eq!(found, variance, epsilon = 0.2);
    }

    #[test]
    fn inputs_depend_only_on_seed_and_number() {
        check(Style::Positive, 0.5, 1.0 / 12.0);
        check(Style::Picture, 0.0, 1.0);
    }

    #[test]
    fn values_other_than_float32_are_unchanged() {
        let drawn = seeded(&template(), Style::Picture, 1, 0).unwrap();
        match (&drawn[1].1, &template()[1].1) {
            (Value::Tensor(drawn), Value::Tensor(given)) => assert!(drawn.same_bits(given)),
            values => panic!("{values:?}"),
        }
    }
}
