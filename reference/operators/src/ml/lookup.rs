//! A table from keys to values, with rules for key equality and repeated keys.

use std::collections::HashMap;
use std::hash::Hash;

use onnx_tensor::Element;

/// An element that is used as a key.
pub trait Key {
    /// An exact representation that can be hashed.
    type Exact: Hash + Eq;

    /// The key by bits.
    fn bits(&self) -> Self::Exact;

    /// The key by value: all NaNs are equal, and both zeros are.
    fn value(&self) -> Self::Exact;
}

macro_rules! exact {
    ($($ty:ty),*) => {$(
        impl Key for $ty {
            type Exact = $ty;
            fn bits(&self) -> $ty {
                self.clone()
            }
            fn value(&self) -> $ty {
                self.clone()
            }
        }
    )*};
}
exact!(String, i16, i32, i64);

macro_rules! float {
    ($($ty:ty => $bits:ty),*) => {$(
        impl Key for $ty {
            type Exact = $bits;
            fn bits(&self) -> $bits {
                self.to_bits()
            }
            fn value(&self) -> $bits {
                let one_of_each = if self.is_nan() { <$ty>::NAN } else { self + 0.0 };
                one_of_each.to_bits()
            }
        }
    )*};
}
float!(f32 => u32, f64 => u64);

/// How keys are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyEquality {
    /// By bits: −0 is not 0, and NaNs with different bits differ.
    Bits,
    /// By value: all NaNs are equal.
    Value,
}

impl KeyEquality {
    fn exact<K: Key>(self, key: &K) -> K::Exact {
        match self {
            KeyEquality::Bits => key.bits(),
            KeyEquality::Value => key.value(),
        }
    }
}

/// A table from keys to values.
pub struct Lookup<K: Key, V> {
    equality: KeyEquality,
    entries: HashMap<K::Exact, V>,
}

impl<K: Key, V: Element> Lookup<K, V> {
    /// A table by value; the last of repeated keys is used.
    pub fn last(entries: impl Iterator<Item = (K, V)>) -> Lookup<K, V> {
        let equality = KeyEquality::Value;
        Lookup {
            equality,
            entries: entries
                .map(|(key, value)| (equality.exact(&key), value))
                .collect(),
        }
    }

    /// A table by bits; the first of repeated keys is used.
    pub fn first_by_bits(entries: impl Iterator<Item = (K, V)>) -> Lookup<K, V> {
        let mut lookup = Lookup {
            equality: KeyEquality::Bits,
            entries: HashMap::new(),
        };
        for (key, value) in entries {
            lookup.entries.entry(key.bits()).or_insert(value);
        }
        lookup
    }

    /// The value of a key, otherwise `default`.
    pub fn get(&self, key: &K, default: &V) -> V {
        self.entries
            .get(&self.equality.exact(key))
            .unwrap_or(default)
            .clone()
    }
}
