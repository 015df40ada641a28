//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static MAT_MUL: [OperatorSchema; 3] = [
    schema("", "MatMul", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "MatMul", 9, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "MatMul", 13, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ADD_13_T)]),
];

pub(super) static MAT_MUL_INTEGER: [OperatorSchema; 1] = [schema("", "MatMulInteger", 10, (2, 4), (1, 1))
    .inputs(&[
        single("A", of("T1")),
        single("B", of("T2")),
        optional("a_zero_point", of("T1")),
        optional("b_zero_point", of("T2")),
    ])
    .outputs(&[single("Y", of("T3"))])
    .constraints(&[
        constraint("T1", CONV_INTEGER_10_T1),
        constraint("T2", CONV_INTEGER_10_T1),
        constraint("T3", TENSOR_INT32),
    ])];

pub(super) static MAX: [OperatorSchema; 5] = [
    schema("", "Max", 1, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("max", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Max", 6, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("max", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Max", 8, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("max", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Max", 12, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("max", of("T"))])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "Max", 13, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("max", of("T"))])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static MAX_POOL: [OperatorSchema; 6] = [
    schema("", "MaxPool", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "MaxPool", 8, (1, 1), (1, 2))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T")), optional("Indices", of("I"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            int("storage_order", 0),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("I", TENSOR_INT64)]),
    schema("", "MaxPool", 10, (1, 1), (1, 2))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T")), optional("Indices", of("I"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            unset("dilations", Ints),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            int("storage_order", 0),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("I", TENSOR_INT64)]),
    schema("", "MaxPool", 11, (1, 1), (1, 2))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T")), optional("Indices", of("I"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            unset("dilations", Ints),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            int("storage_order", 0),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("I", TENSOR_INT64)]),
    schema("", "MaxPool", 12, (1, 1), (1, 2))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T")), optional("Indices", of("I"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            unset("dilations", Ints),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            int("storage_order", 0),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", MAX_POOL_12_T), constraint("I", TENSOR_INT64)]),
    schema("", "MaxPool", 22, (1, 1), (1, 2))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T")), optional("Indices", of("I"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            unset("dilations", Ints),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            int("storage_order", 0),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", MAX_POOL_22_T), constraint("I", TENSOR_INT64)]),
];

pub(super) static MAX_ROI_POOL: [OperatorSchema; 2] = [
    schema("", "MaxRoiPool", 1, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("rois", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[required("pooled_shape", Ints), float("spatial_scale", 1.0)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "MaxRoiPool", 22, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("rois", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[required("pooled_shape", Ints), float("spatial_scale", 1.0)])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static MAX_UNPOOL: [OperatorSchema; 3] = [
    schema("", "MaxUnpool", 9, (2, 3), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            single("I", of("T2")),
            optional("output_shape", of("T2")),
        ])
        .outputs(&[single("output", of("T1"))])
        .attributes(&[
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T1", ABS_1_T), constraint("T2", TENSOR_INT64)]),
    schema("", "MaxUnpool", 11, (2, 3), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            single("I", of("T2")),
            optional("output_shape", of("T2")),
        ])
        .outputs(&[single("output", of("T1"))])
        .attributes(&[
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T1", ABS_1_T), constraint("T2", TENSOR_INT64)]),
    schema("", "MaxUnpool", 22, (2, 3), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            single("I", of("T2")),
            optional("output_shape", of("T2")),
        ])
        .outputs(&[single("output", of("T1"))])
        .attributes(&[
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T1", ACOS_22_T), constraint("T2", TENSOR_INT64)]),
];

pub(super) static MEAN: [OperatorSchema; 4] = [
    schema("", "Mean", 1, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("mean", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Mean", 6, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("mean", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Mean", 8, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("mean", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Mean", 13, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("mean", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static MEAN_VARIANCE_NORMALIZATION: [OperatorSchema; 2] = [
    schema("", "MeanVarianceNormalization", 9, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[ints("axes", &[0, 2, 3])])
        .constraints(&[constraint("T", ABS_1_T)])
        .function(FunctionKind::Static),
    schema("", "MeanVarianceNormalization", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[ints("axes", &[0, 2, 3])])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static MEL_WEIGHT_MATRIX: [OperatorSchema; 1] =
    [schema("", "MelWeightMatrix", 17, (5, 5), (1, 1))
        .inputs(&[
            single("num_mel_bins", of("T1")),
            single("dft_length", of("T1")),
            single("sample_rate", of("T1")),
            single("lower_edge_hertz", of("T2")),
            single("upper_edge_hertz", of("T2")),
        ])
        .outputs(&[single("output", of("T3"))])
        .attributes(&[int("output_datatype", 1)])
        .constraints(&[
            constraint("T1", BLACKMAN_WINDOW_17_T1),
            constraint("T2", ACOS_22_T),
            constraint("T3", ABS_13_T),
        ])];

pub(super) static MIN: [OperatorSchema; 5] = [
    schema("", "Min", 1, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("min", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Min", 6, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("min", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Min", 8, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("min", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Min", 12, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("min", of("T"))])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "Min", 13, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("min", of("T"))])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static MISH: [OperatorSchema; 2] = [
    schema("", "Mish", 18, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)])
        .function(FunctionKind::Static),
    schema("", "Mish", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static MOD: [OperatorSchema; 3] = [
    schema("", "Mod", 10, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[int("fmod", 0)])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "Mod", 13, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[int("fmod", 0)])
        .constraints(&[constraint("T", ABS_13_T)]),
    schema("", "Mod", 28, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[int("fmod", 0)])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static MUL: [OperatorSchema; 5] = [
    schema("", "Mul", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[
            unset("axis", Int),
            int("broadcast", 0),
            unset("consumed_inputs", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Mul", 6, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "Mul", 7, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "Mul", 13, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "Mul", 14, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static MULTINOMIAL: [OperatorSchema; 2] = [
    schema("", "Multinomial", 7, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[int("dtype", 6), int("sample_size", 1), unset("seed", Float)])
        .constraints(&[constraint("T1", ABS_1_T), constraint("T2", BLACKMAN_WINDOW_17_T1)])
        .nondeterministic(),
    schema("", "Multinomial", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[int("dtype", 6), int("sample_size", 1), unset("seed", Float)])
        .constraints(&[
            constraint("T1", ACOS_22_T),
            constraint("T2", BLACKMAN_WINDOW_17_T1),
        ])
        .nondeterministic(),
];
