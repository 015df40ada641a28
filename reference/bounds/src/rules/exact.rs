//! Operators without arithmetic: they move elements, count, or decide.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;
use onnx_schema::Formal;
use onnx_tensor::{Array, Tensor};

use super::indexed::indexed;
use super::{Entry, entry};
use crate::query::reals;
use crate::{Query, Radius, Sets};

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
    entry("BitCast", decides),
    entry("BitShift", decides),
    entry("BitwiseAnd", decides),
    entry("BitwiseNot", decides),
    entry("BitwiseOr", decides),
    entry("BitwiseXor", decides),
    entry("MaxUnpool", decides),
    entry("Mod", decides),
    entry("Shape", ignores),
    entry("Size", ignores),
    entry("StringConcat", decides),
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
];

/// Elements are moved together with their errors: the operator runs on the radii, and on the
/// positions of elements with sets. An error of an input that says where they go (an index, a
/// shape) has no bound.
pub fn moves(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact() {
        return Ok(vec![Radius::Exact; query.outputs.len()]);
    }
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    if let Some(index) =
        (0..query.errors.len()).find(|index| !query.errors[*index].is_exact() && !is_moved(query, *index))
    {
        if let Some(radii) = indexed(query, index)? {
            return Ok(radii);
        }
        let schema = query.call.schema();
        let reason = format!("input {index} of {schema} says where elements go, and has an error");
        return Ok(vec![Radius::unknown(reason); query.outputs.len()]);
    }
    let moved = moved(query, |index, value| query.error(index).unwrap_or(value))?;
    let mut radii = Vec::new();
    for (index, radius) in moved.into_iter().enumerate() {
        radii.push(match (radius, query.output(index).and_then(reals)) {
            (Some(radius), Some(center)) => {
                let sets = moved_sets(query, index)?;
                Radius::among(
                    &center.into_owned(),
                    &radius.into_owned(),
                    sets,
                    "moved from the inputs",
                )
            }
            _ => Radius::unknown("the output is not a numeric tensor"),
        });
    }
    Ok(radii)
}

/// Runs the operator with the elements that it moves replaced by `change`.
fn moved(
    query: &Query<'_>,
    change: impl Fn(usize, Array<f64>) -> Array<f64>,
) -> Result<Vec<Option<Array<f64>>>, OpError> {
    let attributes = query.call.given_attributes();
    let outputs = query.evaluate_with(attributes, |index, tensor| {
        let value = is_moved(query, index).then(|| reals(tensor)).flatten()?;
        Some(Tensor::from(change(index, value)))
    })?;
    Ok(outputs.iter().map(|output| reals(output.as_ref()?)).collect())
}

/// Whether the elements of an input are those of the output: both have the same type parameter.
pub(super) fn is_moved(query: &Query<'_>, index: usize) -> bool {
    let schema = query.call.schema();
    let of = |formal: Option<&'static Formal>| formal.map(|formal| formal.type_ref);
    let first = matches!(schema.name, "Tile" | "Split" | "Pad") && schema.since < 2;
    of(schema.input(index)) == of(schema.output(0)) && (index == 0 || !first)
}

/// The sets of output `index`: the operator runs on the positions of the elements of all inputs,
/// counted from 1.
fn moved_sets(query: &Query<'_>, output: usize) -> Result<Sets, OpError> {
    let mut sets = Sets::default();
    if query.errors.iter().all(|radius| radius.sets().is_empty()) {
        return Ok(sets);
    }
    let count = |index: usize| query.input(index).map_or(0, |input| input.len());
    let first = |index: usize| (0..index).map(count).sum::<usize>();
    let moved = moved(query, |index, value| {
        let positions = (0..value.len()).map(|place| (first(index) + place + 1) as f64);
        ArrayD::from_shape_vec(value.shape(), positions.collect()).map_or(value, ArrayD::into_shared)
    })?;
    let Some(Some(positions)) = moved.into_iter().nth(output) else {
        return Ok(sets);
    };
    for (place, position) in positions.iter().enumerate() {
        let position = *position as usize;
        let from = (0..query.errors.len()).rfind(|index| first(*index) < position);
        let spans = from.and_then(|index| query.errors[index].sets().get(position - first(index) - 1));
        if let Some(spans) = spans {
            sets.insert(place, spans.to_vec());
        }
    }
    Ok(sets)
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
