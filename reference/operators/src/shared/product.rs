//! Products of many factors without intermediate overflow, underflow or loss of precision.

use onnx_tensor::Real;

/// A running product in double-double with a separate exponent: partial products may leave the range of
/// every format and come back. Each factor adds a relative error of a few 2^−104.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    high: f64,
    low: f64,
    exponent: i64,
}

impl Default for Product {
    fn default() -> Self {
        Product {
            high: 1.0,
            low: 0.0,
            exponent: 0,
        }
    }
}

impl Product {
    /// Multiplies by `factor`.
    pub fn push(&mut self, factor: f64) {
        let (factor, exponent) = libm::frexp(factor);
        let high = self.high * factor;
        if high == 0.0 || !high.is_finite() {
            (self.high, self.low) = (high, 0.0);
            return;
        }
        let low = self.low.mul_add(factor, self.high.mul_add(factor, -high));
        let sum = high + low;
        let (mantissa, shift) = libm::frexp(sum);
        self.low = libm::ldexp(low - (sum - high), -shift);
        self.high = mantissa;
        self.exponent += i64::from(exponent) + i64::from(shift);
    }

    /// The product, rounded to f64 and then to `T`.
    pub fn finish<T: Real>(&self) -> T {
        if self.high == 0.0 {
            // Its sign is that of the factors; the sum of a negative zero and a zero would lose it.
            return T::from_f64(self.high);
        }
        // Beyond ±5000 every format overflows or underflows.
        let exponent = self.exponent.clamp(-5000, 5000) as i32;
        T::from_f64(libm::ldexp(self.high + self.low, exponent))
    }
}
