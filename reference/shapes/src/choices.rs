//! Attributes of which a node needs one, or all, and numbers that have a meaning only within bounds.

use onnx_model::AttributeValue;
use onnx_re2::Re2Error;
use onnx_tensor::DType;

use crate::call::Call;
use crate::finding::{Outcome, parameter};

/// The name of a list, and the type of the first input that it is for, if it is for one.
type List = (&'static str, Option<DType>);

/// Lists of which a node has exactly one, by operator and its first version.
const ONE_OF: &[(&str, u32, &[List])] = &[
    (
        "DictVectorizer",
        1,
        &[("string_vocabulary", None), ("int64_vocabulary", None)],
    ),
    (
        "LabelEncoder",
        2,
        &[
            ("keys_strings", Some(DType::String)),
            ("keys_int64s", Some(DType::Int64)),
            ("keys_floats", Some(DType::Float)),
            ("keys_tensor", None),
        ],
    ),
    (
        "LabelEncoder",
        2,
        &[
            ("values_strings", None),
            ("values_int64s", None),
            ("values_floats", None),
            ("values_tensor", None),
        ],
    ),
    (
        "OneHotEncoder",
        1,
        &[("cats_int64s", None), ("cats_strings", None)],
    ),
    (
        "TfIdfVectorizer",
        9,
        &[("pool_strings", None), ("pool_int64s", None)],
    ),
    (
        "Imputer",
        1,
        &[("imputed_value_floats", None), ("imputed_value_int64s", None)],
    ),
    ("LinearClassifier", 1, LABELS),
    ("SVMClassifier", 1, LABELS),
    ("TreeEnsembleClassifier", 1, LABELS_OF_INT64),
    ("ZipMap", 1, LABELS_OF_INT64),
];

const LABELS: &[List] = &[("classlabels_ints", None), ("classlabels_strings", None)];
const LABELS_OF_INT64: &[List] = &[("classlabels_int64s", None), ("classlabels_strings", None)];

/// Operators that have a meaning with an empty list. For the others it is as none.
const MAY_BE_EMPTY: &[&str] = &["LabelEncoder", "TfIdfVectorizer"];

/// Attributes that the text needs, although the schema calls them optional.
const NEEDED: &[(&str, &[&str])] = &[
    ("CategoryMapper", &["cats_strings", "cats_int64s"]),
    ("LinearRegressor", &["coefficients"]),
    ("RegexFullMatch", &["pattern"]),
    ("SVMRegressor", &["coefficients", "rho"]),
];

/// The least and the greatest value of a number, by operator.
const BOUNDS: &[(&str, &str, i64, i64)] = &[
    ("GatherND", "batch_dims", 0, i64::MAX),
    ("GroupNorm", "activation", 0, 1),
    ("LRN", "size", 1, i64::MAX),
    ("LpNormalization", "p", 1, 2),
    ("MoE", "k", 1, i64::MAX),
    ("QMoE", "k", 1, i64::MAX),
    ("RoiAlign", "sampling_ratio", 0, i64::MAX),
    ("SkipGroupNorm", "activation", 0, 1),
    ("TfIdfVectorizer", "max_skip_count", 0, i64::MAX),
    ("TfIdfVectorizer", "min_gram_length", 1, i64::MAX),
    ("TreeEnsemble", "aggregate_function", 0, 3),
    ("TreeEnsemble", "post_transform", 0, 4),
];

/// The words of an attribute, by operator.
const WORDS: &[(&str, &str, &[&str])] = &[
    ("CDist", "metric", &["euclidean", "sqeuclidean"]),
    ("CausalConvWithState", "activation", &["none", "silu", "swish"]),
    ("CropAndResize", "mode", &["bilinear", "nearest"]),
    ("MoE", "activation_type", EXPERTS),
    ("QMoE", "activation_type", EXPERTS),
];

/// The functions of experts.
const EXPERTS: &[&str] = &["gelu", "identity", "relu", "silu", "swiglu"];

/// The functions that a fused operator of ONNX Runtime applies, with the places of the coefficients that each
/// needs, and whether a convolution has it.
const FUNCTIONS: &[(&str, &[usize], bool)] = &[
    ("Relu", &[], true),
    ("Sigmoid", &[], true),
    ("Tanh", &[], true),
    ("LeakyRelu", &[0], true),
    ("Clip", &[0, 1], true),
    ("HardSigmoid", &[0, 1], true),
    ("Celu", &[0], false),
    ("Elu", &[0], false),
    ("HardSwish", &[], false),
    ("Selu", &[0, 2], false),
    ("Softplus", &[], false),
    ("Softsign", &[], false),
    ("ThresholdedRelu", &[0], false),
];

/// The coefficients of the function of a FusedGemm.
const COEFFICIENTS: [&str; 3] = ["activation_alpha", "activation_beta", "activation_gamma"];

/// Checks the attributes of a node.
pub(crate) fn check(call: &Call<'_, '_>) -> Outcome<()> {
    let operator = call.schema.name;
    for attribute in &call.node.attributes {
        if let AttributeValue::Reference(target, Some(stated)) = &attribute.value
            && let Some(formal) = call.schema.attribute(&attribute.name)
            && formal.kind != *stated
        {
            return parameter(format!(
                "`{}` refers to `{target}` as to an attribute of type {stated:?}, expected {:?}",
                attribute.name, formal.kind
            ));
        }
    }
    for (_, _, lists) in ONE_OF
        .iter()
        .filter(|(name, since, _)| *name == operator && call.since >= *since)
    {
        one_of(call, lists)?;
    }
    let needed = NEEDED.iter().filter(|(name, _)| *name == operator);
    for name in needed.flat_map(|(_, names)| *names) {
        if call.attribute(name).is_none() {
            return parameter(format!("`{name}` is not set"));
        }
    }
    for (_, name, least, most) in BOUNDS.iter().filter(|(known, ..)| *known == operator) {
        if let Some(value) = call.int(name)
            && !(*least..=*most).contains(&value)
        {
            return match *most {
                i64::MAX => parameter(format!("`{name}` is {value}, expected at least {least}")),
                most => parameter(format!("`{name}` is {value}, expected {least} to {most}")),
            };
        }
    }
    for (_, name, words) in WORDS.iter().filter(|(known, ..)| *known == operator) {
        if let Some(word) = call.text(name).filter(|word| !words.contains(&word.as_str())) {
            return parameter(format!(
                "`{name}` is `{word}`, expected one of {}",
                words.join(", ")
            ));
        }
    }
    match (operator, call.since) {
        ("TfIdfVectorizer", _) => ngrams(call),
        ("SVMRegressor", _) => support_vectors(call),
        ("Clip", ..11) => interval(call),
        ("FusedConv" | "NhwcFusedConv" | "FusedGemm", _) => function(call, operator != "FusedGemm"),
        ("RegexFullMatch", _) => expression("pattern", call.text("pattern")),
        ("Tokenizer", _) => {
            let separators = match call.attribute("separators") {
                Some(AttributeValue::Strings(list)) => list.as_slice(),
                _ => &[],
            };
            for separator in separators {
                expression("separators", str::from_utf8(separator).ok().map(str::to_owned))?;
            }
            expression(
                "tokenexp",
                call.text("tokenexp").filter(|_| separators.is_empty()),
            )
        }
        ("GridSample", 20..) => match call.text("mode").as_deref() {
            Some(mode @ ("bilinear" | "bicubic")) => parameter(format!(
                "`mode` is `{mode}`, which version 20 calls `{}`",
                mode.trim_start_matches("bi")
            )),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The function of a fused operator is known, and has its coefficients.
fn function(call: &Call<'_, '_>, is_convolution: bool) -> Outcome<()> {
    let Some(name) = call.text("activation").filter(|name| !name.is_empty()) else {
        return Ok(());
    };
    let known = || {
        FUNCTIONS
            .iter()
            .filter(|(.., of_both)| *of_both || !is_convolution)
    };
    let Some((_, needed, _)) = known().find(|(known, ..)| *known == name) else {
        let names: Vec<&str> = known().map(|(name, ..)| *name).collect();
        return parameter(format!(
            "`activation` is `{name}`, expected one of {}",
            names.join(", ")
        ));
    };
    let missing = |place: &usize| match call.attribute("activation_params") {
        _ if !is_convolution => COEFFICIENTS
            .get(*place)
            .is_some_and(|name| call.attribute(name).is_none()),
        Some(AttributeValue::Floats(list)) => list.len() <= *place,
        Some(_) => false,
        None => true,
    };
    match needed.iter().find(|place| missing(place)) {
        None => Ok(()),
        Some(place) if is_convolution => parameter(format!(
            "`activation_params` has no number {place}, which `{name}` needs"
        )),
        Some(place) => {
            let attribute = COEFFICIENTS.get(*place).copied().unwrap_or_default();
            parameter(format!("`{attribute}` is not set, which `{name}` needs"))
        }
    }
}

/// An attribute is in the syntax of RE2.
fn expression(name: &str, text: Option<String>) -> Outcome<()> {
    match text.map(|text| onnx_re2::check(&text)) {
        Some(Err(error @ Re2Error::Invalid(_))) => parameter(format!("`{name}`: {error}")),
        Some(Ok(()) | Err(Re2Error::TooLarge(_))) | None => Ok(()),
    }
}

/// The attributes of Clip are the ends of an interval. What it gives for others only version 13 says.
fn interval(call: &Call<'_, '_>) -> Outcome<()> {
    let end = |name: &str, default: f32| match call.attribute(name) {
        Some(AttributeValue::Float(end)) => *end,
        _ => default,
    };
    let (min, max) = (end("min", f32::MIN), end("max", f32::MAX));
    if min <= max {
        Ok(())
    } else {
        parameter(format!("`min` is {min} and `max` {max}: they are no interval"))
    }
}

/// A node has exactly one of these lists, and it is for the type of the first input.
fn one_of(call: &Call<'_, '_>, lists: &[List]) -> Outcome<()> {
    let may_be_empty = MAY_BE_EMPTY.contains(&call.schema.name);
    // Only a call of the function says what a reference stands for.
    let is_open = |name: &str| call.node.attribute(name).is_some() && call.count(name).is_none();
    let set = |name: &str| is_open(name) || may_be_empty && call.attribute(name).is_some();
    // A converter may write an empty list beside the one that it means.
    let filled: Vec<_> = lists
        .iter()
        .filter(|(name, _)| call.count(name).is_some_and(|count| count > 0))
        .collect();
    let known = lists
        .iter()
        .filter(|(name, _)| call.schema.attribute(name).is_some());
    let names = || {
        let names: Vec<String> = known.clone().map(|(name, _)| format!("`{name}`")).collect();
        names.join(", ")
    };
    match filled.as_slice() {
        [] if lists.iter().any(|(name, _)| set(name)) => Ok(()),
        [] => parameter(format!("one of {} must be set", names())),
        [(name, expected)] => match (expected, call.dtype(0)) {
            (Some(expected), Some(found)) if *expected != found => parameter(format!(
                "`{name}` is for elements of type {expected}, but the input has {found}"
            )),
            _ => Ok(()),
        },
        _ => parameter(format!("only one of {} may be set", names())),
    }
}

/// The pool of n-grams is split by length, and each n-gram has a coordinate.
fn ngrams(call: &Call<'_, '_>) -> Outcome<()> {
    let (Some(least), Some(most)) = (call.int("min_gram_length"), call.int("max_gram_length")) else {
        return Ok(());
    };
    if least > most {
        return parameter(format!(
            "`min_gram_length` is {least}, more than `max_gram_length`, {most}"
        ));
    }
    let (Some(starts), Some(places)) = (call.ints("ngram_counts"), call.ints("ngram_indexes")) else {
        return Ok(());
    };
    if let Some(place) = places.iter().find(|place| **place < 0) {
        return parameter(format!("`ngram_indexes` has {place}, expected at least 0"));
    }
    let pool = call.count("pool_strings").or_else(|| call.count("pool_int64s"));
    let end = pool
        .and_then(|count| i64::try_from(count).ok())
        .unwrap_or(i64::MAX);
    if let Some(start) = starts.iter().find(|start| !(0..=end).contains(*start)) {
        return parameter(format!("`ngram_counts` has {start}, outside of a pool of {end}"));
    }
    if !starts.is_sorted() {
        return parameter("`ngram_counts` does not ascend".to_owned());
    }
    Ok(())
}

/// One coefficient for each support vector, and the parameters of a kernel that has some.
fn support_vectors(call: &Call<'_, '_>) -> Outcome<()> {
    let vectors = call.int("n_supports").unwrap_or(0);
    let coefficients = call.count("coefficients").unwrap_or(0);
    if vectors > 0 && usize::try_from(vectors) != Ok(coefficients) {
        return parameter(format!(
            "{coefficients} coefficients for {vectors} support vectors"
        ));
    }
    let has_parameters = call.text("kernel_type").is_some_and(|kernel| kernel != "LINEAR");
    match call.count("kernel_params").unwrap_or(0) {
        count if vectors > 0 && has_parameters && count != 3 => parameter(format!(
            "`kernel_params` has {count} entries, expected gamma, coef0 and degree"
        )),
        _ => Ok(()),
    }
}

/// The types of the tensors of a tree, and the tests of its nodes.
pub(crate) fn tensors_of_trees(call: &Call<'_, '_>) -> Outcome<()> {
    let tensor = |name: &str| match call.attribute(name) {
        Some(AttributeValue::Tensor(tensor)) => Some(tensor),
        _ => None,
    };
    for name in ["nodes_splits", "leaf_weights", "membership_values"] {
        if let (Some(found), Some(expected)) = (tensor(name).map(|tensor| tensor.dtype()), call.dtype(0))
            && found != expected
        {
            return parameter(format!("`{name}` is of {found}, but the input of {expected}"));
        }
    }
    let modes = tensor("nodes_modes")
        .and_then(crate::fact::integers)
        .unwrap_or_default();
    if let Some(mode) = modes.iter().find(|mode| !(0..=6).contains(*mode)) {
        return parameter(format!("`nodes_modes` has {mode}, expected 0 to 6"));
    }
    let of_sets = modes.iter().filter(|mode| **mode == 6).count();
    match tensor("membership_values") {
        None if of_sets > 0 => parameter(format!(
            "{of_sets} nodes test membership, but there are no `membership_values`"
        )),
        _ => Ok(()),
    }
}
