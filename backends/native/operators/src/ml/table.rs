//! Tables from keys to positions, for operators that look elements up.

use std::collections::HashMap;

use onnx_tensor::Tensor;

use crate::error::{Problem, unsupported};

/// How keys are compared, and which of repeated keys counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matching {
    /// By bits: −0 is not 0, and NaN with other bits differ. The first of repeated keys counts.
    FirstByBits,
    /// By value: all NaN are equal, and both zeros are. The last of repeated keys counts.
    LastByValue,
}

/// The position of each key in its list.
pub struct Table {
    matching: Matching,
    numbers: HashMap<u64, usize>,
    texts: HashMap<String, usize>,
}

impl Table {
    /// Makes the table of a list of keys: strings, f32, f64 or integers of at most 64 bits.
    pub fn new(keys: &Tensor, matching: Matching) -> Result<Table, Problem> {
        let mut table = Table {
            matching,
            numbers: HashMap::new(),
            texts: HashMap::new(),
        };
        match keys {
            Tensor::String(list) => enter(&mut table.texts, matching, list.iter().cloned()),
            _ => enter(&mut table.numbers, matching, bits(keys, matching)?.into_iter()),
        }
        Ok(table)
    }

    /// Returns the position of the key that equals each element of a tensor of the type of the keys.
    pub fn find(&self, x: &Tensor) -> Result<Vec<Option<usize>>, Problem> {
        Ok(match x {
            Tensor::String(array) => array.iter().map(|text| self.texts.get(text).copied()).collect(),
            _ => bits(x, self.matching)?
                .iter()
                .map(|key| self.numbers.get(key).copied())
                .collect(),
        })
    }
}

fn enter<K: std::hash::Hash + Eq>(
    table: &mut HashMap<K, usize>,
    matching: Matching,
    keys: impl Iterator<Item = K>,
) {
    for (at, key) in keys.enumerate() {
        match matching {
            Matching::FirstByBits => {
                table.entry(key).or_insert(at);
            }
            Matching::LastByValue => {
                table.insert(key, at);
            }
        }
    }
}

/// Returns bits for each element that are equal exactly for equal keys.
fn bits(x: &Tensor, matching: Matching) -> Result<Vec<u64>, Problem> {
    let single = |&x: &f32| match matching {
        Matching::FirstByBits => x.to_bits(),
        Matching::LastByValue if x.is_nan() => f32::NAN.to_bits(),
        Matching::LastByValue => (x + 0.0).to_bits(),
    };
    let double = |&x: &f64| match matching {
        Matching::FirstByBits => x.to_bits(),
        Matching::LastByValue if x.is_nan() => f64::NAN.to_bits(),
        Matching::LastByValue => (x + 0.0).to_bits(),
    };
    Ok(match x {
        Tensor::Float(array) => array.iter().map(|x| single(x).into()).collect(),
        Tensor::Double(array) => array.iter().map(double).collect(),
        Tensor::Int64(array) => array.iter().map(|&x| x as u64).collect(),
        Tensor::Int32(array) => array.iter().map(|&x| i64::from(x) as u64).collect(),
        Tensor::Int16(array) => array.iter().map(|&x| i64::from(x) as u64).collect(),
        _ => return unsupported(format!("keys of {} are not implemented", x.dtype())),
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::{Matching, Table};

    #[test]
    fn zeros_nan_and_repeated_keys() {
        let other = f32::from_bits(0x7fc0_0001);
        let keys = Tensor::vector(vec![-0.0_f32, 1.0, f32::NAN, 1.0]);
        let x = Tensor::vector(vec![0.0_f32, -0.0, 1.0, f32::NAN, other, 2.0]);
        for (matching, expected) in [
            (
                Matching::FirstByBits,
                [None, Some(0), Some(1), Some(2), None, None],
            ),
            (
                Matching::LastByValue,
                [Some(0), Some(0), Some(3), Some(2), Some(2), None],
            ),
        ] {
            let table = Table::new(&keys, matching).expect("floats are keys");
            assert_eq!(
                table.find(&x).expect("floats are found"),
                expected,
                "{matching:?}"
            );
        }
    }
}
