//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static CAST: [OperatorSchema; 10] = [
    schema("", "Cast", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[required("to", String)])
        .constraints(&[constraint("T1", CAST_1_T1), constraint("T2", CAST_1_T1)]),
    schema("", "Cast", 6, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[required("to", Int)])
        .constraints(&[constraint("T1", CAST_1_T1), constraint("T2", CAST_1_T1)]),
    schema("", "Cast", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[required("to", Int)])
        .constraints(&[constraint("T1", CAST_9_T1), constraint("T2", CAST_9_T1)]),
    schema("", "Cast", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[required("to", Int)])
        .constraints(&[constraint("T1", CAST_13_T1), constraint("T2", CAST_13_T1)]),
    schema("", "Cast", 19, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[int("saturate", 1), required("to", Int)])
        .constraints(&[constraint("T1", CAST_19_T1), constraint("T2", CAST_19_T1)]),
    schema("", "Cast", 21, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[int("saturate", 1), required("to", Int)])
        .constraints(&[constraint("T1", CAST_21_T1), constraint("T2", CAST_21_T1)]),
    schema("", "Cast", 23, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[int("saturate", 1), required("to", Int)])
        .constraints(&[constraint("T1", CAST_23_T1), constraint("T2", CAST_23_T1)]),
    schema("", "Cast", 24, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[
            string("round_mode", "up"),
            int("saturate", 1),
            required("to", Int),
        ])
        .constraints(&[constraint("T1", CAST_24_T1), constraint("T2", CAST_24_T1)]),
    schema("", "Cast", 25, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[
            string("round_mode", "up"),
            int("saturate", 1),
            required("to", Int),
        ])
        .constraints(&[constraint("T1", CAST_25_T1), constraint("T2", CAST_25_T1)]),
    schema("", "Cast", 28, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[
            string("round_mode", "up"),
            int("saturate", 1),
            required("to", Int),
        ])
        .constraints(&[constraint("T1", CAST_28_T1), constraint("T2", CAST_28_T1)]),
];

pub(super) static CAST_LIKE: [OperatorSchema; 6] = [
    schema("", "CastLike", 15, (2, 2), (1, 1))
        .inputs(&[single("input", of("T1")), single("target_type", of("T2"))])
        .outputs(&[single("output", of("T2"))])
        .constraints(&[constraint("T1", CAST_13_T1), constraint("T2", CAST_13_T1)])
        .function(FunctionKind::ContextDependent),
    schema("", "CastLike", 19, (2, 2), (1, 1))
        .inputs(&[single("input", of("T1")), single("target_type", of("T2"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[int("saturate", 1)])
        .constraints(&[constraint("T1", CAST_19_T1), constraint("T2", CAST_19_T1)])
        .function(FunctionKind::ContextDependent),
    schema("", "CastLike", 21, (2, 2), (1, 1))
        .inputs(&[single("input", of("T1")), single("target_type", of("T2"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[int("saturate", 1)])
        .constraints(&[constraint("T1", CAST_21_T1), constraint("T2", CAST_21_T1)])
        .function(FunctionKind::ContextDependent),
    schema("", "CastLike", 23, (2, 2), (1, 1))
        .inputs(&[single("input", of("T1")), single("target_type", of("T2"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[int("saturate", 1)])
        .constraints(&[constraint("T1", CAST_23_T1), constraint("T2", CAST_23_T1)])
        .function(FunctionKind::ContextDependent),
    schema("", "CastLike", 24, (2, 2), (1, 1))
        .inputs(&[single("input", of("T1")), single("target_type", of("T2"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[string("round_mode", "up"), int("saturate", 1)])
        .constraints(&[constraint("T1", CAST_24_T1), constraint("T2", CAST_24_T1)])
        .function(FunctionKind::ContextDependent),
    schema("", "CastLike", 25, (2, 2), (1, 1))
        .inputs(&[single("input", of("T1")), single("target_type", of("T2"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[string("round_mode", "up"), int("saturate", 1)])
        .constraints(&[constraint("T1", CAST_25_T1), constraint("T2", CAST_25_T1)])
        .function(FunctionKind::ContextDependent),
];

pub(super) static CAUSAL_CONV_WITH_STATE: [OperatorSchema; 1] =
    [schema("", "CausalConvWithState", 27, (2, 4), (2, 2))
        .inputs(&[
            single("input", of("T")),
            single("weight", of("T")),
            optional("bias", of("T")),
            optional("past_state", of("T")),
        ])
        .outputs(&[single("output", of("T")), single("present_state", of("T"))])
        .attributes(&[string("activation", "none")])
        .constraints(&[constraint("T", CAUSAL_CONV_WITH_STATE_27_T)])
        .function(FunctionKind::ContextDependent)];

pub(super) static CEIL: [OperatorSchema; 3] = [
    schema("", "Ceil", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Ceil", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Ceil", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static CELU: [OperatorSchema; 2] = [
    schema("", "Celu", 12, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0)])
        .constraints(&[constraint("T", TENSOR_FLOAT)])
        .function(FunctionKind::ContextDependent),
    schema("", "Celu", 28, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static CENTER_CROP_PAD: [OperatorSchema; 1] = [schema("", "CenterCropPad", 18, (2, 2), (1, 1))
    .inputs(&[single("input_data", of("T")), single("shape", of("Tind"))])
    .outputs(&[single("output_data", of("T"))])
    .attributes(&[unset("axes", Ints)])
    .constraints(&[
        constraint("T", CENTER_CROP_PAD_18_T),
        constraint("Tind", BLACKMAN_WINDOW_17_T1),
    ])
    .function(FunctionKind::ContextDependent)];

pub(super) static CLIP: [OperatorSchema; 5] = [
    schema("", "Clip", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("consumed_inputs", Ints),
            unset("max", Float),
            unset("min", Float),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Clip", 6, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[float("max", 3.4028235e+38), float("min", -3.4028235e+38)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Clip", 11, (1, 3), (1, 1))
        .inputs(&[
            single("input", of("T")),
            optional("min", of("T")),
            optional("max", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Clip", 12, (1, 3), (1, 1))
        .inputs(&[
            single("input", of("T")),
            optional("min", of("T")),
            optional("max", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "Clip", 13, (1, 3), (1, 1))
        .inputs(&[
            single("input", of("T")),
            optional("min", of("T")),
            optional("max", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_13_T)])
        .function(FunctionKind::ContextDependent),
];

pub(super) static COL2_IM: [OperatorSchema; 1] = [schema("", "Col2Im", 18, (3, 3), (1, 1))
    .inputs(&[
        single("input", of("T")),
        single("image_shape", is(TENSOR_INT64)),
        single("block_shape", is(TENSOR_INT64)),
    ])
    .outputs(&[single("output", of("T"))])
    .attributes(&[
        unset("dilations", Ints),
        unset("pads", Ints),
        unset("strides", Ints),
    ])
    .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)])];

pub(super) static COMPRESS: [OperatorSchema; 3] = [
    schema("", "Compress", 9, (2, 2), (1, 1))
        .inputs(&[single("input", of("T")), single("condition", of("T1"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("axis", Int)])
        .constraints(&[constraint("T", COMPRESS_9_T), constraint("T1", TENSOR_BOOL)]),
    schema("", "Compress", 11, (2, 2), (1, 1))
        .inputs(&[single("input", of("T")), single("condition", of("T1"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("axis", Int)])
        .constraints(&[constraint("T", COMPRESS_9_T), constraint("T1", TENSOR_BOOL)]),
    schema("", "Compress", 28, (2, 2), (1, 1))
        .inputs(&[single("input", of("T")), single("condition", of("T1"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("axis", Int)])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("T1", TENSOR_BOOL),
        ]),
];

pub(super) static CONCAT: [OperatorSchema; 4] = [
    schema("", "Concat", 1, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("inputs", of("T"), 1)])
        .outputs(&[single("concat_result", of("T"))])
        .attributes(&[unset("axis", Int)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Concat", 4, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("inputs", of("T"), 1)])
        .outputs(&[single("concat_result", of("T"))])
        .attributes(&[required("axis", Int)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Concat", 11, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("inputs", of("T"), 1)])
        .outputs(&[single("concat_result", of("T"))])
        .attributes(&[required("axis", Int)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Concat", 13, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("inputs", of("T"), 1)])
        .outputs(&[single("concat_result", of("T"))])
        .attributes(&[required("axis", Int)])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
];

pub(super) static CONCAT_FROM_SEQUENCE: [OperatorSchema; 1] =
    [schema("", "ConcatFromSequence", 11, (1, 1), (1, 1))
        .inputs(&[single("input_sequence", of("S"))])
        .outputs(&[single("concat_result", of("T"))])
        .attributes(&[required("axis", Int), int("new_axis", 0)])
        .constraints(&[
            constraint("S", CONCAT_FROM_SEQUENCE_11_S),
            constraint("T", COMPRESS_9_T),
        ])];

pub(super) static CONSTANT: [OperatorSchema; 10] = [
    schema("", "Constant", 1, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("value", Tensor)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Constant", 9, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("value", Tensor)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Constant", 11, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("sparse_value", SparseTensor), unset("value", Tensor)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Constant", 12, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("sparse_value", SparseTensor),
            unset("value", Tensor),
            unset("value_float", Float),
            unset("value_floats", Floats),
            unset("value_int", Int),
            unset("value_ints", Ints),
            unset("value_string", String),
            unset("value_strings", Strings),
        ])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Constant", 13, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("sparse_value", SparseTensor),
            unset("value", Tensor),
            unset("value_float", Float),
            unset("value_floats", Floats),
            unset("value_int", Int),
            unset("value_ints", Ints),
            unset("value_string", String),
            unset("value_strings", Strings),
        ])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "Constant", 19, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("sparse_value", SparseTensor),
            unset("value", Tensor),
            unset("value_float", Float),
            unset("value_floats", Floats),
            unset("value_int", Int),
            unset("value_ints", Ints),
            unset("value_string", String),
            unset("value_strings", Strings),
        ])
        .constraints(&[constraint("T", CONSTANT_19_T)]),
    schema("", "Constant", 21, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("sparse_value", SparseTensor),
            unset("value", Tensor),
            unset("value_float", Float),
            unset("value_floats", Floats),
            unset("value_int", Int),
            unset("value_ints", Ints),
            unset("value_string", String),
            unset("value_strings", Strings),
        ])
        .constraints(&[constraint("T", CONSTANT_21_T)]),
    schema("", "Constant", 23, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("sparse_value", SparseTensor),
            unset("value", Tensor),
            unset("value_float", Float),
            unset("value_floats", Floats),
            unset("value_int", Int),
            unset("value_ints", Ints),
            unset("value_string", String),
            unset("value_strings", Strings),
        ])
        .constraints(&[constraint("T", CONSTANT_23_T)]),
    schema("", "Constant", 24, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("sparse_value", SparseTensor),
            unset("value", Tensor),
            unset("value_float", Float),
            unset("value_floats", Floats),
            unset("value_int", Int),
            unset("value_ints", Ints),
            unset("value_string", String),
            unset("value_strings", Strings),
        ])
        .constraints(&[constraint("T", CONSTANT_24_T)]),
    schema("", "Constant", 25, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("sparse_value", SparseTensor),
            unset("value", Tensor),
            unset("value_float", Float),
            unset("value_floats", Floats),
            unset("value_int", Int),
            unset("value_ints", Ints),
            unset("value_string", String),
            unset("value_strings", Strings),
        ])
        .constraints(&[constraint("T", CONSTANT_25_T)]),
];

pub(super) static CONSTANT_OF_SHAPE: [OperatorSchema; 6] = [
    schema("", "ConstantOfShape", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[unset("value", Tensor)])
        .constraints(&[constraint("T1", TENSOR_INT64), constraint("T2", CAST_1_T1)]),
    schema("", "ConstantOfShape", 20, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[unset("value", Tensor)])
        .constraints(&[
            constraint("T1", TENSOR_INT64),
            constraint("T2", CONSTANT_OF_SHAPE_20_T2),
        ]),
    schema("", "ConstantOfShape", 21, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[unset("value", Tensor)])
        .constraints(&[
            constraint("T1", TENSOR_INT64),
            constraint("T2", CONSTANT_OF_SHAPE_21_T2),
        ]),
    schema("", "ConstantOfShape", 23, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[unset("value", Tensor)])
        .constraints(&[
            constraint("T1", TENSOR_INT64),
            constraint("T2", CONSTANT_OF_SHAPE_23_T2),
        ]),
    schema("", "ConstantOfShape", 24, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[unset("value", Tensor)])
        .constraints(&[
            constraint("T1", TENSOR_INT64),
            constraint("T2", CONSTANT_OF_SHAPE_24_T2),
        ]),
    schema("", "ConstantOfShape", 25, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[unset("value", Tensor)])
        .constraints(&[
            constraint("T1", TENSOR_INT64),
            constraint("T2", CONSTANT_OF_SHAPE_25_T2),
        ]),
];

pub(super) static CONV: [OperatorSchema; 3] = [
    schema("", "Conv", 1, (2, 3), (1, 1))
        .inputs(&[single("X", of("T")), single("W", of("T")), optional("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            unset("dilations", Ints),
            int("group", 1),
            unset("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Conv", 11, (2, 3), (1, 1))
        .inputs(&[single("X", of("T")), single("W", of("T")), optional("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            unset("dilations", Ints),
            int("group", 1),
            unset("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Conv", 22, (2, 3), (1, 1))
        .inputs(&[single("X", of("T")), single("W", of("T")), optional("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            unset("dilations", Ints),
            int("group", 1),
            unset("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static CONV_INTEGER: [OperatorSchema; 1] = [schema("", "ConvInteger", 10, (2, 4), (1, 1))
    .inputs(&[
        single("x", of("T1")),
        single("w", of("T2")),
        optional("x_zero_point", of("T1")),
        optional("w_zero_point", of("T2")),
    ])
    .outputs(&[single("y", of("T3"))])
    .attributes(&[
        string("auto_pad", "NOTSET"),
        unset("dilations", Ints),
        int("group", 1),
        unset("kernel_shape", Ints),
        unset("pads", Ints),
        unset("strides", Ints),
    ])
    .constraints(&[
        constraint("T1", CONV_INTEGER_10_T1),
        constraint("T2", CONV_INTEGER_10_T1),
        constraint("T3", TENSOR_INT32),
    ])];

pub(super) static CONV_TRANSPOSE: [OperatorSchema; 3] = [
    schema("", "ConvTranspose", 1, (2, 3), (1, 1))
        .inputs(&[single("X", of("T")), single("W", of("T")), optional("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            unset("dilations", Ints),
            int("group", 1),
            unset("kernel_shape", Ints),
            unset("output_padding", Ints),
            unset("output_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "ConvTranspose", 11, (2, 3), (1, 1))
        .inputs(&[single("X", of("T")), single("W", of("T")), optional("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            unset("dilations", Ints),
            int("group", 1),
            unset("kernel_shape", Ints),
            unset("output_padding", Ints),
            unset("output_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "ConvTranspose", 22, (2, 3), (1, 1))
        .inputs(&[single("X", of("T")), single("W", of("T")), optional("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            unset("dilations", Ints),
            int("group", 1),
            unset("kernel_shape", Ints),
            unset("output_padding", Ints),
            unset("output_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static COS: [OperatorSchema; 2] = [
    schema("", "Cos", 7, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Cos", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static COSH: [OperatorSchema; 2] = [
    schema("", "Cosh", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Cosh", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static CUM_PROD: [OperatorSchema; 1] = [schema("", "CumProd", 26, (2, 2), (1, 1))
    .inputs(&[single("x", of("T")), single("axis", of("T2"))])
    .outputs(&[single("y", of("T"))])
    .attributes(&[int("exclusive", 0), int("reverse", 0)])
    .constraints(&[constraint("T", ADD_13_T), constraint("T2", BLACKMAN_WINDOW_17_T1)])];

pub(super) static CUM_SUM: [OperatorSchema; 2] = [
    schema("", "CumSum", 11, (2, 2), (1, 1))
        .inputs(&[single("x", of("T")), single("axis", of("T2"))])
        .outputs(&[single("y", of("T"))])
        .attributes(&[int("exclusive", 0), int("reverse", 0)])
        .constraints(&[
            constraint("T", CUM_SUM_11_T),
            constraint("T2", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "CumSum", 14, (2, 2), (1, 1))
        .inputs(&[single("x", of("T")), single("axis", of("T2"))])
        .outputs(&[single("y", of("T"))])
        .attributes(&[int("exclusive", 0), int("reverse", 0)])
        .constraints(&[constraint("T", ADD_13_T), constraint("T2", BLACKMAN_WINDOW_17_T1)]),
];
