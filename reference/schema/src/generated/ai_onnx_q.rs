//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static Q_LINEAR_CONV: [OperatorSchema; 1] = [schema("", "QLinearConv", 10, (8, 9), (1, 1))
    .inputs(&[
        single("x", of("T1")),
        single("x_scale", is(TENSOR_FLOAT)),
        single("x_zero_point", of("T1")),
        single("w", of("T2")),
        single("w_scale", is(TENSOR_FLOAT)),
        single("w_zero_point", of("T2")),
        single("y_scale", is(TENSOR_FLOAT)),
        single("y_zero_point", of("T3")),
        optional("B", of("T4")),
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
        constraint("T3", CONV_INTEGER_10_T1),
        constraint("T4", TENSOR_INT32),
    ])];

pub(super) static Q_LINEAR_MAT_MUL: [OperatorSchema; 2] = [
    schema("", "QLinearMatMul", 10, (8, 8), (1, 1))
        .inputs(&[
            single("a", of("T1")),
            single("a_scale", is(TENSOR_FLOAT)),
            single("a_zero_point", of("T1")),
            single("b", of("T2")),
            single("b_scale", is(TENSOR_FLOAT)),
            single("b_zero_point", of("T2")),
            single("y_scale", is(TENSOR_FLOAT)),
            single("y_zero_point", of("T3")),
        ])
        .outputs(&[single("y", of("T3"))])
        .constraints(&[
            constraint("T1", CONV_INTEGER_10_T1),
            constraint("T2", CONV_INTEGER_10_T1),
            constraint("T3", CONV_INTEGER_10_T1),
        ]),
    schema("", "QLinearMatMul", 21, (8, 8), (1, 1))
        .inputs(&[
            single("a", of("T1")),
            single("a_scale", of("TS")),
            single("a_zero_point", of("T1")),
            single("b", of("T2")),
            single("b_scale", of("TS")),
            single("b_zero_point", of("T2")),
            single("y_scale", of("TS")),
            single("y_zero_point", of("T3")),
        ])
        .outputs(&[single("y", of("T3"))])
        .constraints(&[
            constraint("TS", CAUSAL_CONV_WITH_STATE_27_T),
            constraint("T1", Q_LINEAR_MAT_MUL_21_T1),
            constraint("T2", Q_LINEAR_MAT_MUL_21_T1),
            constraint("T3", Q_LINEAR_MAT_MUL_21_T1),
        ]),
];

pub(super) static QUANTIZE_LINEAR: [OperatorSchema; 8] = [
    schema("", "QuantizeLinear", 10, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("y_scale", is(TENSOR_FLOAT)),
            optional("y_zero_point", of("T2")),
        ])
        .outputs(&[single("y", of("T2"))])
        .constraints(&[
            constraint("T1", QUANTIZE_LINEAR_10_T1),
            constraint("T2", CONV_INTEGER_10_T1),
        ]),
    schema("", "QuantizeLinear", 13, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("y_scale", is(TENSOR_FLOAT)),
            optional("y_zero_point", of("T2")),
        ])
        .outputs(&[single("y", of("T2"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[
            constraint("T1", QUANTIZE_LINEAR_10_T1),
            constraint("T2", CONV_INTEGER_10_T1),
        ]),
    schema("", "QuantizeLinear", 19, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("y_scale", of("T1")),
            optional("y_zero_point", of("T2")),
        ])
        .outputs(&[single("y", of("T2"))])
        .attributes(&[int("axis", 1), int("saturate", 1)])
        .constraints(&[
            constraint("T1", QUANTIZE_LINEAR_19_T1),
            constraint("T2", Q_LINEAR_MAT_MUL_21_T1),
        ]),
    schema("", "QuantizeLinear", 21, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("y_scale", of("T1")),
            optional("y_zero_point", of("T2")),
        ])
        .outputs(&[single("y", of("T2"))])
        .attributes(&[
            int("axis", 1),
            int("block_size", 0),
            int("output_dtype", 0),
            int("saturate", 1),
        ])
        .constraints(&[
            constraint("T1", QUANTIZE_LINEAR_19_T1),
            constraint("T2", QUANTIZE_LINEAR_21_T2),
        ]),
    schema("", "QuantizeLinear", 23, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("y_scale", of("T2")),
            optional("y_zero_point", of("T3")),
        ])
        .outputs(&[single("y", of("T3"))])
        .attributes(&[
            int("axis", 1),
            int("block_size", 0),
            int("output_dtype", 0),
            int("precision", 0),
            int("saturate", 1),
        ])
        .constraints(&[
            constraint("T1", QUANTIZE_LINEAR_19_T1),
            constraint("T2", QUANTIZE_LINEAR_19_T1),
            constraint("T3", QUANTIZE_LINEAR_23_T3),
        ]),
    schema("", "QuantizeLinear", 24, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("y_scale", of("T2")),
            optional("y_zero_point", of("T3")),
        ])
        .outputs(&[single("y", of("T3"))])
        .attributes(&[
            int("axis", 1),
            int("block_size", 0),
            int("output_dtype", 0),
            int("precision", 0),
            int("saturate", 1),
        ])
        .constraints(&[
            constraint("T1", QUANTIZE_LINEAR_19_T1),
            constraint("T2", QUANTIZE_LINEAR_24_T2),
            constraint("T3", QUANTIZE_LINEAR_23_T3),
        ]),
    schema("", "QuantizeLinear", 25, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("y_scale", of("T2")),
            optional("y_zero_point", of("T3")),
        ])
        .outputs(&[single("y", of("T3"))])
        .attributes(&[
            int("axis", 1),
            int("block_size", 0),
            int("output_dtype", 0),
            int("precision", 0),
            int("saturate", 1),
        ])
        .constraints(&[
            constraint("T1", QUANTIZE_LINEAR_19_T1),
            constraint("T2", QUANTIZE_LINEAR_24_T2),
            constraint("T3", QUANTIZE_LINEAR_25_T3),
        ]),
    schema("", "QuantizeLinear", 28, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("y_scale", of("T2")),
            optional("y_zero_point", of("T3")),
        ])
        .outputs(&[single("y", of("T3"))])
        .attributes(&[
            int("axis", 1),
            int("block_size", 0),
            int("output_dtype", 0),
            int("precision", 0),
            int("saturate", 1),
        ])
        .constraints(&[
            constraint("T1", QUANTIZE_LINEAR_19_T1),
            constraint("T2", QUANTIZE_LINEAR_24_T2),
            constraint("T3", QUANTIZE_LINEAR_28_T3),
        ]),
];
