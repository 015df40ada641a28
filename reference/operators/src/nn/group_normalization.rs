//! GroupNormalization — normalises each group of channels of each image to mean 0 and variance 1, then
//! scales and shifts it.
//!
//! Statistics in double-double, the rest in f64; the first stage ends in the cast of `stash_type`
//! ([`Stage`]), the second is rounded once.
//!
//! Versions: 18, deprecated, has scale and bias for each group and no `stash_type` (its function body
//! computes in the type of X; here it is rounded once); 21 has them for each channel.

use ndarray::ArrayD;
use onnx_arithmetic::moments::{self as estimate, Moments};
use onnx_tensor::{DType, Tensor};

use super::kernels::dense;
use super::moments::{Moments as Exact, Stage};
use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = op(
    "GroupNormalization",
    &[
        v(18, First, |call| {
            let groups = super::kernels::positive(call, "num_groups")?;
            let stage = Stage {
                stash: DType::Double,
                input: DType::Double,
            };
            group_normalization(call, groups, stage)
        }),
        v(21, Semantics, |call| {
            let channels = call.tensor(0)?.shape().get(1).copied().unwrap_or(0);
            let stage = Stage::new(call.int("stash_type")?, call.dtype(0)?)?;
            group_normalization(call, channels, stage)
        }),
    ],
);

/// Normalises by groups. Scale and bias have `entries` values, each for the same number of consecutive
/// channels.
fn group_normalization(call: &Call<'_>, entries: usize, stage: Stage) -> Result<Outputs, OpError> {
    let x: &Tensor = call.tensor(0)?;
    let groups = super::kernels::positive(call, "num_groups")?;
    let &[_, channels, ref spatial @ ..] = x.shape() else {
        return Err(OpError::invalid(format!(
            "shape {:?} must have a batch and a channel axis",
            x.shape()
        )));
    };
    if channels % groups != 0 {
        return Err(OpError::invalid(format!(
            "{channels} channels cannot be split into {groups} groups"
        )));
    }
    let (scale, bias) = (parameter(call, 1, entries)?, parameter(call, 2, entries)?);
    let plane: usize = spatial.iter().product();
    let shape = Groups {
        groups,
        channels,
        plane,
        casts: stage.input == DType::Float,
        epsilon: f64::from(call.float("epsilon")?),
    };
    if x.dtype() == DType::Float && matches!(stage.stash, DType::Float | DType::Double) {
        let parameters = |channel: usize| {
            let entry = channel * entries / channels;
            (scale[entry], bias[entry])
        };
        let y = shape.normalised(&dense(x.array::<f32>()?), parameters);
        return one(Tensor::new(x.shape(), y)?);
    }
    let epsilon = f64::from(call.float("epsilon")?);
    let elements = widen(x)?
        .into_iter()
        .map(|x| stage.enter(x))
        .collect::<Result<Vec<f64>, _>>()?;
    let mut result = Vec::with_capacity(elements.len());
    for (index, group) in elements.chunks((channels / groups * plane).max(1)).enumerate() {
        let moments = Exact::of(group.iter().copied());
        let factor = moments.inverse_deviation(epsilon);
        let first = index % groups * (channels / groups);
        for (place, x) in group.iter().enumerate() {
            let entry = (first + place / plane) * entries / channels;
            let normalised = stage.leave((x - moments.mean) * factor)?;
            result.push(normalised * scale[entry] + bias[entry]);
        }
    }
    one(narrow(ArrayD::from_shape_vec(x.shape(), result)?, x.dtype())?)
}

/// The sizes of a normalisation of float.
struct Groups {
    groups: usize,
    channels: usize,
    plane: usize,
    /// Whether a normalised element is rounded to float before it is scaled.
    casts: bool,
    epsilon: f64,
}

impl Groups {
    /// The result. `parameters` are the scale and the bias of a channel.
    fn normalised(&self, x: &[f32], parameters: impl Fn(usize) -> (f64, f64)) -> Vec<f32> {
        let (channels, plane) = (self.channels / self.groups, self.plane.max(1));
        let size = (channels * plane).max(1);
        let mut result = vec![0.0; x.len()];
        for (index, (x, y)) in x.chunks(size).zip(result.chunks_mut(size)).enumerate() {
            let first = index % self.groups * channels;
            let of_plane = |plane: usize| parameters(first + plane);
            if !self.decided(x, plane, of_plane, y) {
                self.computed(x, plane, of_plane, y);
            }
        }
        result
    }

    /// Normalises a group if an estimate decides each of its elements.
    fn decided(
        &self,
        x: &[f32],
        plane: usize,
        of_plane: impl Fn(usize) -> (f64, f64),
        y: &mut [f32],
    ) -> bool {
        let moments = Moments::centred(x);
        let factor = moments.inverse_deviation(self.epsilon);
        x.chunks(plane)
            .zip(y.chunks_mut(plane))
            .enumerate()
            .all(|(index, (x, y))| {
                let (scale, bias) = of_plane(index);
                if !self.casts {
                    return moments.affine(factor.times(scale), Some(bias), x, y);
                }
                let decided = moments.normalise(factor, x, y);
                estimate::scale(y, scale, bias);
                decided
            })
    }

    /// Normalises a group by the formula.
    fn computed(&self, x: &[f32], plane: usize, of_plane: impl Fn(usize) -> (f64, f64), y: &mut [f32]) {
        let moments = Exact::of(x.iter().map(|&x| f64::from(x)));
        let factor = moments.inverse_deviation(self.epsilon);
        for (place, (x, y)) in x.iter().zip(y).enumerate() {
            let (scale, bias) = of_plane(place / plane);
            let normalised = (f64::from(*x) - moments.mean) * factor;
            let normalised = if self.casts {
                f64::from(normalised as f32)
            } else {
                normalised
            };
            *y = (normalised * scale + bias) as f32;
        }
    }
}

fn parameter(call: &Call<'_>, index: usize, entries: usize) -> Result<Vec<f64>, OpError> {
    let tensor = call.tensor(index)?;
    if tensor.shape() != [entries] {
        return Err(OpError::invalid(format!(
            "input {index} has shape {:?}, expected [{entries}]",
            tensor.shape()
        )));
    }
    Ok(widen(tensor)?.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    /// By hand: 1, 1, 7, 7 have mean 4 and variance 9; with epsilon 7 the deviation is 4.
    #[test]
    fn parameters_of_groups_and_of_channels() {
        let tensor = |elements: [f32; 4]| Tensor::new(&[1, 2, 2], elements.to_vec()).expect("four elements");
        let x = tensor([1.0, 1.0, 7.0, 7.0]);
        let attributes = [attribute("num_groups", 1), attribute("epsilon", 7.0_f32)];
        for (since, scale, bias, expected) in [
            (18, vec![4.0_f32], vec![1.0_f32], [-2.0, -2.0, 4.0, 4.0]),
            (21, vec![4.0, 8.0], vec![0.0, 1.0], [-3.0, -3.0, 7.0, 7.0]),
        ] {
            let inputs = [x.clone(), Tensor::vector(scale), Tensor::vector(bias)];
            exact(
                ("", "GroupNormalization", since),
                &inputs,
                &attributes,
                &[tensor(expected)],
            );
        }
        let wrong = values(&[
            x,
            Tensor::vector(vec![1.0_f32; 3]),
            Tensor::vector(vec![0.0_f32; 3]),
        ]);
        refused(
            ("", "GroupNormalization", 21),
            &wrong,
            &attributes,
            "expected [2]",
        );
    }
}
