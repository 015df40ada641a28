//! Operators without arithmetic: they move elements, count, or decide.

use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("CenterCropPad", moves),
    entry("Compress", moves),
    entry("Concat", moves),
    entry("Constant", moves),
    entry("ConstantOfShape", moves),
    entry("DepthToSpace", moves),
    entry("Expand", moves),
    entry("EyeLike", ignores),
    entry("Flatten", moves),
    entry("Gather", moves),
    entry("GatherElements", moves),
    entry("GatherND", moves),
    entry("Identity", moves),
    entry("OneHot", moves),
    entry("Pad", moves),
    entry("Reshape", moves),
    entry("ReverseSequence", moves),
    entry("Slice", moves),
    entry("SpaceToDepth", moves),
    entry("Split", moves),
    entry("Squeeze", moves),
    entry("Tile", moves),
    entry("Transpose", moves),
    entry("Trilu", moves),
    entry("Unsqueeze", moves),
    entry("And", decides),
    entry("ArgMax", decides),
    entry("ArgMin", decides),
    entry("BitCast", decides),
    entry("BitShift", decides),
    entry("BitwiseAnd", decides),
    entry("BitwiseNot", decides),
    entry("BitwiseOr", decides),
    entry("BitwiseXor", decides),
    entry("ConvInteger", decides),
    entry("Hardmax", decides),
    entry("IsInf", decides),
    entry("IsNaN", decides),
    entry("MaxUnpool", decides),
    entry("Mod", decides),
    entry("NonMaxSuppression", decides),
    entry("NonZero", decides),
    entry("Not", decides),
    entry("Or", decides),
    entry("Shape", ignores),
    entry("Size", ignores),
    entry("StringConcat", decides),
    entry("TopK", decides),
    entry("Unique", decides),
    entry("Xor", decides),
    entry("Dropout", dropout),
    Entry {
        domain: "ai.onnx.ml",
        name: "ArrayFeatureExtractor",
        rule: moves,
    },
    Entry {
        domain: "ai.onnx.ml",
        name: "Binarizer",
        rule: decides,
    },
    Entry {
        domain: "ai.onnx.ml",
        name: "LabelEncoder",
        rule: decides,
    },
    entry("Bernoulli", draws),
    entry("Multinomial", draws),
    entry("RandomNormal", draws),
    entry("RandomNormalLike", draws),
    entry("RandomUniform", draws),
    entry("RandomUniformLike", draws),
    entry("ConcatFromSequence", decides),
    entry("SequenceAt", decides),
    entry("SequenceConstruct", decides),
    entry("SequenceEmpty", decides),
    entry("SequenceErase", decides),
    entry("SequenceInsert", decides),
    entry("SequenceLength", ignores),
    entry("SplitToSequence", decides),
    entry("Optional", decides),
    entry("OptionalGetElement", decides),
    entry("OptionalHasElement", ignores),
    entry("StringNormalizer", decides),
    entry("StringSplit", decides),
    entry("RegexFullMatch", decides),
    entry("TfIdfVectorizer", decides),
    entry("ImageDecoder", decides),
    entry("TensorScatter", moves),
    entry("MatMulInteger", decides),
];

/// Elements are moved together with their errors: the operator runs on the radii.
pub fn moves(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact() {
        return Ok(vec![Radius::Exact; query.outputs.len()]);
    }
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let moved = query.again(|index, value| query.error(index).unwrap_or(value))?;
    let radius = |(index, radius): (usize, Option<onnx_tensor::Array<f64>>)| match radius {
        Some(radius) if query.unit(index) > 0.0 => Radius::within(radius, "moved from the inputs"),
        Some(_) => Radius::Exact,
        None => Radius::unknown("the output is not a numeric tensor"),
    };
    Ok(moved.into_iter().enumerate().map(radius).collect())
}

/// Dropout: dropped elements are random, so the output is known only if none are dropped.
fn dropout(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let drawn = match query.call.schema().since {
        ..=6 => query.call.int("is_test")? == 0,
        7..=11 => false,
        _ => {
            let flag = query.input(2).and_then(|flag| flag.first().copied());
            let ratio = query.input(1).and_then(|ratio| ratio.first().copied());
            flag.is_some_and(|flag| flag != 0.0) && ratio.unwrap_or(0.5) != 0.0
        }
    };
    if drawn {
        return Ok(vec![Radius::unknown(DRAWN); query.outputs.len()]);
    }
    moves(query)
}

/// Random operators: only the distribution is known.
fn draws(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    Ok(vec![Radius::unknown(DRAWN); query.outputs.len()])
}

const DRAWN: &str = "drawn at random: judged by its distribution";

/// The output does not depend on the values of the inputs.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn ignores(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    Ok(vec![Radius::Exact; query.outputs.len()])
}

/// A decision: exact if the inputs are; otherwise it can change.
pub fn decides(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let radius = if query.inputs_exact() {
        Radius::Exact
    } else {
        let schema = query.call.schema();
        Radius::unknown(format!("{schema} decides on inputs with errors"))
    };
    Ok(vec![radius; query.outputs.len()])
}
