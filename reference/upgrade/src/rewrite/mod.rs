//! The steps that change more than the schemas show, one row each.

mod arguments;
mod attributes;
mod broadcast;
mod normalization;
mod pad;
mod recurrent;
mod resize;
mod softmax;
mod split;
mod types;

use onnx_schema::OperatorSchema;

use crate::site::{Reason, Site};

/// Rewrites a node: edits it, adds nodes, and adds it after them.
pub(crate) type Rewrite = fn(&mut Site<'_, '_>) -> Result<(), Reason>;

/// A step that changes more than the schemas show.
pub(crate) enum Row {
    /// The rewrite, and its description.
    Rewrite(Rewrite, &'static str),
    /// There is no exact conversion, for this reason.
    None(&'static str),
}

/// Returns the row of the step to a version; `None` if the schemas decide.
pub(crate) fn row(to: &OperatorSchema) -> Option<&'static Row> {
    let rows = match to.domain {
        "" => ROWS,
        "ai.onnx.ml" => ML_ROWS,
        _ => return None,
    };
    let found = rows
        .iter()
        .find(|(names, since, _)| *since == to.since && names.contains(&to.name));
    found.map(|(_, _, row)| row)
}

type Rows = &'static [(&'static [&'static str], u32, Row)];

/// Operators that reduce axes, which are an attribute up to version 13.
const REDUCTIONS: &[&str] = &[
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSumSquare",
];

const BINARY: &[&str] = &[
    "Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "Pow", "Sub", "Xor",
];

const INPUT: &str = "an attribute becomes an input";

const ROWS: Rows = &[
    (
        &["Split"],
        2,
        Row::Rewrite(split::to_2, "the input `split` becomes an attribute"),
    ),
    (
        &["Pad"],
        2,
        Row::Rewrite(pad::to_2, "the attribute `paddings` is called `pads`"),
    ),
    (
        &["LpPool", "GlobalLpPool"],
        2,
        Row::Rewrite(attributes::order, "`p` becomes an integer"),
    ),
    (
        &["GRU"],
        3,
        Row::Rewrite(recurrent::direction, "`foward` becomes `forward`"),
    ),
    (
        &["Concat"],
        4,
        Row::Rewrite(attributes::concat, "the default of `axis` becomes explicit"),
    ),
    (&["Reshape"], 5, Row::Rewrite(arguments::reshape, INPUT)),
    (
        &["Cast"],
        6,
        Row::Rewrite(attributes::cast, "the name of a type becomes its number"),
    ),
    (
        &["Clip"],
        6,
        Row::Rewrite(arguments::clip_6, "defaults become explicit where they differ"),
    ),
    (
        &["Selu"],
        6,
        Row::Rewrite(attributes::selu, "the defaults of version 1 become explicit"),
    ),
    (
        &["Tile"],
        6,
        Row::Rewrite(arguments::tile, "one axis becomes a count for each axis"),
    ),
    (
        BINARY,
        7,
        Row::Rewrite(
            broadcast::binary,
            "`axis` becomes a Reshape of the second operand",
        ),
    ),
    (
        &["Gemm"],
        7,
        Row::Rewrite(broadcast::gemm, "`broadcast` is dropped"),
    ),
    (
        &["PRelu"],
        7,
        Row::Rewrite(broadcast::prelu, "a slope for each channel gets axes of extent 1"),
    ),
    (
        &["BatchNormalization"],
        7,
        Row::Rewrite(normalization::batch_7, "`is_test` becomes a choice of outputs"),
    ),
    (
        &["Dropout"],
        7,
        Row::Rewrite(
            normalization::dropout_7,
            "`is_test` is dropped, or becomes an input of version 12",
        ),
    ),
    (
        &["GRU", "LSTM", "RNN"],
        7,
        Row::Rewrite(recurrent::output_sequence, "`output_sequence` is dropped"),
    ),
    (
        &["Upsample"],
        7,
        Row::Rewrite(
            resize::upsample_7,
            "scales of height and width become scales of all axes",
        ),
    ),
    (
        &["BatchNormalization"],
        9,
        Row::Rewrite(
            normalization::batch_9,
            "`spatial` = 0 becomes a Flatten and a Reshape",
        ),
    ),
    (
        &["Scan"],
        9,
        Row::Rewrite(recurrent::scan_9, "the batch becomes a Scan around the Scan"),
    ),
    (&["Upsample"], 9, Row::Rewrite(resize::upsample_9, INPUT)),
    (
        &["Dropout"],
        10,
        Row::Rewrite(normalization::dropout_10, "the mask is cast to its former type"),
    ),
    (&["Slice"], 10, Row::Rewrite(arguments::slice, INPUT)),
    (&["TopK"], 10, Row::Rewrite(arguments::top_k, INPUT)),
    (
        &["Upsample"],
        10,
        Row::Rewrite(resize::to_resize, "becomes Resize-10"),
    ),
    (&["Clip"], 11, Row::Rewrite(arguments::clip_11, INPUT)),
    (
        &["ConvTranspose"],
        11,
        Row::Rewrite(
            attributes::conv_transpose,
            "the side of an odd padding is kept by `auto_pad`",
        ),
    ),
    (
        &["OneHot"],
        11,
        Row::Rewrite(arguments::one_hot, "negative indices are moved out of range"),
    ),
    (&["Pad"], 11, Row::Rewrite(pad::to_11, INPUT)),
    (
        &["Resize"],
        11,
        Row::Rewrite(resize::to_11, "coordinates and rounding become explicit"),
    ),
    (
        &["Scatter"],
        11,
        Row::Rewrite(attributes::scatter, "becomes ScatterElements"),
    ),
    (&["Dropout"], 12, Row::Rewrite(normalization::dropout_12, INPUT)),
    (
        &["Erf"],
        13,
        Row::Rewrite(types::floats_only, "integers are refused"),
    ),
    (
        &["Hardmax", "LogSoftmax", "Softmax"],
        13,
        Row::Rewrite(softmax::to_13, "axes are merged and split again"),
    ),
    (
        &["ReduceSum", "Squeeze", "Unsqueeze"],
        13,
        Row::Rewrite(arguments::axes, INPUT),
    ),
    (
        &["Resize"],
        13,
        Row::Rewrite(resize::to_13, "inputs without a meaning are left out"),
    ),
    (&["Split"], 13, Row::Rewrite(split::to_13, INPUT)),
    (
        &["BatchNormalization"],
        14,
        Row::Rewrite(normalization::batch_14, "outputs become `training_mode`"),
    ),
    (
        &["RoiAlign"],
        16,
        Row::Rewrite(attributes::roi_align, "the former coordinates become explicit"),
    ),
    (REDUCTIONS, 18, Row::Rewrite(arguments::axes, INPUT)),
    (
        &["Split"],
        18,
        Row::Rewrite(split::to_18, "`num_outputs` becomes explicit"),
    ),
    (
        &["QuantizeLinear"],
        19,
        Row::Rewrite(
            types::scale_of_input,
            "versions 19 to 22 take only inputs of the type of the scale",
        ),
    ),
    (&["DFT"], 20, Row::Rewrite(arguments::dft, INPUT)),
    (
        &["GridSample"],
        20,
        Row::Rewrite(attributes::grid_sample, "modes have other names"),
    ),
    (
        &["GroupNormalization"],
        21,
        Row::Rewrite(
            normalization::group_21,
            "scale and bias of groups are repeated for channels",
        ),
    ),
    (
        &["ReduceLogSum", "ReduceLogSumExp"],
        28,
        Row::Rewrite(types::floats_only, "integers are refused"),
    ),
];

const ML_ROWS: Rows = &[
    (
        &["LabelEncoder"],
        2,
        Row::Rewrite(attributes::label_encoder_2, "classes become keys and values"),
    ),
    (
        &["LabelEncoder"],
        4,
        Row::Rewrite(attributes::label_encoder_4, "repeated keys are left out"),
    ),
    (
        &["TreeEnsembleClassifier", "TreeEnsembleRegressor"],
        5,
        Row::None(
            "version 5 withdraws the operator, and no adapter to TreeEnsemble is written; keep ai.onnx.ml below 5",
        ),
    ),
];
