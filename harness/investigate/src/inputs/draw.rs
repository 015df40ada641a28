//! Generates random values from a seed.

use onnx_model::ValueInfo;
use onnx_tensor::{DType, Real, Tensor, TensorError, Value, ValueType, dispatch};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::dims::Dims;
use super::roles::Role;
use crate::error::InputProblem;

/// The maximum number of elements of a generated value.
const MAX_ELEMENTS: usize = 1 << 28;

/// The upper limit of integers that may be indices: small enough for most tables.
const SMALL: usize = 8;

/// The greatest magnitude of integers of more than 8 bits that need not be indices.
const GREAT: i64 = 100;

/// The words of generated strings.
const WORDS: [&str; 8] = ["the", "model", "reads", "a", "short", "text", "of", "words"];

/// A value for an input with a description; `None` for an optional, which is omitted.
pub(super) fn value(
    info: &ValueInfo,
    role: &Role,
    dims: &mut Dims,
    seed: u64,
    number: u64,
) -> Result<Option<(Value, String)>, InputProblem> {
    let not_drawn = |reason: String| InputProblem::NotDrawn {
        name: info.name.clone(),
        reason,
    };
    let dtype = match &info.value_type {
        Some(ValueType::Tensor { dtype, .. }) => *dtype,
        Some(ValueType::Optional(_)) => return Ok(None),
        Some(other) => return Err(not_drawn(format!("values of type {other} cannot be generated"))),
        None => return Err(not_drawn("the model declares no type".to_owned())),
    };
    let shape = dims
        .resolve(info)
        .ok_or_else(|| not_drawn("the model declares no shape".to_owned()))?;
    let count = shape
        .iter()
        .try_fold(1_usize, |count, extent| count.checked_mul(*extent));
    let count = count
        .filter(|count| *count <= MAX_ELEMENTS)
        .ok_or_else(|| not_drawn(format!("{shape:?} has more than {MAX_ELEMENTS} elements")))?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    let last = shape.last().copied().unwrap_or(1).max(1);
    let (numbers, what) = numbers(role, dtype, count, last, &mut rng);
    let tensor = match dtype {
        DType::String => {
            let words = (0..count).map(|_| WORDS[rng.random_range(0..WORDS.len())].to_owned());
            Tensor::new(&shape, words.collect())
        }
        DType::Bool => Tensor::new(&shape, numbers.iter().map(|number| *number > 0.5).collect()),
        dtype => typed(dtype, &shape, &numbers),
    };
    let tensor =
        tensor.map_err(|_| not_drawn(format!("values of type tensor({dtype}) cannot be generated")))?;
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    let words = format!("{}: {what}, {dtype}[{}]", info.name, extents.join(","));
    Ok(Some((tensor.into(), words)))
}

fn typed(dtype: DType, shape: &[usize], numbers: &[f64]) -> Result<Tensor, TensorError> {
    dispatch!(real, dtype, T => {
        Tensor::new(shape, numbers.iter().map(|number| <T as Real>::from_f64(*number)).collect::<Vec<T>>())
    })
}

/// Numbers with a description.
fn numbers(role: &Role, dtype: DType, count: usize, last: usize, rng: &mut ChaCha8Rng) -> (Vec<f64>, String) {
    let mut below = |most: usize| -> Vec<f64> {
        (0..count)
            .map(|_| rng.random_range(0..most.max(1)) as f64)
            .collect()
    };
    match role {
        Role::Index { rows } => (below(*rows), format!("indices below {rows}")),
        Role::Mask => {
            // Every row starts with a 1: a row of zeros causes a division by zero in an attention.
            let kept: Vec<usize> = (0..count.div_ceil(last))
                .map(|_| rng.random_range(1..=last))
                .collect();
            let at =
                |index: usize| f64::from(kept.get(index / last).is_some_and(|kept| index % last < *kept));
            ((0..count).map(at).collect(), "a mask of 0 and 1".to_owned())
        }
        Role::Position { rows } => {
            let most = rows.unwrap_or(usize::MAX).max(1);
            let at = |index: usize| (index % last % most) as f64;
            ((0..count).map(at).collect(), "positions 0, 1, 2, …".to_owned())
        }
        Role::Length { most } => {
            let most = most.unwrap_or(SMALL).max(1);
            let least = most.div_ceil(2);
            let lengths = below(most - least + 1);
            (
                lengths.iter().map(|length| length + least as f64).collect(),
                format!("lengths of {least} to {most}"),
            )
        }
        Role::Compared(constant) => (
            vec![*constant as f64; count],
            format!("{constant}, with which the model compares it"),
        ),
        Role::Image if dtype == DType::Uint8 => (below(256), "an image of bytes".to_owned()),
        Role::Image => (
            (0..count).map(|_| rng.random::<f64>()).collect(),
            "an image in [0, 1]".to_owned(),
        ),
        Role::Integer => {
            let (least, most) = match dtype {
                DType::Int8 => (i8::MIN.into(), i8::MAX.into()),
                DType::Uint16 | DType::Uint32 | DType::Uint64 => (0, 2 * GREAT),
                _ => (-GREAT, GREAT),
            };
            let numbers = (0..count).map(|_| rng.random_range(least..=most) as f64);
            (numbers.collect(), format!("integers from {least} to {most}"))
        }
        Role::Other if dtype == DType::Bool => (below(2), "booleans".to_owned()),
        Role::Other if dtype == DType::String => (Vec::new(), "words".to_owned()),
        Role::Other if dtype.is_float() => (
            (0..count).map(|_| rng.sample(StandardNormal)).collect(),
            "normal".to_owned(),
        ),
        Role::Other => (below(SMALL), format!("integers below {SMALL}")),
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Dim;

    use super::*;

    fn draw(dtype: DType, shape: &[usize], role: &Role, seed: u64) -> Tensor {
        let info = ValueInfo {
            name: "x".to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype,
                shape: Some(shape.iter().map(|extent| Dim::Fixed(*extent)).collect()),
            }),
        };
        let mut dims = Dims::new(std::slice::from_ref(&info), &[], &[]).unwrap();
        let (value, _) = value(&info, role, &mut dims, seed, 0).unwrap().unwrap();
        value.as_tensor().unwrap().clone()
    }

    #[test]
    fn values_depend_only_on_the_seed_and_are_in_range() {
        let rows = Role::Index { rows: 7 };
        let ids = draw(DType::Int64, &[4, 50], &rows, 3);
        assert!(ids.same_bits(&draw(DType::Int64, &[4, 50], &rows, 3)));
        assert!(!ids.same_bits(&draw(DType::Int64, &[4, 50], &rows, 4)));
        let ids: Vec<i64> = ids.to_vec().unwrap();
        assert!(ids.iter().all(|id| (0..7).contains(id)) && ids.contains(&6));
        let mask: Vec<i64> = draw(DType::Int64, &[20, 5], &Role::Mask, 1).to_vec().unwrap();
        assert!(
            mask.chunks(5)
                .all(|row| row[0] == 1 && row.is_sorted_by(|a, b| a >= b))
        );
        let positions: Vec<i32> = draw(DType::Int32, &[2, 3], &Role::Position { rows: None }, 1)
            .to_vec()
            .unwrap();
        assert_eq!(positions, [0, 1, 2, 0, 1, 2]);
        let bytes: Vec<i8> = draw(DType::Int8, &[4000], &Role::Integer, 1).to_vec().unwrap();
        assert!(bytes.contains(&i8::MIN) && bytes.contains(&i8::MAX) && bytes.contains(&0));
        let unsigned: Vec<u32> = draw(DType::Uint32, &[4000], &Role::Integer, 1).to_vec().unwrap();
        assert!(unsigned.iter().all(|x| *x <= 200) && unsigned.contains(&200));
        let image: Vec<f32> = draw(DType::Float, &[1, 3, 9, 9], &Role::Image, 1)
            .to_vec()
            .unwrap();
        assert!(image.iter().all(|x| (0.0..=1.0).contains(x)));
    }

    #[test]
    fn inputs_without_values_are_errors() {
        let info = |value_type| ValueInfo {
            name: "x".to_owned(),
            value_type,
        };
        for (info, part) in [
            (info(None), "declares no type"),
            (info(Some(ValueType::tensor(DType::Float))), "declares no shape"),
            (
                info(Some(ValueType::Sequence(Box::new(ValueType::tensor(
                    DType::Float,
                ))))),
                "seq(tensor(float))",
            ),
        ] {
            let mut dims = Dims::new(&[], &[], &[]).unwrap();
            let error = value(&info, &Role::Other, &mut dims, 0, 0)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(part) && error.contains("--input x=FILE"),
                "{error}"
            );
        }
    }
}
