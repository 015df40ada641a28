//! Answers to questions that the specification leaves open.
//!
//! The reference has one answer to each open question, the default. Every other answer of an implementation
//! is a [`Reading`], which a run can choose. `onnx-tests/readings.toml` has the sentences of the
//! specification, the evidence for the default, and the implementations that give each answer.

use std::fmt;
use std::str::FromStr;

/// An answer other than the default to a question that the specification leaves open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reading {
    /// An extent of Resize and Upsample is computed in real arithmetic.
    ResizeExtentReal,
    /// The nearest neighbour of Resize is computed in real arithmetic.
    ResizeNearestReal,
    /// `length_resized` of Resize is the extent of the output, rounded down.
    ResizeLengthWhole,
    /// Interpolated integers of Resize and Upsample are rounded.
    ResizeIntegersRound,
    /// `padding_mode` of GridSample moves the position instead of each sample around it.
    GridSamplePaddingPosition,
    /// Interpolated integers of GridSample are rounded.
    GridSampleIntegersRound,
    /// GridSample reflects a position before it selects the nearest element.
    GridSampleNearestReflected,
    /// Negative padding of ConvTranspose is split between both sides.
    ConvTransposeShortfallSplit,
    /// The odd element of padding of ConvTranspose-1 is where version 11 puts it.
    ConvTransposeOddPadAttribute,
    /// The odd element of padding of ConvTranspose-11 is where version 1 puts it, as up to ONNX 1.9.
    ConvTransposeOddPadEquations,
    /// A pooling window that `ceil_mode` adds and that covers only padding is not omitted.
    PoolingCeilCounted,
    /// `ceil_mode` applies to `auto_pad` VALID.
    PoolingValidCeil,
    /// `auto_pad` SAME crops the input if its formula results in negative padding.
    PoolingSameCropped,
    /// MaxPool ignores NaN.
    MaxPoolNanIgnored,
    /// ArgMax, ArgMin and Hardmax ignore NaN.
    ArgNanIgnored,
    /// ArgMax, ArgMin and Hardmax compare from the first element on, and every comparison with NaN is
    /// false.
    ArgNanCompared,
    /// ArgMax, ArgMin and Hardmax go on to the next element where a comparison has a NaN.
    ArgNanReplaced,
    /// The mask of Dropout in inference is zero.
    DropoutMaskZeros,
    /// `post_transform` of a regressor with one target applies only for PROBIT.
    PostTransformNotOne,
    /// With `align_corners` a single pixel of AffineGrid is at 0.
    AffineGridPixelCentre,
    /// With `align_corners` a single pixel of AffineGrid is at 1.
    AffineGridPixelLast,
    /// The sum of squares of integers in ReduceL2 wraps in their type.
    ReduceL2Wraps,
    /// DynamicQuantizeLinear of all zeros has the scale 1/255.
    QuantizedZerosFraction,
    /// DynamicQuantizeLinear of all zeros has the scale 0, and all quantized values are 0.
    QuantizedZerosFormula,
    /// A float becomes an integer of 4 or 2 bits by truncation.
    CastNarrowFractionTruncated,
    /// A float out of range becomes the nearest integer of 4 or 2 bits.
    CastNarrowIntegersSaturate,
    /// A float out of range becomes the nearest integer of 8 bits and more.
    CastOutOfRangeSaturates,
    /// Clip leaves an infinity where a bound is absent.
    ClipInfinityKept,
    /// Softplus, ReduceLogSumExp and LogSoftmax compute exponentials in the type of the result.
    ExponentialsTyped,
    /// The tanh approximation of Gelu has the constants of the function body, in float.
    GeluConstantsFloat,
    /// MeanVarianceNormalization adds nothing to the standard deviation.
    MeanVarianceEpsilonNone,
    /// MatMulNBits rounds A to bytes, block by block, if `accuracy_level` is 4.
    NBitsActivationsBytes,
    /// QuantizeLinear of NaN is the least value of an integer type.
    QuantizeNanLeast,
    /// NaN becomes the greatest value of a float of 4 bits.
    CastNanGreatest,
    /// Attention adds the mask before the soft cap, as up to ONNX 1.21.
    AttentionMaskFirst,
    /// Query heads of Attention use the key heads in turn, as in ONNX 1.18 and 1.19.0.
    AttentionHeadsInTurn,
    /// The scale of an attention of doubles, and its root, are rounded to float, as in the function body.
    AttentionScaleFloat,
    /// The causal mask of Attention counts queries from the first past key on, as in ONNX 1.18 and 1.19.0.
    AttentionCausalFromPast,
    /// The condition that the body of Loop returns counts also without the operand `cond`.
    LoopConditionUsed,
    /// Of several votes of a leaf for one target, an ensemble of one target counts the first.
    TreeVotesFirst,
    /// RotaryEmbedding uses the first columns of caches with too many columns, as in ONNX 1.18 and 1.19.0.
    RotaryCachesCut,
}

use Reading::{
    AffineGridPixelCentre, AffineGridPixelLast, ArgNanCompared, ArgNanIgnored, ArgNanReplaced,
    AttentionCausalFromPast, AttentionHeadsInTurn, AttentionMaskFirst, AttentionScaleFloat, CastNanGreatest,
    CastNarrowFractionTruncated, CastNarrowIntegersSaturate, CastOutOfRangeSaturates, ClipInfinityKept,
    ConvTransposeOddPadAttribute, ConvTransposeOddPadEquations, ConvTransposeShortfallSplit,
    DropoutMaskZeros, ExponentialsTyped, GeluConstantsFloat, GridSampleIntegersRound,
    GridSampleNearestReflected, GridSamplePaddingPosition, LoopConditionUsed, MaxPoolNanIgnored,
    MeanVarianceEpsilonNone, NBitsActivationsBytes, PoolingCeilCounted, PoolingSameCropped, PoolingValidCeil,
    PostTransformNotOne, QuantizeNanLeast, QuantizedZerosFormula, QuantizedZerosFraction, ReduceL2Wraps,
    ResizeExtentReal, ResizeIntegersRound, ResizeLengthWhole, ResizeNearestReal, RotaryCachesCut,
    TreeVotesFirst,
};

/// A question that the specification leaves open.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    pub name: &'static str,
    /// The name of the default answer.
    pub default: &'static str,
    /// The other answers by name.
    pub others: &'static [(&'static str, Reading)],
}

const fn question(
    name: &'static str,
    default: &'static str,
    others: &'static [(&'static str, Reading)],
) -> Question {
    Question {
        name,
        default,
        others,
    }
}

/// Every open question, sorted by name.
pub const QUESTIONS: [Question; 37] = [
    question(
        "affine-grid-single-pixel",
        "first",
        &[("centre", AffineGridPixelCentre), ("last", AffineGridPixelLast)],
    ),
    question(
        "arg-nan",
        "extremum",
        &[
            ("ignored", ArgNanIgnored),
            ("compared", ArgNanCompared),
            ("replaced", ArgNanReplaced),
        ],
    ),
    question(
        "attention-causal-past",
        "last",
        &[("first", AttentionCausalFromPast)],
    ),
    question(
        "attention-heads",
        "neighbours",
        &[("in-turn", AttentionHeadsInTurn)],
    ),
    question("attention-scale", "real", &[("float", AttentionScaleFloat)]),
    question(
        "attention-soft-cap",
        "before-mask",
        &[("after-mask", AttentionMaskFirst)],
    ),
    question("cast-float4-nan", "zero", &[("greatest", CastNanGreatest)]),
    question(
        "cast-narrow-fraction",
        "nearest",
        &[("truncate", CastNarrowFractionTruncated)],
    ),
    question(
        "cast-narrow-integers",
        "wrap",
        &[("saturate", CastNarrowIntegersSaturate)],
    ),
    question(
        "cast-out-of-range",
        "wrap",
        &[("saturate", CastOutOfRangeSaturates)],
    ),
    question("clip-infinity", "bounded", &[("kept", ClipInfinityKept)]),
    question(
        "conv-transpose-1-odd-pad",
        "equations",
        &[("attribute", ConvTransposeOddPadAttribute)],
    ),
    question(
        "conv-transpose-odd-pad",
        "attribute",
        &[("equations", ConvTransposeOddPadEquations)],
    ),
    question(
        "conv-transpose-shortfall",
        "end",
        &[("split", ConvTransposeShortfallSplit)],
    ),
    question("dropout-mask", "ones", &[("zeros", DropoutMaskZeros)]),
    question("exponentials", "real", &[("typed", ExponentialsTyped)]),
    question("gelu-constants", "real", &[("float", GeluConstantsFloat)]),
    question(
        "grid-sample-integers",
        "truncate",
        &[("round", GridSampleIntegersRound)],
    ),
    question(
        "grid-sample-nearest",
        "round-first",
        &[("reflect-first", GridSampleNearestReflected)],
    ),
    question(
        "grid-sample-padding",
        "samples",
        &[("position", GridSamplePaddingPosition)],
    ),
    question("loop-condition", "ignored", &[("used", LoopConditionUsed)]),
    question("max-pool-nan", "greatest", &[("ignored", MaxPoolNanIgnored)]),
    question(
        "mean-variance-epsilon",
        "added",
        &[("none", MeanVarianceEpsilonNone)],
    ),
    question("n-bits-activations", "exact", &[("bytes", NBitsActivationsBytes)]),
    question("pooling-ceil", "left-out", &[("counted", PoolingCeilCounted)]),
    question("pooling-same", "no-padding", &[("cropped", PoolingSameCropped)]),
    question("pooling-valid", "whole-windows", &[("ceil", PoolingValidCeil)]),
    question(
        "post-transform-one",
        "applied",
        &[("left-out", PostTransformNotOne)],
    ),
    question("quantize-nan", "zero-point", &[("least", QuantizeNanLeast)]),
    question(
        "quantized-zeros",
        "one",
        &[
            ("formula", QuantizedZerosFormula),
            ("fraction", QuantizedZerosFraction),
        ],
    ),
    question("reduce-l2-integers", "exact", &[("wrap", ReduceL2Wraps)]),
    question("resize-extent", "f32", &[("real", ResizeExtentReal)]),
    question("resize-integers", "truncate", &[("round", ResizeIntegersRound)]),
    question("resize-length", "fraction", &[("whole", ResizeLengthWhole)]),
    question("resize-nearest", "f32", &[("real", ResizeNearestReal)]),
    question("rotary-caches", "refused", &[("cut", RotaryCachesCut)]),
    question("tree-votes", "added", &[("first", TreeVotesFirst)]),
];

/// The readings that a run chooses, without default answers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Readings(u64);

/// Why a text does not select readings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadingError {
    /// It is not of the form `question=answer`.
    #[error(
        "`{0}` is not a reading; write QUESTION=ANSWER, such as resize-extent=real, joined by + if there are several"
    )]
    Form(String),
    /// No question has this name.
    #[error("`{0}` is not an open question; there are {all}", all = names(QUESTIONS.iter().map(|question| question.name)))]
    Question(String),
    /// The question has no such answer.
    #[error("`{answer}` is not an answer to `{question}`; there are {all}")]
    Answer {
        question: &'static str,
        /// The requested answer.
        answer: String,
        /// Its answers, the default first.
        all: String,
    },
    /// A question has two answers.
    #[error("`{0}` has two answers")]
    Twice(&'static str),
}

fn names(all: impl Iterator<Item = &'static str>) -> String {
    all.collect::<Vec<_>>().join(", ")
}

impl Readings {
    /// Whether this reading is chosen.
    pub const fn has(self, reading: Reading) -> bool {
        self.0 & (1 << reading as u32) != 0
    }

    /// These readings and one more.
    #[must_use]
    pub const fn with(self, reading: Reading) -> Readings {
        Readings(self.0 | 1 << reading as u32)
    }
}

impl FromStr for Readings {
    type Err = ReadingError;

    fn from_str(text: &str) -> Result<Readings, ReadingError> {
        let (mut readings, mut answered) = (Readings::default(), Vec::new());
        for one in text.split('+') {
            let (name, answer) = one
                .split_once('=')
                .ok_or_else(|| ReadingError::Form(one.to_owned()))?;
            let question = QUESTIONS.iter().find(|question| question.name == name);
            let question = question.ok_or_else(|| ReadingError::Question(name.to_owned()))?;
            if answered.contains(&question.name) {
                return Err(ReadingError::Twice(question.name));
            }
            answered.push(question.name);
            match question.others.iter().find(|(other, _)| *other == answer) {
                Some((_, reading)) => readings = readings.with(*reading),
                None if answer == question.default => {}
                None => {
                    return Err(ReadingError::Answer {
                        question: question.name,
                        answer: answer.to_owned(),
                        all: names(
                            [question.default]
                                .into_iter()
                                .chain(question.others.iter().map(|(name, _)| *name)),
                        ),
                    });
                }
            }
        }
        Ok(readings)
    }
}

impl fmt::Display for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chosen = QUESTIONS.iter().flat_map(|question| {
            let others = question.others.iter().filter(|(_, reading)| self.has(*reading));
            others.map(|(answer, _)| format!("{}={answer}", question.name))
        });
        match chosen.collect::<Vec<_>>().join("+") {
            none if none.is_empty() => f.write_str("default"),
            chosen => f.write_str(&chosen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_answers_are_unique_and_sorted() {
        assert!(QUESTIONS.is_sorted_by(|a, b| a.name < b.name));
        let mut readings = Readings::default();
        for (question, (answer, reading)) in QUESTIONS
            .iter()
            .flat_map(|question| question.others.iter().map(move |other| (question, other)))
        {
            assert!(!readings.has(*reading), "{reading:?} answers two questions");
            assert_ne!(*answer, question.default);
            readings = readings.with(*reading);
            let one: Readings = format!("{}={answer}", question.name).parse().expect("a reading");
            assert_eq!(one, Readings::default().with(*reading));
            assert_eq!(one.to_string(), format!("{}={answer}", question.name));
        }
    }

    #[test]
    fn texts() {
        #[track_caller]
        fn check(text: &str, expected: Result<&str, &str>) {
            match (text.parse::<Readings>(), expected) {
                (Ok(readings), Ok(expected)) => assert_eq!(readings.to_string(), expected),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (found, expected) => panic!("{text}: {found:?}, expected {expected:?}"),
            }
        }
        check("resize-extent=f32", Ok("default"));
        check(
            "resize-nearest=real+arg-nan=ignored",
            Ok("arg-nan=ignored+resize-nearest=real"),
        );
        check("resize-extent", Err("`resize-extent` is not a reading"));
        check(
            "resize=real",
            Err("`resize` is not an open question; there are affine-grid"),
        );
        check(
            "resize-extent=f16",
            Err("`f16` is not an answer to `resize-extent`; there are f32, real"),
        );
        check("arg-nan=ignored+arg-nan=compared", Err("two answers"));
        check("", Err("is not a reading"));
    }
}
