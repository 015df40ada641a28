//! Values of attributes that no input makes right: words that the text does not list, numbers out of range.

use onnx_model::{Attribute, AttributeValue, Node};
use onnx_schema::OperatorSchema;

use crate::problem::Problem;

/// The words of attributes that are the same in every operator.
const WORDS: &[(&str, &[&str])] = &[
    ("aggregate_function", &["AVERAGE", "MAX", "MIN", "SUM"]),
    ("auto_pad", &["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"]),
    ("case_change_action", &["LOWER", "UPPER", "NONE"]),
    ("cast_to", &["TO_FLOAT", "TO_STRING", "TO_INT64"]),
    (
        "coordinate_transformation_mode",
        &[
            "half_pixel",
            "half_pixel_symmetric",
            "pytorch_half_pixel",
            "align_corners",
            "asymmetric",
            "tf_half_pixel_for_nn",
            "tf_crop_and_resize",
            "output_half_pixel",
        ],
    ),
    (
        "direction",
        &["forward", "reverse", "bidirectional", "LEFT", "RIGHT"],
    ),
    (
        "keep_aspect_ratio_policy",
        &["stretch", "not_larger", "not_smaller"],
    ),
    ("kernel_type", &["LINEAR", "POLY", "RBF", "SIGMOID"]),
    ("map_form", &["DENSE", "SPARSE"]),
    (
        "nearest_mode",
        &[
            "round_prefer_floor",
            "round_prefer_ceil",
            "floor",
            "ceil",
            "simple",
        ],
    ),
    ("norm", &["MAX", "L1", "L2"]),
    ("padding_mode", &["zeros", "border", "reflection"]),
    ("pixel_format", &["RGB", "BGR", "Grayscale"]),
    (
        "post_transform",
        &["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"],
    ),
    ("reduction", &["none", "sum", "mean", "add", "mul", "max", "min"]),
    ("round_mode", &["up", "down", "nearest"]),
    ("update_rule", &["linear", "gated", "delta", "gated_delta"]),
];

/// The words of attributes whose name has other meanings in other operators. Of several versions all.
const WORDS_OF: &[(&str, &str, &[&str])] = &[
    ("CausalConvWithState", "activation", &["none", "silu", "swish"]),
    ("DepthToSpace", "mode", &["DCR", "CRD"]),
    ("Gelu", "approximate", &["none", "tanh"]),
    (
        "GridSample",
        "mode",
        &["bilinear", "nearest", "bicubic", "linear", "cubic"],
    ),
    (
        "MoE",
        "activation_type",
        &["relu", "gelu", "silu", "swiglu", "identity"],
    ),
    ("Momentum", "mode", &["nesterov", "standard"]),
    ("Pad", "mode", &["constant", "reflect", "edge", "wrap"]),
    (
        "QMoE",
        "activation_type",
        &["relu", "gelu", "silu", "swiglu", "identity"],
    ),
    ("Resize", "mode", &["nearest", "linear", "cubic"]),
    ("RoiAlign", "mode", &["avg", "max"]),
    ("TensorScatter", "mode", &["linear", "circular"]),
    ("TfIdfVectorizer", "mode", &["TF", "IDF", "TFIDF"]),
    ("Upsample", "mode", &["nearest", "linear", "bilinear"]),
];

/// The least and the greatest number of an attribute, or of each entry of a list.
const RANGES: &[(&str, i64, i64)] = &[
    ("blocksize", 1, i64::MAX),
    ("dilations", 1, i64::MAX),
    ("group", 1, i64::MAX),
    ("hidden_size", 1, i64::MAX),
    ("kernel_shape", 1, i64::MAX),
    ("kv_num_heads", 1, i64::MAX),
    ("num_heads", 0, i64::MAX),
    ("num_outputs", 1, i64::MAX),
    ("offset_group", 1, i64::MAX),
    ("output_height", 1, i64::MAX),
    ("output_width", 1, i64::MAX),
    ("perm", 0, i64::MAX),
    ("q_num_heads", 1, i64::MAX),
    ("qk_matmul_output_mode", 0, 3),
    ("strides", 1, i64::MAX),
];

/// The attributes of Constant, of which exactly one is given.
const CONSTANT: &[&str] = &[
    "value",
    "sparse_value",
    "value_int",
    "value_ints",
    "value_float",
    "value_floats",
    "value_string",
    "value_strings",
];

/// The problems of the values of the attributes of a node.
pub(super) fn check(schema: &OperatorSchema, node: &Node, problems: &mut Vec<Problem>) {
    let known = node
        .attributes
        .iter()
        .filter(|attribute| schema.attribute(&attribute.name).is_some());
    problems.extend(known.filter_map(|attribute| out_of_text(schema, attribute)));
    // A function passes the value of an attribute on by reference.
    if schema.name == "Constant" {
        let given = |name: &&&str| node.attribute(name).is_some();
        let found = CONSTANT.iter().filter(given).count();
        if found != 1 {
            problems.push(Problem::ConstantValues { found });
        }
    }
}

fn out_of_text(schema: &OperatorSchema, attribute: &Attribute) -> Option<Problem> {
    let name = attribute.name.as_str();
    match &attribute.value {
        AttributeValue::String(word) => {
            let of_operator = WORDS_OF
                .iter()
                .find(|(operator, known, _)| (*operator, *known) == (schema.name, name))
                .map(|(_, _, words)| *words);
            let everywhere = || {
                let found = WORDS.iter().find(|(known, _)| *known == name);
                found.map(|(_, words)| *words)
            };
            let allowed = of_operator.or_else(everywhere)?;
            let is_listed = allowed
                .iter()
                .any(|allowed| allowed.as_bytes() == word.as_slice());
            (!is_listed).then(|| Problem::AttributeWord {
                name: name.to_owned(),
                word: String::from_utf8_lossy(word).into_owned(),
                allowed: allowed.join(", "),
            })
        }
        AttributeValue::Int(number) => out_of_range(name, std::slice::from_ref(number)),
        AttributeValue::Ints(numbers) => {
            out_of_range(name, numbers).or_else(|| no_permutation(name, numbers))
        }
        _ => None,
    }
}

fn out_of_range(name: &str, numbers: &[i64]) -> Option<Problem> {
    let (_, least, most) = RANGES.iter().find(|(known, _, _)| *known == name)?;
    let outside = numbers.iter().find(|number| !(least..=most).contains(number))?;
    let expected = if *most == i64::MAX {
        format!("at least {least}")
    } else {
        format!("{least} to {most}")
    };
    Some(Problem::AttributeRange {
        name: name.to_owned(),
        found: *outside,
        expected,
    })
}

/// A permutation has each of its axes once.
fn no_permutation(name: &str, numbers: &[i64]) -> Option<Problem> {
    if name != "perm" {
        return None;
    }
    let most = numbers.len() as i64 - 1;
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let outside = sorted.iter().zip(0..).find(|(found, axis)| **found != *axis);
    outside.map(|(found, _)| Problem::AttributeRange {
        name: name.to_owned(),
        found: *found,
        expected: format!("each axis from 0 to {most} once"),
    })
}
