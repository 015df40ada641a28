//! The classes of honest arithmetic.

use std::fmt;
use std::str::FromStr;

/// What an honest implementation may do, from the most accurate class to the least. Each includes those
/// before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Arithmetic {
    /// It reorders and fuses operations, computes operators of 16-bit types in float, and evaluates each
    /// function to a few ULP of its result.
    #[default]
    Rounded,
    /// It evaluates functions to an error relative to their range (sigmoid, tanh and erf by polynomials),
    /// flushes subnormal numbers to zero, transforms convolutions (Winograd, FFT), rounds the angles of a
    /// Fourier transform whose length is no power of two, and computes quantized
    /// products in integers, with their bias rounded to the step of the products.
    Approximated,
    /// It keeps values of 16-bit types in float between the operators of a model.
    Wide,
    /// It computes operators of float16 in float16: sums, and the steps of functions. It does not keep values
    /// in float.
    Narrow,
    /// It rounds the factors of float products to 10 bits, as TF32 does, and the activations of matrix
    /// products to 8 bits, as runtimes do for quantized weights.
    Reduced,
}

impl Arithmetic {
    /// Every class, from the most accurate.
    pub const ALL: [Arithmetic; 5] = [
        Arithmetic::Rounded,
        Arithmetic::Approximated,
        Arithmetic::Wide,
        Arithmetic::Narrow,
        Arithmetic::Reduced,
    ];
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Arithmetic::Rounded => "rounded",
            Arithmetic::Approximated => "approximated",
            Arithmetic::Wide => "wide",
            Arithmetic::Narrow => "narrow",
            Arithmetic::Reduced => "reduced",
        })
    }
}

impl FromStr for Arithmetic {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Arithmetic::ALL
            .into_iter()
            .find(|class| class.to_string() == text);
        named.ok_or_else(|| format!("`{text}` is not rounded, approximated, wide, narrow or reduced"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_names() {
        for class in Arithmetic::ALL {
            assert_eq!(class.to_string().parse(), Ok(class));
        }
        assert!("exact".parse::<Arithmetic>().is_err());
    }
}
