//! The difference of one output from the expected one, also measured for passes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::float::Float;
use super::{Explanation, Judgement, Level, Noise, Window};

/// The difference of one output from the expected one.
///
/// The largest errors are NaN if nothing was measured (strings, booleans), and infinite if NaN or an
/// infinity differs. Means and bias are over the pairs of finite numbers, and NaN if there are none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutputStats {
    /// The graph output's name; an element of a sequence is `name[2]`.
    pub name: String,
    /// The expected element type in ONNX's notation, in lower case: `float16`.
    pub dtype: String,
    /// The expected shape.
    pub shape: Vec<u64>,
    /// Elements compared.
    pub elements: u64,
    /// Elements that are not equal to the expected ones; NaN equals NaN, and −0 equals 0.
    pub unequal: u64,
    /// The number of elements outside the policy's tolerance.
    pub differing: u64,
    /// The tolerance of the policy for this output: `rtol 0.001, atol 1e-7`.
    pub allowed: String,
    /// How well its differences are explained.
    pub level: Level,
    /// The error model of the bound, if it is known: `gamma_n, n = 576`.
    pub model: Option<String>,
    /// The largest error relative to its bound: above 1 rounding does not explain it. NaN if no bound is
    /// known.
    #[serde(with = "Float")]
    pub of_bound: f64,
    /// The largest absolute error; also the smallest sufficient absolute tolerance.
    #[serde(with = "Float")]
    pub max_abs: f64,
    /// Largest error relative to the expected value.
    #[serde(with = "Float")]
    pub max_rel: f64,
    /// The largest error in units in the last place of the output's element type; also the smallest
    /// sufficient tolerance in ULP.
    #[serde(with = "Float")]
    pub max_ulp: f64,
    /// Mean absolute error.
    #[serde(with = "Float")]
    pub mean_abs: f64,
    /// Mean relative error, over the elements whose expected value is not zero.
    #[serde(with = "Float")]
    pub mean_rel: f64,
    /// Mean error in units in the last place.
    #[serde(with = "Float")]
    pub mean_ulp: f64,
    /// Mean of observed − expected; if it is large compared with `mean_abs`, the error is systematic.
    #[serde(with = "Float")]
    pub bias: f64,
    /// The smallest sufficient relative tolerance at the case's own absolute tolerance; infinite if
    /// there is none.
    #[serde(with = "Float")]
    pub needed_rtol: f64,
    /// The numbers of elements by error in ULP: 0, 1, 2, 3–4, 5–8, …, without empty bins at the end
    /// ([`ulp_bin`]). Pairs with NaN or an infinity are not counted.
    pub ulps: Vec<u64>,
    /// Differences of special values.
    pub special: Disagreements,
    /// The first few elements outside the policy's tolerance; if there are none, the first few unequal
    /// ones.
    pub first: Vec<FirstDifference>,
    /// The number of differing elements in each of equally long parts of the output, in row-major order;
    /// empty if none differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<u64>,
    /// The elements around the first that differs; `None` if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Box<Window>>,
    /// What the reference's own runs say about the output; only if they were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Box<Judgement>>,
    /// The comparison with the model's own noise; only for complete models, and if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Box<Noise>>,
}

impl OutputStats {
    /// Whether nothing says whether the output is right.
    pub fn is_open(&self) -> bool {
        let judgement = self.judgement.as_ref();
        judgement.is_some_and(|judgement| matches!(judgement.explanation, Explanation::Open(_)))
    }
}

/// The numbers of differences of special values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Disagreements {
    /// One is NaN, the other is not.
    pub nan: u64,
    /// One is an infinity, the other is another value, but not NaN.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstDifference {
    /// Its index, one number for each dimension.
    pub index: Vec<u64>,
    /// The element of the backend, as text.
    pub actual: String,
    /// The expected element, as text.
    pub expected: String,
}

/// The bin of [`OutputStats::ulps`] for an integer number of ULP: 0, 1, 2, then a bin up to and
/// including each power of two.
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
