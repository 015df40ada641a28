//! Attributes that no inputs make right: flags that are neither 0 nor 1, lists that belong together.

use onnx_model::AttributeValue;

use crate::call::Call;
use crate::finding::{Outcome, parameter};

/// Integers of which the texts describe 0 and 1.
const FLAGS: &[&str] = &[
    "align_corners",
    "allowzero",
    "broadcast",
    "ceil_mode",
    "center_point_box",
    "channels_last",
    "count_include_pad",
    "detect_negative",
    "detect_positive",
    "exclusive",
    "fmod",
    "input_forget",
    "inverse",
    "is_case_sensitive",
    "is_causal",
    "keepdims",
    "largest",
    "new_axis",
    "noop_with_empty_axes",
    "one_class",
    "onesided",
    "periodic",
    "reverse",
    "saturate",
    "select_last_index",
    "sorted",
    "storage_order",
    "training_mode",
    "unidirectional",
    "upper",
    "zeros",
];

/// The beginnings of the names of lists with one entry for each node, vote or leaf of trees.
const OF_TREES: &[&str] = &["nodes_", "class_", "target_", "leaf_"];

/// Checks the attributes of a node.
pub(crate) fn check(call: &Call<'_, '_>) -> Outcome<()> {
    for attribute in &call.node.attributes {
        let name = attribute.name.as_str();
        if let Some(AttributeValue::Int(value)) = call.attribute(name)
            && FLAGS.contains(&name)
            && !matches!(value, 0 | 1)
            && !is_ignored(call, name)
        {
            return parameter(format!("`{name}` is {value}, expected 0 or 1"));
        }
    }
    match call.schema.name {
        name if name.starts_with("TreeEnsemble") => OF_TREES.iter().try_for_each(|start| {
            let of_trees = |name: &&str| name.starts_with(start);
            equal_counts(call, &names(call).filter(of_trees).collect::<Vec<_>>())
        }),
        "CategoryMapper" => equal_counts(call, &["cats_strings", "cats_int64s"]),
        _ => Ok(()),
    }
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
