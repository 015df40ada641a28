//! What the reference's own runs say about one output of a backend.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classes of honest arithmetic, in the order in which they explain an answer. Each includes those before it,
/// but for [`Arithmetic::Wide`], which is more accurate than the types of the model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// Operations are reordered and fused; functions have an error of a few ULP.
    Rounded,
    /// Functions have an error relative to their range; subnormal numbers are flushed; convolutions are
    /// transformed.
    Approximated,
    /// Values of 16-bit types stay in float between operators, where they do not overflow.
    Wide,
    /// Operators of a 16-bit type compute in it.
    Narrow,
    /// Float products have factors of 10 bits (TF32) or activations of 8 bits: less than the type promises.
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

    /// The value of the reference's option `arithmetic`.
    pub fn key(self) -> &'static str {
        match self {
            Arithmetic::Rounded => "rounded",
            Arithmetic::Approximated => "approximated",
            Arithmetic::Wide => "wide",
            Arithmetic::Narrow => "narrow",
            Arithmetic::Reduced => "reduced",
        }
    }

    /// What explains an answer of this class.
    pub fn words(self) -> &'static str {
        match self {
            Arithmetic::Rounded => "rounding",
            Arithmetic::Approximated => "functions approximated relative to their range",
            Arithmetic::Wide => "16-bit values kept in float between operators",
            Arithmetic::Narrow => "sums in 16 bits",
            Arithmetic::Reduced => {
                "float products with factors of 8 to 10 bits (TF32, quantized activations)"
            }
        }
    }

    /// Whether answers of this class pass: it is as accurate as the types of the model promise.
    pub fn passes(self) -> bool {
        match self {
            Arithmetic::Rounded | Arithmetic::Approximated | Arithmetic::Wide | Arithmetic::Narrow => true,
            Arithmetic::Reduced => false,
        }
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// What explains the differences of an output.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Explanation {
    /// Every element equals that of the reference.
    Equal,
    /// The differences are of the size of those among the reference's runs with the errors of this class.
    Arithmetic(Arithmetic),
    /// No class explains them; the reason names an element.
    Nothing(String),
    /// The output cannot be judged, with the reason.
    Open(String),
    /// The differences are within the tolerance of the policy. Nothing is known of the model's noise, with
    /// the reason.
    Tolerated(String),
}

impl Judgement {
    /// A judgement of all elements.
    pub fn of(explanation: Explanation) -> Judgement {
        Judgement {
            explanation,
            unsettled: 0,
            unspecified: 0,
            why: String::new(),
        }
    }
}

/// How the reference's own runs judge one output.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// What explains the differences.
    pub explanation: Explanation,
    /// Elements about which honest runs disagree: a finite number and an infinity, or another index. Any
    /// value is accepted.
    #[serde(default)]
    pub unsettled: u64,
    /// Elements that depend on a random draw, or on a result that the specification leaves undefined. They
    /// are not judged.
    #[serde(default)]
    pub unspecified: u64,
    /// Why elements are unspecified: the node and the sentence.
    #[serde(default)]
    pub why: String,
}
