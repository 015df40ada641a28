//! The range of the elements of a value: their magnitude, and whether arithmetic on them is exact.

use onnx_tensor::DType;

/// Bounds of the elements of a float value. If all are multiples of one power of two and few bits wide,
/// their sums and products are exact in any order, so that a decision about them (an argmax, a cast to
/// an integer) has one right answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// The maximum magnitude.
    pub most: f64,
    /// All elements are multiples of it, a power of two; 0 if none is known.
    pub step: f64,
}

impl Range {
    /// Rounded elements.
    pub fn rounded(most: f64) -> Range {
        Range { most, step: 0.0 }
    }

    /// Multiples of `step`.
    pub fn multiples(most: f64, step: f64) -> Range {
        Range { most, step }
    }

    /// The range of sums of one element of each.
    pub fn plus(self, other: Range) -> Range {
        Range {
            most: self.most + other.most,
            step: self.step.min(other.step),
        }
    }

    /// The range of sums of `terms` products.
    pub fn dot(self, other: Range, terms: usize) -> Range {
        Range {
            most: self.most * other.most * terms.max(1) as f64,
            step: self.step * other.step,
        }
    }

    /// The union of both ranges.
    pub fn or(self, other: Range) -> Range {
        Range {
            most: self.most.max(other.most),
            step: self.step.min(other.step),
        }
    }

    /// The same range, without a step if the type cannot represent every multiple of it.
    pub fn held_by(self, dtype: DType) -> Range {
        let bits = match dtype {
            DType::Double => 53,
            DType::Float => 24,
            DType::Float16 => 11,
            DType::Bfloat16 => 8,
            _ => 0,
        };
        let wide = self.step == 0.0 || self.most / self.step > f64::from(1_u32 << bits.min(30));
        if wide { Range::rounded(self.most) } else { self }
    }

    /// Whether the elements are exact.
    pub fn is_exact(self) -> bool {
        self.step > 0.0
    }
}
