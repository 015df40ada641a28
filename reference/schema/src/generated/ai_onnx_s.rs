//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static STFT: [OperatorSchema; 1] = [schema("", "STFT", 17, (2, 4), (1, 1))
    .inputs(&[
        single("signal", of("T1")),
        single("frame_step", of("T2")),
        optional("window", of("T1")),
        optional("frame_length", of("T2")),
    ])
    .outputs(&[single("output", of("T1"))])
    .attributes(&[int("onesided", 1)])
    .constraints(&[
        constraint("T1", ACOS_22_T),
        constraint("T2", BLACKMAN_WINDOW_17_T1),
    ])];

pub(super) static SCAN: [OperatorSchema; 9] = [
    schema("", "Scan", 8, (2, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            optional("sequence_lens", of("I")),
            heterogeneous("initial_state_and_scan_inputs", of("V"), 1),
        ])
        .outputs(&[heterogeneous("final_state_and_scan_outputs", of("V"), 1)])
        .attributes(&[
            required("body", Graph),
            unset("directions", Ints),
            required("num_scan_inputs", Int),
        ])
        .constraints(&[constraint("I", TENSOR_INT64), constraint("V", COMPRESS_9_T)])
        .nondeterministic(),
    schema("", "Scan", 9, (1, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[heterogeneous("initial_state_and_scan_inputs", of("V"), 1)])
        .outputs(&[heterogeneous("final_state_and_scan_outputs", of("V"), 1)])
        .attributes(&[
            required("body", Graph),
            required("num_scan_inputs", Int),
            unset("scan_input_axes", Ints),
            unset("scan_input_directions", Ints),
            unset("scan_output_axes", Ints),
            unset("scan_output_directions", Ints),
        ])
        .constraints(&[constraint("V", COMPRESS_9_T)])
        .nondeterministic(),
    schema("", "Scan", 11, (1, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[heterogeneous("initial_state_and_scan_inputs", of("V"), 1)])
        .outputs(&[heterogeneous("final_state_and_scan_outputs", of("V"), 1)])
        .attributes(&[
            required("body", Graph),
            required("num_scan_inputs", Int),
            unset("scan_input_axes", Ints),
            unset("scan_input_directions", Ints),
            unset("scan_output_axes", Ints),
            unset("scan_output_directions", Ints),
        ])
        .constraints(&[constraint("V", COMPRESS_9_T)])
        .nondeterministic(),
    schema("", "Scan", 16, (1, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[heterogeneous("initial_state_and_scan_inputs", of("V"), 1)])
        .outputs(&[heterogeneous("final_state_and_scan_outputs", of("V"), 1)])
        .attributes(&[
            required("body", Graph),
            required("num_scan_inputs", Int),
            unset("scan_input_axes", Ints),
            unset("scan_input_directions", Ints),
            unset("scan_output_axes", Ints),
            unset("scan_output_directions", Ints),
        ])
        .constraints(&[constraint("V", CENTER_CROP_PAD_18_T)])
        .nondeterministic(),
    schema("", "Scan", 19, (1, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[heterogeneous("initial_state_and_scan_inputs", of("V"), 1)])
        .outputs(&[heterogeneous("final_state_and_scan_outputs", of("V"), 1)])
        .attributes(&[
            required("body", Graph),
            required("num_scan_inputs", Int),
            unset("scan_input_axes", Ints),
            unset("scan_input_directions", Ints),
            unset("scan_output_axes", Ints),
            unset("scan_output_directions", Ints),
        ])
        .constraints(&[constraint("V", CONSTANT_19_T)])
        .nondeterministic(),
    schema("", "Scan", 21, (1, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[heterogeneous("initial_state_and_scan_inputs", of("V"), 1)])
        .outputs(&[heterogeneous("final_state_and_scan_outputs", of("V"), 1)])
        .attributes(&[
            required("body", Graph),
            required("num_scan_inputs", Int),
            unset("scan_input_axes", Ints),
            unset("scan_input_directions", Ints),
            unset("scan_output_axes", Ints),
            unset("scan_output_directions", Ints),
        ])
        .constraints(&[constraint("V", CONSTANT_21_T)])
        .nondeterministic(),
    schema("", "Scan", 23, (1, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[heterogeneous("initial_state_and_scan_inputs", of("V"), 1)])
        .outputs(&[heterogeneous("final_state_and_scan_outputs", of("V"), 1)])
        .attributes(&[
            required("body", Graph),
            required("num_scan_inputs", Int),
            unset("scan_input_axes", Ints),
            unset("scan_input_directions", Ints),
            unset("scan_output_axes", Ints),
            unset("scan_output_directions", Ints),
        ])
        .constraints(&[constraint("V", CONSTANT_23_T)])
        .nondeterministic(),
    schema("", "Scan", 24, (1, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[heterogeneous("initial_state_and_scan_inputs", of("V"), 1)])
        .outputs(&[heterogeneous("final_state_and_scan_outputs", of("V"), 1)])
        .attributes(&[
            required("body", Graph),
            required("num_scan_inputs", Int),
            unset("scan_input_axes", Ints),
            unset("scan_input_directions", Ints),
            unset("scan_output_axes", Ints),
            unset("scan_output_directions", Ints),
        ])
        .constraints(&[constraint("V", CONSTANT_24_T)])
        .nondeterministic(),
    schema("", "Scan", 25, (1, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[heterogeneous("initial_state_and_scan_inputs", of("V"), 1)])
        .outputs(&[heterogeneous("final_state_and_scan_outputs", of("V"), 1)])
        .attributes(&[
            required("body", Graph),
            required("num_scan_inputs", Int),
            unset("scan_input_axes", Ints),
            unset("scan_input_directions", Ints),
            unset("scan_output_axes", Ints),
            unset("scan_output_directions", Ints),
        ])
        .constraints(&[constraint("V", CONSTANT_25_T)])
        .nondeterministic(),
];

pub(super) static SCATTER: [OperatorSchema; 2] = [
    schema("", "Scatter", 9, (3, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("indices", of("Tind")),
            single("updates", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0)])
        .constraints(&[
            constraint("T", COMPRESS_9_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "Scatter", 11, (3, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("indices", of("Tind")),
            single("updates", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0)])
        .constraints(&[
            constraint("T", COMPRESS_9_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ])
        .deprecated(),
];

pub(super) static SCATTER_ELEMENTS: [OperatorSchema; 4] = [
    schema("", "ScatterElements", 11, (3, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("indices", of("Tind")),
            single("updates", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0)])
        .constraints(&[
            constraint("T", COMPRESS_9_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "ScatterElements", 13, (3, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("indices", of("Tind")),
            single("updates", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0)])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "ScatterElements", 16, (3, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("indices", of("Tind")),
            single("updates", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0), string("reduction", "none")])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "ScatterElements", 18, (3, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("indices", of("Tind")),
            single("updates", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0), string("reduction", "none")])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
];

pub(super) static SCATTER_ND: [OperatorSchema; 4] = [
    schema("", "ScatterND", 11, (3, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("indices", is(TENSOR_INT64)),
            single("updates", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "ScatterND", 13, (3, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("indices", is(TENSOR_INT64)),
            single("updates", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "ScatterND", 16, (3, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("indices", is(TENSOR_INT64)),
            single("updates", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[string("reduction", "none")])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "ScatterND", 18, (3, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("indices", is(TENSOR_INT64)),
            single("updates", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[string("reduction", "none")])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
];

pub(super) static SELU: [OperatorSchema; 3] = [
    schema("", "Selu", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 1.6732),
            unset("consumed_inputs", Ints),
            float("gamma", 1.0507),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Selu", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.6732632), float("gamma", 1.050701)])
        .constraints(&[constraint("T", ABS_1_T)])
        .function(FunctionKind::Static),
    schema("", "Selu", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.6732632), float("gamma", 1.050701)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static SEQUENCE_AT: [OperatorSchema; 1] = [schema("", "SequenceAt", 11, (2, 2), (1, 1))
    .inputs(&[single("input_sequence", of("S")), single("position", of("I"))])
    .outputs(&[single("tensor", of("T"))])
    .constraints(&[
        constraint("S", CONCAT_FROM_SEQUENCE_11_S),
        constraint("T", COMPRESS_9_T),
        constraint("I", BLACKMAN_WINDOW_17_T1),
    ])];

pub(super) static SEQUENCE_CONSTRUCT: [OperatorSchema; 1] =
    [schema("", "SequenceConstruct", 11, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("inputs", of("T"), 1)])
        .outputs(&[single("output_sequence", of("S"))])
        .constraints(&[
            constraint("T", COMPRESS_9_T),
            constraint("S", CONCAT_FROM_SEQUENCE_11_S),
        ])];

pub(super) static SEQUENCE_EMPTY: [OperatorSchema; 1] = [schema("", "SequenceEmpty", 11, (0, 0), (1, 1))
    .outputs(&[single("output", of("S"))])
    .attributes(&[unset("dtype", Int)])
    .constraints(&[constraint("S", CONCAT_FROM_SEQUENCE_11_S)])];

pub(super) static SEQUENCE_ERASE: [OperatorSchema; 1] = [schema("", "SequenceErase", 11, (1, 2), (1, 1))
    .inputs(&[single("input_sequence", of("S")), optional("position", of("I"))])
    .outputs(&[single("output_sequence", of("S"))])
    .constraints(&[
        constraint("S", CONCAT_FROM_SEQUENCE_11_S),
        constraint("I", BLACKMAN_WINDOW_17_T1),
    ])];

pub(super) static SEQUENCE_INSERT: [OperatorSchema; 1] = [schema("", "SequenceInsert", 11, (2, 3), (1, 1))
    .inputs(&[
        single("input_sequence", of("S")),
        single("tensor", of("T")),
        optional("position", of("I")),
    ])
    .outputs(&[single("output_sequence", of("S"))])
    .constraints(&[
        constraint("T", COMPRESS_9_T),
        constraint("S", CONCAT_FROM_SEQUENCE_11_S),
        constraint("I", BLACKMAN_WINDOW_17_T1),
    ])];

pub(super) static SEQUENCE_LENGTH: [OperatorSchema; 1] = [schema("", "SequenceLength", 11, (1, 1), (1, 1))
    .inputs(&[single("input_sequence", of("S"))])
    .outputs(&[single("length", of("I"))])
    .constraints(&[
        constraint("S", CONCAT_FROM_SEQUENCE_11_S),
        constraint("I", TENSOR_INT64),
    ])];

pub(super) static SEQUENCE_MAP: [OperatorSchema; 1] =
    [schema("", "SequenceMap", 17, (1, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            single("input_sequence", of("S")),
            heterogeneous("additional_inputs", of("V"), 0),
        ])
        .outputs(&[heterogeneous("out_sequence", of("S"), 1)])
        .attributes(&[required("body", Graph)])
        .constraints(&[
            constraint("S", CONCAT_FROM_SEQUENCE_11_S),
            constraint("V", IF_13_V),
        ])
        .nondeterministic()
        .function(FunctionKind::ContextDependent)];

pub(super) static SHAPE: [OperatorSchema; 8] = [
    schema("", "Shape", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("shape", of("T1"))])
        .constraints(&[constraint("T", COMPRESS_9_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Shape", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("shape", of("T1"))])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("T1", TENSOR_INT64),
        ]),
    schema("", "Shape", 15, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("shape", of("T1"))])
        .attributes(&[unset("end", Int), int("start", 0)])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("T1", TENSOR_INT64),
        ]),
    schema("", "Shape", 19, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("shape", of("T1"))])
        .attributes(&[unset("end", Int), int("start", 0)])
        .constraints(&[constraint("T", CONSTANT_19_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Shape", 21, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("shape", of("T1"))])
        .attributes(&[unset("end", Int), int("start", 0)])
        .constraints(&[constraint("T", CONSTANT_21_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Shape", 23, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("shape", of("T1"))])
        .attributes(&[unset("end", Int), int("start", 0)])
        .constraints(&[constraint("T", CONSTANT_23_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Shape", 24, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("shape", of("T1"))])
        .attributes(&[unset("end", Int), int("start", 0)])
        .constraints(&[constraint("T", CONSTANT_24_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Shape", 25, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("shape", of("T1"))])
        .attributes(&[unset("end", Int), int("start", 0)])
        .constraints(&[constraint("T", CONSTANT_25_T), constraint("T1", TENSOR_INT64)]),
];

pub(super) static SHRINK: [OperatorSchema; 1] = [schema("", "Shrink", 9, (1, 1), (1, 1))
    .inputs(&[single("input", of("T"))])
    .outputs(&[single("output", of("T"))])
    .attributes(&[float("bias", 0.0), float("lambd", 0.5)])
    .constraints(&[constraint("T", ABS_6_T)])
    .function(FunctionKind::Static)];

pub(super) static SIGMOID: [OperatorSchema; 3] = [
    schema("", "Sigmoid", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Sigmoid", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Sigmoid", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static SIGN: [OperatorSchema; 2] = [
    schema("", "Sign", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "Sign", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static SIN: [OperatorSchema; 2] = [
    schema("", "Sin", 7, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Sin", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static SINH: [OperatorSchema; 2] = [
    schema("", "Sinh", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Sinh", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static SIZE: [OperatorSchema; 7] = [
    schema("", "Size", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("size", of("T1"))])
        .constraints(&[constraint("T", COMPRESS_9_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Size", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("size", of("T1"))])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("T1", TENSOR_INT64),
        ]),
    schema("", "Size", 19, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("size", of("T1"))])
        .constraints(&[constraint("T", CONSTANT_19_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Size", 21, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("size", of("T1"))])
        .constraints(&[constraint("T", CONSTANT_21_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Size", 23, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("size", of("T1"))])
        .constraints(&[constraint("T", CONSTANT_23_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Size", 24, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("size", of("T1"))])
        .constraints(&[constraint("T", CONSTANT_24_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Size", 25, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("size", of("T1"))])
        .constraints(&[constraint("T", CONSTANT_25_T), constraint("T1", TENSOR_INT64)]),
];

pub(super) static SLICE: [OperatorSchema; 4] = [
    schema("", "Slice", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("axes", Ints),
            required("ends", Ints),
            required("starts", Ints),
        ])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Slice", 10, (3, 5), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("starts", of("Tind")),
            single("ends", of("Tind")),
            optional("axes", of("Tind")),
            optional("steps", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[
            constraint("T", COMPRESS_9_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "Slice", 11, (3, 5), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("starts", of("Tind")),
            single("ends", of("Tind")),
            optional("axes", of("Tind")),
            optional("steps", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[
            constraint("T", COMPRESS_9_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "Slice", 13, (3, 5), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("starts", of("Tind")),
            single("ends", of("Tind")),
            optional("axes", of("Tind")),
            optional("steps", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
];

pub(super) static SOFTMAX: [OperatorSchema; 3] = [
    schema("", "Softmax", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Softmax", 11, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Softmax", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", -1)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::ContextDependent),
];

pub(super) static SOFTMAX_CROSS_ENTROPY_LOSS: [OperatorSchema; 2] = [
    schema("", "SoftmaxCrossEntropyLoss", 12, (2, 3), (1, 2))
        .inputs(&[
            single("scores", of("T")),
            single("labels", of("Tind")),
            optional("weights", of("T")),
        ])
        .outputs(&[single("output", of("T")), optional("log_prob", of("T"))])
        .attributes(&[unset("ignore_index", Int), string("reduction", "mean")])
        .constraints(&[
            constraint("T", ABS_1_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ])
        .function(FunctionKind::ContextDependent),
    schema("", "SoftmaxCrossEntropyLoss", 13, (2, 3), (1, 2))
        .inputs(&[
            single("scores", of("T")),
            single("labels", of("Tind")),
            optional("weights", of("T")),
        ])
        .outputs(&[single("output", of("T")), optional("log_prob", of("T"))])
        .attributes(&[unset("ignore_index", Int), string("reduction", "mean")])
        .constraints(&[
            constraint("T", ACOS_22_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ])
        .function(FunctionKind::ContextDependent),
];

pub(super) static SOFTPLUS: [OperatorSchema; 2] = [
    schema("", "Softplus", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)])
        .function(FunctionKind::Static),
    schema("", "Softplus", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static SOFTSIGN: [OperatorSchema; 2] = [
    schema("", "Softsign", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)])
        .function(FunctionKind::Static),
    schema("", "Softsign", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static SPACE_TO_DEPTH: [OperatorSchema; 3] = [
    schema("", "SpaceToDepth", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("blocksize", Int)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "SpaceToDepth", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("blocksize", Int)])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "SpaceToDepth", 28, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("blocksize", Int), string("mode", "DCR")])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)])
        .function(FunctionKind::ContextDependent),
];

pub(super) static SPLIT: [OperatorSchema; 5] = [
    schema("", "Split", 1, (1, 2), (1, UNBOUNDED))
        .inputs(&[single("input", of("T")), optional("split", of("T"))])
        .outputs(&[variadic("outputs...", of("T"), 1)])
        .attributes(&[unset("axis", Int), unset("split", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Split", 2, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("input", of("T"))])
        .outputs(&[variadic("outputs", of("T"), 1)])
        .attributes(&[int("axis", 0), unset("split", Ints)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Split", 11, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("input", of("T"))])
        .outputs(&[variadic("outputs", of("T"), 1)])
        .attributes(&[int("axis", 0), unset("split", Ints)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Split", 13, (1, 2), (1, UNBOUNDED))
        .inputs(&[single("input", of("T")), optional("split", is(TENSOR_INT64))])
        .outputs(&[variadic("outputs", of("T"), 1)])
        .attributes(&[int("axis", 0)])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "Split", 18, (1, 2), (1, UNBOUNDED))
        .inputs(&[single("input", of("T")), optional("split", is(TENSOR_INT64))])
        .outputs(&[variadic("outputs", of("T"), 1)])
        .attributes(&[int("axis", 0), unset("num_outputs", Int)])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
];

pub(super) static SPLIT_TO_SEQUENCE: [OperatorSchema; 2] = [
    schema("", "SplitToSequence", 11, (1, 2), (1, 1))
        .inputs(&[single("input", of("T")), optional("split", of("I"))])
        .outputs(&[single("output_sequence", of("S"))])
        .attributes(&[int("axis", 0), int("keepdims", 1)])
        .constraints(&[
            constraint("T", COMPRESS_9_T),
            constraint("I", BLACKMAN_WINDOW_17_T1),
            constraint("S", CONCAT_FROM_SEQUENCE_11_S),
        ]),
    schema("", "SplitToSequence", 24, (1, 2), (1, 1))
        .inputs(&[single("input", of("T")), optional("split", of("I"))])
        .outputs(&[single("output_sequence", of("S"))])
        .attributes(&[int("axis", 0), int("keepdims", 1)])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("I", BLACKMAN_WINDOW_17_T1),
            constraint("S", SPLIT_TO_SEQUENCE_24_S),
        ]),
];

pub(super) static SQRT: [OperatorSchema; 3] = [
    schema("", "Sqrt", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Sqrt", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Sqrt", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static SQUEEZE: [OperatorSchema; 7] = [
    schema("", "Squeeze", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("squeezed", of("T"))])
        .attributes(&[unset("axes", Ints)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Squeeze", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("squeezed", of("T"))])
        .attributes(&[unset("axes", Ints)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Squeeze", 13, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("squeezed", of("T"))])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "Squeeze", 21, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("squeezed", of("T"))])
        .constraints(&[constraint("T", CONSTANT_21_T)]),
    schema("", "Squeeze", 23, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("squeezed", of("T"))])
        .constraints(&[constraint("T", CONSTANT_23_T)]),
    schema("", "Squeeze", 24, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("squeezed", of("T"))])
        .constraints(&[constraint("T", CONSTANT_24_T)]),
    schema("", "Squeeze", 25, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("squeezed", of("T"))])
        .constraints(&[constraint("T", CONSTANT_25_T)]),
];

pub(super) static STRING_CONCAT: [OperatorSchema; 1] = [schema("", "StringConcat", 20, (2, 2), (1, 1))
    .inputs(&[single("X", of("T")), single("Y", of("T"))])
    .outputs(&[single("Z", of("T"))])
    .constraints(&[constraint("T", TENSOR_STRING)])];

pub(super) static STRING_NORMALIZER: [OperatorSchema; 1] =
    [schema("", "StringNormalizer", 10, (1, 1), (1, 1))
        .inputs(&[single("X", is(TENSOR_STRING))])
        .outputs(&[single("Y", is(TENSOR_STRING))])
        .attributes(&[
            string("case_change_action", "NONE"),
            int("is_case_sensitive", 0),
            unset("locale", String),
            unset("stopwords", Strings),
        ])];

pub(super) static STRING_SPLIT: [OperatorSchema; 1] = [schema("", "StringSplit", 20, (1, 1), (2, 2))
    .inputs(&[single("X", of("T1"))])
    .outputs(&[single("Y", of("T2")), single("Z", of("T3"))])
    .attributes(&[unset("delimiter", String), unset("maxsplit", Int)])
    .constraints(&[
        constraint("T1", TENSOR_STRING),
        constraint("T2", TENSOR_STRING),
        constraint("T3", TENSOR_INT64),
    ])];

pub(super) static SUB: [OperatorSchema; 5] = [
    schema("", "Sub", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[
            unset("axis", Int),
            int("broadcast", 0),
            unset("consumed_inputs", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Sub", 6, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "Sub", 7, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "Sub", 13, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "Sub", 14, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static SUM: [OperatorSchema; 4] = [
    schema("", "Sum", 1, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("sum", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Sum", 6, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("sum", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Sum", 8, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("sum", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Sum", 13, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("data_0", of("T"), 1)])
        .outputs(&[single("sum", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static SWI_GLU: [OperatorSchema; 1] = [schema("", "SwiGLU", 28, (2, 2), (1, 1))
    .inputs(&[single("A", of("T")), single("B", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[float("alpha", 1.0)])
    .constraints(&[constraint("T", ACOS_22_T)])
    .function(FunctionKind::Static)];

pub(super) static SWISH: [OperatorSchema; 1] = [schema("", "Swish", 24, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[float("alpha", 1.0)])
    .constraints(&[constraint("T", ACOS_22_T)])
    .function(FunctionKind::Static)];
