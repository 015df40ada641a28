//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static LRN: [OperatorSchema; 2] = [
    schema("", "LRN", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 1e-04),
            float("beta", 0.75),
            float("bias", 1.0),
            required("size", Int),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "LRN", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 1e-04),
            float("beta", 0.75),
            float("bias", 1.0),
            required("size", Int),
        ])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static LSTM: [OperatorSchema; 4] = [
    schema("", "LSTM", 1, (3, 8), (0, 3))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("R", of("T")),
            optional("B", of("T")),
            optional("sequence_lens", of("T1")),
            optional("initial_h", of("T")),
            optional("initial_c", of("T")),
            optional("P", of("T")),
        ])
        .outputs(&[
            optional("Y", of("T")),
            optional("Y_h", of("T")),
            optional("Y_c", of("T")),
        ])
        .attributes(&[
            unset("activation_alpha", Floats),
            unset("activation_beta", Floats),
            unset("activations", Strings),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("input_forget", 0),
            int("output_sequence", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT32)]),
    schema("", "LSTM", 7, (3, 8), (0, 3))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("R", of("T")),
            optional("B", of("T")),
            optional("sequence_lens", of("T1")),
            optional("initial_h", of("T")),
            optional("initial_c", of("T")),
            optional("P", of("T")),
        ])
        .outputs(&[
            optional("Y", of("T")),
            optional("Y_h", of("T")),
            optional("Y_c", of("T")),
        ])
        .attributes(&[
            unset("activation_alpha", Floats),
            unset("activation_beta", Floats),
            unset("activations", Strings),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("input_forget", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT32)]),
    schema("", "LSTM", 14, (3, 8), (0, 3))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("R", of("T")),
            optional("B", of("T")),
            optional("sequence_lens", of("T1")),
            optional("initial_h", of("T")),
            optional("initial_c", of("T")),
            optional("P", of("T")),
        ])
        .outputs(&[
            optional("Y", of("T")),
            optional("Y_h", of("T")),
            optional("Y_c", of("T")),
        ])
        .attributes(&[
            unset("activation_alpha", Floats),
            unset("activation_beta", Floats),
            unset("activations", Strings),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("input_forget", 0),
            int("layout", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT32)]),
    schema("", "LSTM", 22, (3, 8), (0, 3))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("R", of("T")),
            optional("B", of("T")),
            optional("sequence_lens", of("T1")),
            optional("initial_h", of("T")),
            optional("initial_c", of("T")),
            optional("P", of("T")),
        ])
        .outputs(&[
            optional("Y", of("T")),
            optional("Y_h", of("T")),
            optional("Y_c", of("T")),
        ])
        .attributes(&[
            unset("activation_alpha", Floats),
            unset("activation_beta", Floats),
            unset("activations", Strings),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("input_forget", 0),
            int("layout", 0),
        ])
        .constraints(&[constraint("T", ACOS_22_T), constraint("T1", TENSOR_INT32)]),
];

pub(super) static LAYER_NORMALIZATION: [OperatorSchema; 1] =
    [schema("", "LayerNormalization", 17, (2, 3), (1, 3))
        .inputs(&[
            single("X", of("T")),
            single("Scale", of("T")),
            optional("B", of("T")),
        ])
        .outputs(&[
            single("Y", of("T")),
            optional("Mean", of("U")),
            optional("InvStdDev", of("U")),
        ])
        .attributes(&[int("axis", -1), float("epsilon", 1e-05), int("stash_type", 1)])
        .constraints(&[
            constraint("T", ACOS_22_T),
            constraint("U", LAYER_NORMALIZATION_17_U),
        ])
        .function(FunctionKind::ContextDependent)];

pub(super) static LEAKY_RELU: [OperatorSchema; 3] = [
    schema("", "LeakyRelu", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 0.01), unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "LeakyRelu", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 0.01)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "LeakyRelu", 16, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 0.01)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static LESS: [OperatorSchema; 4] = [
    schema("", "Less", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_BOOL)]),
    schema("", "Less", 7, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_BOOL)]),
    schema("", "Less", 9, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ABS_6_T), constraint("T1", TENSOR_BOOL)]),
    schema("", "Less", 13, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ABS_13_T), constraint("T1", TENSOR_BOOL)]),
];

pub(super) static LESS_OR_EQUAL: [OperatorSchema; 2] = [
    schema("", "LessOrEqual", 12, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ABS_6_T), constraint("T1", TENSOR_BOOL)])
        .function(FunctionKind::Static),
    schema("", "LessOrEqual", 16, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ABS_13_T), constraint("T1", TENSOR_BOOL)])
        .function(FunctionKind::Static),
];

pub(super) static LINEAR_ATTENTION: [OperatorSchema; 1] = [schema("", "LinearAttention", 27, (3, 6), (2, 2))
    .inputs(&[
        single("query", of("T")),
        single("key", of("T")),
        single("value", of("T")),
        optional("past_state", of("S")),
        optional("decay", of("T")),
        optional("beta", of("T")),
    ])
    .outputs(&[single("output", of("T")), single("present_state", of("S"))])
    .attributes(&[
        int("chunk_size", 64),
        required("kv_num_heads", Int),
        required("q_num_heads", Int),
        float("scale", 0.0),
        string("update_rule", "gated_delta"),
    ])
    .constraints(&[
        constraint("T", CAUSAL_CONV_WITH_STATE_27_T),
        constraint("S", CAUSAL_CONV_WITH_STATE_27_T),
    ])
    .function(FunctionKind::ContextDependent)];

pub(super) static LOG: [OperatorSchema; 3] = [
    schema("", "Log", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Log", 6, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Log", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static LOG_SOFTMAX: [OperatorSchema; 3] = [
    schema("", "LogSoftmax", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "LogSoftmax", 11, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "LogSoftmax", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", -1)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::ContextDependent),
];

pub(super) static LOOP: [OperatorSchema; 9] = [
    schema("", "Loop", 1, (3, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            optional("M", of("I")),
            optional("cond", of("B")),
            heterogeneous("v_initial", of("V"), 1),
        ])
        .outputs(&[heterogeneous("v_final_and_scan_outputs", of("V"), 1)])
        .attributes(&[required("body", Graph)])
        .constraints(&[
            constraint("V", COMPRESS_9_T),
            constraint("I", TENSOR_INT64),
            constraint("B", TENSOR_BOOL),
        ])
        .nondeterministic(),
    schema("", "Loop", 11, (2, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            optional("M", of("I")),
            optional("cond", of("B")),
            heterogeneous("v_initial", of("V"), 0),
        ])
        .outputs(&[heterogeneous("v_final_and_scan_outputs", of("V"), 1)])
        .attributes(&[required("body", Graph)])
        .constraints(&[
            constraint("V", COMPRESS_9_T),
            constraint("I", TENSOR_INT64),
            constraint("B", TENSOR_BOOL),
        ])
        .nondeterministic(),
    schema("", "Loop", 13, (2, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            optional("M", of("I")),
            optional("cond", of("B")),
            heterogeneous("v_initial", of("V"), 0),
        ])
        .outputs(&[heterogeneous("v_final_and_scan_outputs", of("V"), 1)])
        .attributes(&[required("body", Graph)])
        .constraints(&[
            constraint("V", IF_13_V),
            constraint("I", TENSOR_INT64),
            constraint("B", TENSOR_BOOL),
        ])
        .nondeterministic(),
    schema("", "Loop", 16, (2, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            optional("M", of("I")),
            optional("cond", of("B")),
            heterogeneous("v_initial", of("V"), 0),
        ])
        .outputs(&[heterogeneous("v_final_and_scan_outputs", of("V"), 1)])
        .attributes(&[required("body", Graph)])
        .constraints(&[
            constraint("V", IF_16_V),
            constraint("I", TENSOR_INT64),
            constraint("B", TENSOR_BOOL),
        ])
        .nondeterministic(),
    schema("", "Loop", 19, (2, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            optional("M", of("I")),
            optional("cond", of("B")),
            heterogeneous("v_initial", of("V"), 0),
        ])
        .outputs(&[heterogeneous("v_final_and_scan_outputs", of("V"), 1)])
        .attributes(&[required("body", Graph)])
        .constraints(&[
            constraint("V", IF_19_V),
            constraint("I", TENSOR_INT64),
            constraint("B", TENSOR_BOOL),
        ])
        .nondeterministic(),
    schema("", "Loop", 21, (2, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            optional("M", of("I")),
            optional("cond", of("B")),
            heterogeneous("v_initial", of("V"), 0),
        ])
        .outputs(&[heterogeneous("v_final_and_scan_outputs", of("V"), 1)])
        .attributes(&[required("body", Graph)])
        .constraints(&[
            constraint("V", IF_21_V),
            constraint("I", TENSOR_INT64),
            constraint("B", TENSOR_BOOL),
        ])
        .nondeterministic(),
    schema("", "Loop", 23, (2, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            optional("M", of("I")),
            optional("cond", of("B")),
            heterogeneous("v_initial", of("V"), 0),
        ])
        .outputs(&[heterogeneous("v_final_and_scan_outputs", of("V"), 1)])
        .attributes(&[required("body", Graph)])
        .constraints(&[
            constraint("V", IF_23_V),
            constraint("I", TENSOR_INT64),
            constraint("B", TENSOR_BOOL),
        ])
        .nondeterministic(),
    schema("", "Loop", 24, (2, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            optional("M", of("I")),
            optional("cond", of("B")),
            heterogeneous("v_initial", of("V"), 0),
        ])
        .outputs(&[heterogeneous("v_final_and_scan_outputs", of("V"), 1)])
        .attributes(&[required("body", Graph)])
        .constraints(&[
            constraint("V", IF_24_V),
            constraint("I", TENSOR_INT64),
            constraint("B", TENSOR_BOOL),
        ])
        .nondeterministic(),
    schema("", "Loop", 25, (2, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[
            optional("M", of("I")),
            optional("cond", of("B")),
            heterogeneous("v_initial", of("V"), 0),
        ])
        .outputs(&[heterogeneous("v_final_and_scan_outputs", of("V"), 1)])
        .attributes(&[required("body", Graph)])
        .constraints(&[
            constraint("V", IF_25_V),
            constraint("I", TENSOR_INT64),
            constraint("B", TENSOR_BOOL),
        ])
        .nondeterministic(),
];

pub(super) static LP_NORMALIZATION: [OperatorSchema; 2] = [
    schema("", "LpNormalization", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", -1), int("p", 2)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "LpNormalization", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", -1), int("p", 2)])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static LP_POOL: [OperatorSchema; 5] = [
    schema("", "LpPool", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            unset("kernel_shape", Ints),
            float("p", 2.0),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "LpPool", 2, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            required("kernel_shape", Ints),
            int("p", 2),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "LpPool", 11, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            required("kernel_shape", Ints),
            int("p", 2),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "LpPool", 18, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            unset("dilations", Ints),
            required("kernel_shape", Ints),
            int("p", 2),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "LpPool", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            unset("dilations", Ints),
            required("kernel_shape", Ints),
            int("p", 2),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ACOS_22_T)]),
];
