//! Generates random values from a seed.

use onnx_model::ValueInfo;
use onnx_shapes::Elements;
use onnx_tensor::{DType, Map, MapKey, Sequence, Tensor, Value, ValueType};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::dims::Dims;
use super::narrow::typed;
use super::operands::{self, LISTED};
use super::placed::{diminish, enlarge, probe, specialise};
use super::probes::Probes;
use super::request::Otherwise;
use super::roles::Role;
use crate::error::InputProblem;

/// The maximum number of elements of a generated value.
pub(super) const MAX_ELEMENTS: usize = 1 << 28;

/// The same for extents that are only tried after a refusal.
pub(super) const MAX_TRIED: usize = 1 << 23;

/// The factor of normal numbers that are near 0.
const NEAR: f64 = 0.125;

/// The least distance of a number between 0 and 1 from both.
const MARGIN: f64 = 1.0 / 64.0;

/// The upper limit of integers that may be indices: small enough for most tables.
const SMALL: usize = 8;

/// The greatest magnitude of most integers of more than 16 bits that need not be indices.
const GREAT: i64 = 100;

/// The number of elements of sequences and of entries of maps.
const NESTED: usize = 3;

/// The number of levels of nested values with so many elements; those below have one.
const WIDE_LEVELS: usize = 3;

/// The words of generated strings.
const WORDS: [&str; 8] = ["the", "model", "reads", "a", "short", "text", "of", "words"];

/// Draws one input.
pub(super) struct Draw<'d> {
    pub info: &'d ValueInfo,
    pub role: &'d Role,
    /// Values for some elements.
    pub probes: &'d Probes,
    pub rng: ChaCha8Rng,
    pub otherwise: Otherwise,
    /// Whether some floats are NaN, infinite or zero.
    pub is_special: bool,
    /// The most elements of a tensor.
    pub most: usize,
}

impl<'d> Draw<'d> {
    /// A value with a description.
    pub fn value(&mut self, dims: &mut Dims) -> Result<(Value, String), InputProblem> {
        let (value, what) = match &self.info.value_type {
            Some(ValueType::Tensor { dtype, .. }) => {
                let shape = dims
                    .resolve(self.info)
                    .or_else(|| self.listed_shape())
                    .ok_or_else(|| self.not_drawn("the model declares no shape".to_owned()))?;
                let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
                let (tensor, what) = self.tensor(*dtype, &shape)?;
                (tensor.into(), format!("{what}, {dtype}[{}]", extents.join(",")))
            }
            Some(other) => {
                let value = self.nested(other, dims, 0)?;
                (value, format!("drawn, {other}"))
            }
            None => return Err(self.not_drawn("the model declares no type".to_owned())),
        };
        Ok((value, format!("{}: {what}", self.info.name)))
    }

    /// The shape of an operand whose elements are known, where the model declares none.
    fn listed_shape(&self) -> Option<Vec<usize>> {
        match self.role {
            Role::Operand(Elements::Last(list)) if list.len() == 1 => Some(Vec::new()),
            Role::Operand(Elements::Last(list)) => Some(vec![list.len()]),
            _ => None,
        }
    }

    fn not_drawn(&self, reason: String) -> InputProblem {
        InputProblem::NotDrawn {
            name: self.info.name.clone(),
            reason,
        }
    }

    /// The words that an attribute lists for the operand.
    fn listed(&self) -> &'d [String] {
        match self.role {
            Role::Operand(Elements::Words(words)) => words,
            _ => &[],
        }
    }

    /// A value of a type: three elements of a sequence, entries of a map for the keys 0 to 2 or three words;
    /// an optional has a value.
    fn nested(&mut self, value_type: &ValueType, dims: &Dims, level: usize) -> Result<Value, InputProblem> {
        let below = level + 1;
        let width = if level < WIDE_LEVELS { NESTED } else { 1 };
        Ok(match value_type {
            ValueType::Tensor { dtype, shape } => {
                self.tensor(*dtype, &dims.nested(shape.as_deref()))?.0.into()
            }
            ValueType::Sequence(element) => Value::Sequence(Sequence {
                element: (**element).clone(),
                values: (0..width)
                    .map(|_| self.nested(element, dims, below))
                    .collect::<Result<_, _>>()?,
            }),
            ValueType::Optional(element) => Value::Optional {
                element: (**element).clone(),
                value: Some(Box::new(self.nested(element, dims, below)?)),
            },
            ValueType::Map { key, value } => {
                let listed = self.listed();
                let entry = |at: usize| match (key, listed.get(at)) {
                    (DType::String, Some(word)) => MapKey::String(word.clone()),
                    (DType::String, None) => MapKey::String(WORDS[at % WORDS.len()].to_owned()),
                    (_, word) => MapKey::Int(word.and_then(|word| word.parse().ok()).unwrap_or(at as i128)),
                };
                let count = if listed.is_empty() {
                    width
                } else {
                    listed.len().min(width)
                };
                let scalar = match &**value {
                    ValueType::Tensor { dtype, .. } => ValueType::Tensor {
                        dtype: *dtype,
                        shape: Some(vec![]),
                    },
                    other => other.clone(),
                };
                // What the node says is of the keys.
                let of_keys = std::mem::replace(&mut self.role, &Role::Other);
                let entries = (0..count).map(|at| Ok((entry(at), self.nested(&scalar, dims, below)?)));
                let entries = entries.collect::<Result<_, InputProblem>>()?;
                self.role = of_keys;
                Value::Map(Map {
                    key: *key,
                    element: (**value).clone(),
                    entries,
                })
            }
            other @ ValueType::Sparse { .. } => {
                return Err(self.not_drawn(format!("values of type {other} cannot be generated")));
            }
        })
    }

    fn tensor(&mut self, dtype: DType, shape: &[usize]) -> Result<(Tensor, String), InputProblem> {
        let count = shape
            .iter()
            .try_fold(1_usize, |count, extent| count.checked_mul(*extent));
        let most = self.most;
        let count = count
            .filter(|count| *count <= most)
            .ok_or_else(|| self.not_drawn(format!("{shape:?} has more than {most} elements")))?;
        let (tensor, what) = match dtype {
            DType::String => {
                let listed = self.listed();
                let known = &self.probes.texts;
                let unlisted = operands::unlisted(self.probes.others, count, &mut self.rng);
                let mut word = |place: usize| {
                    if listed.is_empty() && !known.is_empty() {
                        known.draw(&WORDS, &mut self.rng)
                    } else if listed.is_empty() || unlisted.contains(&place) {
                        any_word(&mut self.rng)
                    } else {
                        listed[self.rng.random_range(0..listed.len())].clone()
                    }
                };
                let words = (0..count).map(&mut word).collect();
                let what = match (listed.is_empty(), known.is_empty()) {
                    (false, _) => LISTED,
                    (true, false) => "words that the model knows or divides",
                    (true, true) => "words",
                };
                (Tensor::new(shape, words), what.to_owned())
            }
            dtype => {
                let last = shape.last().copied().unwrap_or(1).max(1);
                let (mut numbers, mut what) = numbers(
                    (self.role, self.probes.others),
                    dtype,
                    (shape, count, last),
                    &mut self.rng,
                );
                let is_other = dtype.is_float() && *self.role == Role::Other;
                if is_other && self.otherwise == Otherwise::NearZero {
                    numbers.iter_mut().for_each(|number| *number *= NEAR);
                }
                if let (Role::Index { rows }, true) = (self.role, self.probes.negative) {
                    let rng = &mut self.rng;
                    let from_end = numbers.iter_mut().filter(|_| rng.random_bool(0.25));
                    from_end.for_each(|number| *number -= *rows as f64);
                    what.push_str(", some from the end");
                }
                let kind = (shape, dtype);
                if probe(&mut numbers, kind, self.probes, &mut self.rng) {
                    what.push_str(", and values that the model names or distinguishes");
                }
                if dtype.is_float() && enlarge(&mut numbers, kind, self.probes, &mut self.rng) {
                    what.push_str(", some large");
                }
                if dtype.is_float() && diminish(&mut numbers, shape, self.probes, &mut self.rng) {
                    what.push_str(", some small");
                }
                if dtype.is_float() && self.is_special && specialise(&mut numbers, shape, &mut self.rng) {
                    what.push_str(", some NaN, infinite or zero");
                }
                let has_zero = matches!(
                    self.role,
                    Role::Position { .. }
                        | Role::Length { .. }
                        | Role::Compared(_)
                        | Role::Index { rows: ..2 }
                );
                if self.otherwise == Otherwise::NoZeros && !dtype.is_float() && !has_zero {
                    let zeros = numbers.iter_mut().filter(|number| number.trunc() == 0.0);
                    zeros.for_each(|number| *number = 1.0);
                    what.push_str(", none 0");
                }
                let is_number = is_other || dtype.is_float() && matches!(self.role, Role::Operand(_));
                if self.otherwise == Otherwise::Fractions && is_number {
                    let rng = &mut self.rng;
                    numbers.fill_with(|| rng.random_range(MARGIN..1.0 - MARGIN));
                    what = "between 0 and 1".to_owned();
                }
                if self.otherwise == Otherwise::Hiding && *self.role == Role::Mask {
                    numbers.iter_mut().for_each(|number| *number = 1.0 - *number);
                    what.push_str(" that hides where it is 1");
                }
                let tensor = match dtype {
                    DType::Bool => Tensor::new(shape, numbers.iter().map(|number| *number > 0.5).collect()),
                    dtype => typed(dtype, shape, &numbers),
                };
                (tensor, what)
            }
        };
        let tensor = tensor
            .map_err(|_| self.not_drawn(format!("values of type tensor({dtype}) cannot be generated")))?;
        Ok((tensor, what))
    }
}

/// A word, in capitals at times.
fn any_word(rng: &mut ChaCha8Rng) -> String {
    let word = WORDS[rng.random_range(0..WORDS.len())];
    if rng.random_bool(0.25) {
        word.to_uppercase()
    } else {
        word.to_owned()
    }
}

/// Numbers for a shape, of which `last` is the last extent and `count` the number of elements, with a
/// description.
fn numbers(
    (role, is_probed): (&Role, bool),
    dtype: DType,
    (shape, count, last): (&[usize], usize, usize),
    rng: &mut ChaCha8Rng,
) -> (Vec<f64>, String) {
    let mut below = |most: usize| -> Vec<f64> {
        (0..count)
            .map(|_| rng.random_range(0..most.max(1)) as f64)
            .collect()
    };
    match role {
        Role::Index { rows } => {
            let mut indices = below(*rows);
            // The ends of what is indexed are among them.
            let ends = [rows.saturating_sub(1), 0, 1.min(rows.saturating_sub(1))];
            if count > ends.len() {
                indices
                    .iter_mut()
                    .skip(1)
                    .zip(ends)
                    .for_each(|(index, end)| *index = end as f64);
            }
            (indices, format!("indices below {rows}"))
        }
        Role::Mask => {
            // The first of several rows shows all elements, and every other one half of them or more: behind
            // a mask that shows one token no fault of an attention would be seen.
            let rows = count.div_ceil(last);
            let least = last.div_ceil(2);
            let kept: Vec<usize> = (0..rows)
                .map(|row| match row {
                    0 if rows > 1 => last,
                    _ => rng.random_range(least..=last.saturating_sub(1).max(least)),
                })
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
            let words = format!("lengths of {} to {most}", most.div_ceil(2));
            (operands::lengths(most, count, rng), words)
        }
        Role::Compared(constant) => {
            let words = format!("{constant}, with which the model compares it");
            (vec![*constant as f64; count], words)
        }
        Role::Operand(elements) => operands::numbers((elements, is_probed), shape, rng),
        Role::Image if dtype == DType::Uint8 => (below(256), "an image of bytes".to_owned()),
        Role::Image => (
            (0..count).map(|_| rng.random::<f64>()).collect(),
            "an image in [0, 1]".to_owned(),
        ),
        Role::Integer => {
            let (least, most, greatest) = range(dtype);
            let mut draw = || {
                if greatest == most || !rng.random_bool(0.15) {
                    return rng.random_range(least..=most) as f64;
                }
                let far = rng.random_range(greatest / 2..=greatest) as f64;
                if least < 0 && rng.random() { -far } else { far }
            };
            let numbers = (0..count).map(|_| draw()).collect();
            let words = if greatest > most {
                format!("integers from {least} to {most}, some up to {greatest}")
            } else {
                format!("integers from {least} to {most}")
            };
            (numbers, words)
        }
        Role::Other if dtype == DType::Bool => (below(2), "booleans".to_owned()),
        Role::Other if dtype.is_float() => (
            (0..count).map(|_| rng.sample(StandardNormal)).collect(),
            "normal".to_owned(),
        ),
        Role::Other => (below(SMALL), format!("integers below {SMALL}")),
    }
}

/// The least and the greatest of most integers of a type, and the greatest magnitude of a few: beyond 16 and
/// 32 bits, so that a conversion to a narrower type shows.
fn range(dtype: DType) -> (i64, i64, i64) {
    match dtype {
        DType::Int2 => (-2, 1, 1),
        DType::Uint2 => (0, 3, 3),
        DType::Int4 => (-8, 7, 7),
        DType::Uint4 => (0, 15, 15),
        DType::Int8 => (i8::MIN.into(), i8::MAX.into(), i8::MAX.into()),
        DType::Int16 => (i16::MIN.into(), i16::MAX.into(), i16::MAX.into()),
        DType::Uint16 => (0, u16::MAX.into(), u16::MAX.into()),
        DType::Uint32 => (0, 2 * GREAT, i32::MAX.into()),
        DType::Uint64 => (0, 2 * GREAT, 1 << 40),
        DType::Int64 => (-GREAT, GREAT, 1 << 32),
        _ => (-GREAT, GREAT, 1 << 20),
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Dim;
    use rand::SeedableRng;

    use super::*;

    fn drawn(
        info: &ValueInfo,
        role: &Role,
        seed: u64,
        dims: &mut Dims,
    ) -> Result<(Value, String), InputProblem> {
        let draw = Draw {
            info,
            role,
            probes: &Probes::default(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            otherwise: Otherwise::Usual,
            is_special: false,
            most: MAX_ELEMENTS,
        };
        { draw }.value(dims)
    }

    fn draw(dtype: DType, shape: &[usize], role: &Role, seed: u64) -> Tensor {
        let info = ValueInfo {
            name: "x".to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype,
                shape: Some(shape.iter().map(|extent| Dim::Fixed(*extent)).collect()),
            }),
        };
        let mut dims = Dims::new(std::slice::from_ref(&info), &[], &[]).unwrap();
        let (value, _) = drawn(&info, role, seed, &mut dims).unwrap();
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
        assert!(unsigned.contains(&200) && unsigned.iter().any(|x| *x > u32::MAX / 4));
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
                info(Some(ValueType::Sequence(Box::new(ValueType::Sparse {
                    dtype: DType::Float,
                    shape: None,
                })))),
                "sparse",
            ),
        ] {
            let mut dims = Dims::new(&[], &[], &[]).unwrap();
            let error = drawn(&info, &Role::Other, 0, &mut dims).unwrap_err().to_string();
            assert!(
                error.contains(part) && error.contains("--input x=FILE"),
                "{error}"
            );
        }
    }

    /// A file of 200 bytes declares a sequence of forty levels.
    #[test]
    fn deeply_nested_values_are_small() {
        let mut value_type = ValueType::tensor(DType::Float);
        for _ in 0..40 {
            value_type = ValueType::Sequence(Box::new(value_type));
        }
        let info = ValueInfo {
            name: "x".to_owned(),
            value_type: Some(value_type),
        };
        let mut dims = Dims::new(&[], &[], &[]).unwrap();
        let (mut value, _) = drawn(&info, &Role::Other, 0, &mut dims).unwrap();
        let mut widths = Vec::new();
        while let Value::Sequence(mut sequence) = value {
            widths.push(sequence.values.len());
            value = sequence.values.remove(0);
        }
        assert_eq!(widths, [vec![3; 3], vec![1; 37]].concat());
    }
}
