//! A table from keys to values, with a rule for keys that are repeated.

use std::collections::HashMap;
use std::hash::Hash;

use onnx_tensor::Element;

/// What identifies an element as a key.
pub trait Key {
    /// An exact stand-in that can be hashed.
    type Exact: Hash + Eq;

    /// The key by bits.
    fn bits(&self) -> Self::Exact;

    /// The key by value: all NaN are one, and both zeros are.
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

/// How keys meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// By their bits: −0 is not 0, and a NaN is only itself.
    Bits,
    /// By value; every NaN meets every NaN.
    Value,
}

impl Meeting {
    fn exact<K: Key>(self, key: &K) -> K::Exact {
        match self {
            Meeting::Bits => key.bits(),
            Meeting::Value => key.value(),
        }
    }
}

/// A table from keys to values.
pub struct Lookup<K: Key, V> {
    meeting: Meeting,
    entries: HashMap<K::Exact, V>,
}

impl<K: Key, V: Element> Lookup<K, V> {
    /// Keys meet by value; of a repeated key the last entry counts.
    pub fn last(entries: impl Iterator<Item = (K, V)>) -> Lookup<K, V> {
        let meeting = Meeting::Value;
        Lookup {
            meeting,
            entries: entries.map(|(key, value)| (meeting.exact(&key), value)).collect(),
        }
    }

    /// Keys meet by bits; of a repeated key the first entry counts.
    pub fn first_by_bits(entries: impl Iterator<Item = (K, V)>) -> Lookup<K, V> {
        let mut lookup = Lookup {
            meeting: Meeting::Bits,
            entries: HashMap::new(),
        };
        for (key, value) in entries {
            lookup.entries.entry(key.bits()).or_insert(value);
        }
        lookup
    }

    /// The value of a key, else `default`.
    pub fn get(&self, key: &K, default: &V) -> V {
        self.entries
            .get(&self.meeting.exact(key))
            .unwrap_or(default)
            .clone()
    }
}
