//! Attributes that no inputs make right: flags that are neither 0 nor 1, numbers without a meaning, lists
//! that belong together.

use onnx_model::AttributeValue;

use crate::call::Call;
use crate::choices;
use crate::finding::{Outcome, parameter};

/// Real numbers that every result depends on, with the least and the greatest that have a meaning: a variance
/// and a negative number have no root, and an average has weights from 0 to 1.
const REALS: &[(&str, f32, f32)] = &[
    ("alpha", f32::NEG_INFINITY, f32::INFINITY),
    ("beta", f32::NEG_INFINITY, f32::INFINITY),
    ("bias", f32::NEG_INFINITY, f32::INFINITY),
    ("clip", 0.0, f32::MAX),
    ("epsilon", 0.0, f32::MAX),
    ("gamma", f32::NEG_INFINITY, f32::INFINITY),
    ("lambd", f32::NEG_INFINITY, f32::INFINITY),
    ("momentum", 0.0, 1.0),
    ("ratio", 0.0, 1.0),
    ("scale", f32::NEG_INFINITY, f32::INFINITY),
    ("softcap", f32::NEG_INFINITY, f32::INFINITY),
    ("spatial_scale", f32::MIN_POSITIVE, f32::MAX),
];

/// The beginning of the names of all reductions.
const REDUCTIONS: &str = "Reduce";

/// Operands of ONNX's operators that the texts call a scalar, or a list, with their ranks. `k` of Trilu is a
/// list of one in the function body of Attention.
const RANKS: &[(&str, usize, usize)] = &[
    ("AffineGrid", 1, 1),
    ("ConstantOfShape", 0, 1),
    ("DFT", 1, 0),
    ("DFT", 2, 0),
    ("Pad", 1, 1),
    (REDUCTIONS, 1, 1),
    ("Reshape", 1, 1),
    ("Slice", 1, 1),
    ("Slice", 2, 1),
    ("Slice", 3, 1),
    ("Slice", 4, 1),
    ("Split", 1, 1),
    ("TopK", 1, 1),
];

/// The beginnings of the names of lists with one entry for each node, vote or leaf of trees.
const OF_TREES: &[&str] = &["nodes_", "class_", "target_", "leaf_"];

/// Checks the attributes of a node.
pub(crate) fn check(call: &Call<'_, '_>) -> Outcome<()> {
    for attribute in &call.node.attributes {
        let name = attribute.name.as_str();
        if let Some(AttributeValue::Int(value)) = call.attribute(name)
            && onnx_schema::is_flag(name)
            && !matches!(value, 0 | 1)
            && !is_ignored(call, name)
        {
            return parameter(format!("`{name}` is {value}, expected 0 or 1"));
        }
        if let Some(AttributeValue::Float(value)) = call.attribute(name)
            && let Some((_, least, most)) = REALS.iter().find(|(known, ..)| *known == name)
            && !(*least..=*most).contains(value)
            && !is_unused(call, name)
        {
            return match (least.is_finite(), most.is_finite()) {
                (true, true) if *most < f32::MAX => {
                    parameter(format!("`{name}` is {value}, expected {least} to {most}"))
                }
                (true, _) if *least == 0.0 => {
                    parameter(format!("`{name}` is {value}, expected a number of at least 0"))
                }
                (true, _) => parameter(format!("`{name}` is {value}, expected a number above 0")),
                _ => parameter(format!("`{name}` is {value}: every result would be NaN")),
            };
        }
    }
    let name = call.schema.name;
    let ranks = if call.schema.domain.is_empty() { RANKS } else { &[] };
    for &(operator, at, rank) in ranks {
        let is_meant = operator == name || operator == REDUCTIONS && name.starts_with(REDUCTIONS);
        if is_meant && let Some(found) = call.rank(at).filter(|&found| found != rank) {
            return call.wrong_rank(at, found, if rank == 0 { "0 (a scalar)" } else { "1" });
        }
    }
    choices::check(call)?;
    match call.schema.name {
        name if name.starts_with("TreeEnsemble") => OF_TREES.iter().try_for_each(|start| {
            let of_trees = |name: &&str| name.starts_with(start);
            equal_counts(call, &names(call).filter(of_trees).collect::<Vec<_>>())
        }),
        "CategoryMapper" => equal_counts(call, &["cats_strings", "cats_int64s"]),
        _ => Ok(()),
    }
}

/// Whether the node has no use for a real number.
fn is_unused(call: &Call<'_, '_>, name: &str) -> bool {
    // Without training, the statistics are not updated.
    name == "momentum" && call.schema.name == "BatchNormalization" && call.outputs() == 1
}

/// Whether the node has no use for a flag.
fn is_ignored(call: &Call<'_, '_>, flag: &str) -> bool {
    match (call.schema.name, flag) {
        ("MaxPool", "storage_order") => call.outputs() < 2,
        ("SplitToSequence", "keepdims") => call.given(1),
        _ => false,
    }
}

fn names<'m>(call: &Call<'_, 'm>) -> impl Iterator<Item = &'m str> {
    call.node
        .attributes
        .iter()
        .map(|attribute| attribute.name.as_str())
}

/// These lists have as many entries as each other, unless they are empty.
fn equal_counts(call: &Call<'_, '_>, lists: &[&str]) -> Outcome<()> {
    let mut first: Option<(&str, usize)> = None;
    for &name in lists {
        let Some(count) = call.count(name).filter(|&count| count > 0) else {
            continue;
        };
        match first {
            None => first = Some((name, count)),
            Some((other, known)) if known != count => {
                return parameter(format!("`{name}` has {count} entries, but `{other}` has {known}"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}
