//! How one output differs from the expected one, measured on passes too.

use serde::{Deserialize, Serialize};

use super::{Level, Noise, Window, float};

/// How one output differs from the expected one.
///
/// Largest errors are NaN where nothing was measured (strings, booleans) and infinite where a value stands against NaN or an
/// infinity that it is not. Means and bias are over the pairs of finite numbers, and NaN where there is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputStats {
    /// The graph output's name; an element of a sequence is `name[2]`.
    pub name: String,
    /// The expected element type, spelt as in ONNX in lower case: `float16`.
    pub dtype: String,
    /// The expected shape.
    pub shape: Vec<u64>,
    /// Elements compared.
    pub elements: u64,
    /// Elements that are not equal to the expected ones; NaN equals NaN, and −0 equals 0.
    pub unequal: u64,
    /// Elements that differ by more than the policy allows.
    pub differing: u64,
    /// What the policy allows this output: `rtol 0.001, atol 1e-7`.
    pub allowed: String,
    /// How well its differences are explained.
    pub level: Level,
    /// The error model of the bound, where one is known: `gamma_n, n = 576`.
    pub model: Option<String>,
    /// Largest error as a part of its bound: above 1 rounding does not explain it. NaN where no bound is known.
    #[serde(with = "float")]
    pub of_bound: f64,
    /// Largest absolute error; it is also the smallest absolute tolerance that would have been enough alone.
    #[serde(with = "float")]
    pub max_abs: f64,
    /// Largest error relative to the expected value.
    #[serde(with = "float")]
    pub max_rel: f64,
    /// Largest error in units in the last place of the output's element type; also the smallest tolerance in ULP.
    #[serde(with = "float")]
    pub max_ulp: f64,
    /// Mean absolute error.
    #[serde(with = "float")]
    pub mean_abs: f64,
    /// Mean relative error, over the elements that are not expected to be zero.
    #[serde(with = "float")]
    pub mean_rel: f64,
    /// Mean error in units in the last place.
    #[serde(with = "float")]
    pub mean_ulp: f64,
    /// Mean of observed − expected; far from zero beside `mean_abs`, the error leans to one side.
    #[serde(with = "float")]
    pub bias: f64,
    /// The smallest relative tolerance that would have been enough at the case's own absolute tolerance; infinite where none is.
    #[serde(with = "float")]
    pub needed_rtol: f64,
    /// How many elements are off by how many ULP: 0, 1, 2, 3–4, 5–8, …, without the empty bins at the end
    /// ([`ulp_bin`]). Pairs with NaN or an infinity are in none.
    pub ulps: Vec<u64>,
    /// Disagreements on values that are no ordinary number.
    pub special: Disagreements,
    /// The first few elements that the policy does not allow; where there is none, the first few unequal ones.
    pub first: Vec<FirstDifference>,
    /// How many differing elements lie in each of equally long parts of the output, in row-major order; empty where none differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<u64>,
    /// The elements around the first that differs; none where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Box<Window>>,
    /// The output beside the model's own noise; only of whole models, and where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Box<Noise>>,
}

/// Disagreements on values that are no ordinary number, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreements {
    /// One is NaN, the other is not.
    pub nan: u64,
    /// One is an infinity, the other another value, but not NaN.
    pub infinity: u64,
    /// Both are zero, with different signs.
    pub negative_zero: u64,
    /// One is a subnormal number, the other zero.
    pub flushed: u64,
}

impl Disagreements {
    /// Number and name of each kind that occurs.
    pub fn named(self) -> impl Iterator<Item = (u64, &'static str)> {
        let named = [
            (self.nan, "NaN"),
            (self.infinity, "infinity"),
            (self.negative_zero, "sign of zero"),
            (self.flushed, "subnormal"),
        ];
        named.into_iter().filter(|(count, _)| *count > 0)
    }
}

/// One differing element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstDifference {
    /// Its index, one number for each dimension.
    pub index: Vec<u64>,
    /// What the backend gave, as text.
    pub actual: String,
    /// What was expected, as text.
    pub expected: String,
}

/// The bin of [`OutputStats::ulps`] for a whole number of ULP: 0, 1, 2, then a bin for each power of two, which it includes.
pub fn ulp_bin(ulp: f64) -> usize {
    match ulp {
        ulp if ulp < 1.0 => 0,
        ulp => 1 + ulp.log2().ceil() as usize,
    }
}

/// The largest number of ULP in a bin.
pub fn ulp_bin_top(bin: usize) -> f64 {
    match bin {
        0 => 0.0,
        bin => 2_f64.powi(i32::try_from(bin - 1).unwrap_or(i32::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::{ulp_bin, ulp_bin_top};

    #[test]
    fn bins_end_at_powers_of_two() {
        for (ulp, bin) in [
            (0.0, 0),
            (1.0, 1),
            (2.0, 2),
            (3.0, 3),
            (4.0, 3),
            (5.0, 4),
            (8.0, 4),
            (9.0, 5),
        ] {
            assert_eq!(ulp_bin(ulp), bin, "{ulp}");
            assert!(
                ulp <= ulp_bin_top(bin) && (bin == 0 || ulp > ulp_bin_top(bin - 1)),
                "{ulp}"
            );
        }
        assert_eq!(ulp_bin(2_f64.powi(64)), 65);
    }
}
