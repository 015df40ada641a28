//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static Q_ATTENTION: [OperatorSchema; 1] =
    [schema("com.microsoft", "QAttention", 1, (5, 9), (1, 2))
        .inputs(&[
            single("input", of("T1")),
            single("weight", of("T2")),
            single("bias", of("T3")),
            single("input_scale", of("T3")),
            single("weight_scale", of("T3")),
            optional("mask_index", of("T4")),
            optional("input_zero_point", of("T1")),
            optional("weight_zero_point", of("T2")),
            optional("past", of("T3")),
        ])
        .outputs(&[single("output", of("T3")), optional("present", of("T3"))])
        .attributes(&[
            unset("do_rotary", Int),
            unset("mask_filter_value", Float),
            required("num_heads", Int),
            unset("past_present_share_buffer", Int),
            unset("scale", Float),
            int("unidirectional", 0),
        ])
        .constraints(&[
            constraint("T1", DYNAMIC_QUANTIZE_LSTM_1_T2),
            constraint("T2", DYNAMIC_QUANTIZE_LSTM_1_T2),
            constraint("T3", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("T4", TENSOR_INT32),
        ])];

pub(super) static Q_EMBED_LAYER_NORMALIZATION: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "QEmbedLayerNormalization", 1, (18, 18), (2, 2))
            .inputs(&[
                single("input_ids", of("T1")),
                optional("segment_ids", of("T1")),
                single("word_embedding_quant", of("T2")),
                single("position_embedding_quant", of("T2")),
                optional("segment_embedding", of("T2")),
                single("gamma_quant", of("T2")),
                single("beta_quant", of("T2")),
                optional("mask", of("T1")),
                single("word_embedding_scale", of("T")),
                single("position_embedding_scale", of("T")),
                optional("segment_embedding_scale", of("T")),
                single("gamma_scale", of("T")),
                single("beta_scale", of("T")),
                single("word_embedding_zero_point", of("T2")),
                single("position_embedding_zero_point", of("T2")),
                optional("segment_embedding_zero_point", of("T2")),
                single("gamma_zero_point", of("T2")),
                single("beta_zero_point", of("T2")),
            ])
            .outputs(&[
                single("layernorm_out", of("T")),
                single("mask_index_out", of("T1")),
            ])
            .attributes(&[float("epsilon", 1e-12)])
            .constraints(&[
                constraint("T1", TENSOR_INT32),
                constraint("T2", DYNAMIC_QUANTIZE_LSTM_1_T2),
                constraint("T", TENSOR_FLOAT),
            ]),
    ];

pub(super) static Q_GEMM: [OperatorSchema; 1] = [schema("com.microsoft", "QGemm", 1, (6, 9), (1, 1))
    .inputs(&[
        single("A", of("TA")),
        single("a_scale", of("T")),
        single("a_zero_point", of("TA")),
        single("B", of("TB")),
        single("b_scale", of("T")),
        single("b_zero_point", of("TB")),
        optional("C", of("TC")),
        optional("y_scale", of("T")),
        optional("y_zero_point", of("TYZ")),
    ])
    .outputs(&[single("Y", of("TY"))])
    .attributes(&[float("alpha", 1.0), int("transA", 0), int("transB", 0)])
    .constraints(&[
        constraint("T", TENSOR_FLOAT),
        constraint("TA", DYNAMIC_QUANTIZE_LSTM_1_T2),
        constraint("TB", DYNAMIC_QUANTIZE_LSTM_1_T2),
        constraint("TC", TENSOR_INT32),
        constraint("TYZ", DYNAMIC_QUANTIZE_LSTM_1_T2),
        constraint("TY", Q_GEMM_1_TY),
    ])];

pub(super) static Q_LINEAR_ADD: [OperatorSchema; 1] =
    [schema("com.microsoft", "QLinearAdd", 1, (7, 8), (1, 1))
        .inputs(&[
            single("A", of("T")),
            single("A_scale", is(TENSOR_FLOAT)),
            optional("A_zero_point", of("T")),
            single("B", of("T")),
            single("B_scale", is(TENSOR_FLOAT)),
            optional("B_zero_point", of("T")),
            single("C_scale", is(TENSOR_FLOAT)),
            optional("C_zero_point", of("T")),
        ])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2)])];

pub(super) static Q_LINEAR_AVERAGE_POOL: [OperatorSchema; 1] =
    [schema("com.microsoft", "QLinearAveragePool", 1, (4, 5), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("x_scale", is(TENSOR_FLOAT)),
            optional("x_zero_point", of("T")),
            single("y_scale", is(TENSOR_FLOAT)),
            optional("y_zero_point", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            int("channels_last", 0),
            int("count_include_pad", 0),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2)])];

pub(super) static Q_LINEAR_CONCAT: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "QLinearConcat", 1, (3, UNBOUNDED), (1, 1))
            .inputs(&[
                single("Y_scale", of("TF")),
                single("Y_zero_point", of("T8")),
                heterogeneous("inputs", of("TV"), 1),
            ])
            .outputs(&[single("Y", of("T8"))])
            .attributes(&[required("axis", Int)])
            .constraints(&[
                constraint("T8", DYNAMIC_QUANTIZE_LSTM_1_T2),
                constraint("TF", TENSOR_FLOAT),
                constraint("TV", Q_GEMM_1_TY),
            ]),
    ];

pub(super) static Q_LINEAR_CONV: [OperatorSchema; 1] =
    [schema("com.microsoft", "QLinearConv", 1, (8, 9), (1, 1))
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
            int("channels_last", 0),
            unset("dilations", Ints),
            int("group", 1),
            unset("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[
            constraint("T1", DYNAMIC_QUANTIZE_LSTM_1_T2),
            constraint("T2", DYNAMIC_QUANTIZE_LSTM_1_T2),
            constraint("T3", DYNAMIC_QUANTIZE_LSTM_1_T2),
            constraint("T4", TENSOR_INT32),
        ])];

pub(super) static Q_LINEAR_GLOBAL_AVERAGE_POOL: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "QLinearGlobalAveragePool", 1, (5, 5), (1, 1))
            .inputs(&[
                single("X", of("T")),
                single("x_scale", is(TENSOR_FLOAT)),
                single("x_zero_point", of("T")),
                single("y_scale", is(TENSOR_FLOAT)),
                single("y_zero_point", of("T")),
            ])
            .outputs(&[single("Y", of("T"))])
            .attributes(&[int("channels_last", 0)])
            .constraints(&[constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2)]),
    ];

pub(super) static Q_LINEAR_LEAKY_RELU: [OperatorSchema; 1] =
    [schema("com.microsoft", "QLinearLeakyRelu", 1, (4, 5), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("X_scale", is(TENSOR_FLOAT)),
            optional("X_zero_point", of("T")),
            single("Y_scale", is(TENSOR_FLOAT)),
            optional("Y_zero_point", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 0.01)])
        .constraints(&[constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2)])];

pub(super) static Q_LINEAR_MUL: [OperatorSchema; 1] =
    [schema("com.microsoft", "QLinearMul", 1, (7, 8), (1, 1))
        .inputs(&[
            single("A", of("T")),
            single("A_scale", is(TENSOR_FLOAT)),
            optional("A_zero_point", of("T")),
            single("B", of("T")),
            single("B_scale", is(TENSOR_FLOAT)),
            optional("B_zero_point", of("T")),
            single("C_scale", is(TENSOR_FLOAT)),
            optional("C_zero_point", of("T")),
        ])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2)])];

pub(super) static Q_LINEAR_REDUCE_MEAN: [OperatorSchema; 1] =
    [schema("com.microsoft", "QLinearReduceMean", 1, (4, 5), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("data_scale", is(TENSOR_FLOAT)),
            optional("data_zero_point", of("T")),
            single("reduced_scale", is(TENSOR_FLOAT)),
            optional("reduced_zero_point", of("T")),
        ])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[required("axes", Ints), required("keepdims", Int)])
        .constraints(&[constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2)])];

pub(super) static Q_LINEAR_SIGMOID: [OperatorSchema; 1] =
    [schema("com.microsoft", "QLinearSigmoid", 1, (4, 5), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("X_scale", is(TENSOR_FLOAT)),
            optional("X_zero_point", of("T")),
            single("Y_scale", is(TENSOR_FLOAT)),
            optional("Y_zero_point", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2)])];

pub(super) static Q_LINEAR_SOFTMAX: [OperatorSchema; 1] =
    [schema("com.microsoft", "QLinearSoftmax", 1, (5, 5), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("X_scale", is(TENSOR_FLOAT)),
            optional("x_zero_point", of("T")),
            single("y_scale", is(TENSOR_FLOAT)),
            single("y_zero_point", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[int("axis", -1), required("opset", Int)])
        .constraints(&[constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2)])];

pub(super) static Q_LINEAR_WHERE: [OperatorSchema; 1] =
    [schema("com.microsoft", "QLinearWhere", 1, (9, 9), (1, 1))
        .inputs(&[
            single("condition", of("B")),
            single("X", of("T")),
            single("x_scale", of("TF")),
            single("x_zero_point", of("T")),
            single("Y", of("T")),
            single("y_scale", of("TF")),
            single("y_zero_point", of("T")),
            single("z_scale", of("TF")),
            single("z_zero_point", of("T")),
        ])
        .outputs(&[single("Z", of("T"))])
        .constraints(&[
            constraint("B", TENSOR_BOOL),
            constraint("TF", TENSOR_FLOAT),
            constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2),
        ])];

pub(super) static Q_MO_E: [OperatorSchema; 1] = [schema("com.microsoft", "QMoE", 1, (6, 21), (1, 1))
    .inputs(&[
        single("input", of("T")),
        single("router_probs", of("T")),
        single("fc1_experts_weights", of("T1")),
        optional("fc1_scales", of("T2")),
        optional("fc1_experts_bias", of("T")),
        single("fc2_experts_weights", of("T1")),
        optional("fc2_scales", of("T2")),
        optional("fc2_experts_bias", of("T")),
        optional("fc3_experts_weights", of("T1")),
        optional("fc3_scales", of("T2")),
        optional("fc3_experts_bias", of("T")),
        optional("fc1_zero_points", of("T1")),
        optional("fc2_zero_points", of("T1")),
        optional("fc3_zero_points", of("T1")),
        optional("router_weights", of("T")),
        optional("fc1_global_scale", of("T4")),
        optional("fc2_global_scale", of("T4")),
        optional("fc1_act_scale", of("T4")),
        optional("fc2_act_scale", of("T4")),
        optional("fc1_act_block_scale", of("T2")),
        optional("fc2_act_block_scale", of("T2")),
    ])
    .outputs(&[single("output", of("T"))])
    .attributes(&[
        int("accuracy_level", 0),
        float("activation_alpha", 1.0),
        float("activation_beta", 0.0),
        string("activation_type", "relu"),
        unset("block_size", Int),
        int("expert_weight_bits", 4),
        unset("fc1_expert_weight_bits", Int),
        unset("fc2_expert_weight_bits", Int),
        unset("fc3_expert_weight_bits", Int),
        int("k", 1),
        int("normalize_routing_weights", 0),
        string("quant_type", "int"),
        int("swiglu_fusion", 0),
        unset("swiglu_limit", Float),
        int("swiglu_limit_after_activation", 0),
        int("use_sparse_mixer", 0),
        int("weights_prepacked", -1),
    ])
    .constraints(&[
        constraint("T", ATTENTION_1_T),
        constraint("T1", Q_MO_E_1_T1),
        constraint("T2", Q_MO_E_1_T2),
        constraint("T4", TENSOR_FLOAT),
    ])];

pub(super) static Q_ORDERED_ATTENTION: [OperatorSchema; 1] =
    [schema("com.microsoft", "QOrderedAttention", 1, (17, 20), (1, 1))
        .inputs(&[
            single("input", of("Q")),
            single("scale_input", of("S")),
            single("scale_Q_gemm", of("S")),
            single("scale_K_gemm", of("S")),
            single("scale_V_gemm", of("S")),
            single("Q_weight", of("Q")),
            single("K_weight", of("Q")),
            single("V_weight", of("Q")),
            single("scale_Q_weight", of("S")),
            single("scale_K_weight", of("S")),
            single("scale_V_weight", of("S")),
            single("Q_bias", of("S")),
            single("K_bias", of("S")),
            single("V_bias", of("S")),
            optional("scale_QKT_gemm", of("S")),
            optional("scale_QKT_softmax", of("S")),
            single("scale_values_gemm", of("S")),
            optional("mask_index", of("G")),
            optional("past", of("Q")),
            optional("attention_bias", of("S")),
        ])
        .outputs(&[single("output", of("Q"))])
        .attributes(&[
            required("num_heads", Int),
            required("order_input", Int),
            required("order_output", Int),
            required("order_weight", Int),
            unset("qkv_hidden_sizes", Ints),
            int("unidirectional", 0),
        ])
        .constraints(&[
            constraint("Q", TENSOR_INT8),
            constraint("S", TENSOR_FLOAT),
            constraint("G", TENSOR_INT32),
        ])];

pub(super) static Q_ORDERED_GELU: [OperatorSchema; 1] =
    [schema("com.microsoft", "QOrderedGelu", 1, (3, 3), (1, 1))
        .inputs(&[
            single("X", of("Q")),
            single("scale_X", of("S")),
            single("scale_Y", of("S")),
        ])
        .outputs(&[single("Y", of("Q"))])
        .attributes(&[unset("order_X", Int), unset("order_Y", Int)])
        .constraints(&[constraint("Q", TENSOR_INT8), constraint("S", TENSOR_FLOAT)])];

pub(super) static Q_ORDERED_LAYER_NORMALIZATION: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "QOrderedLayerNormalization", 1, (5, 5), (1, 1))
            .inputs(&[
                single("X", of("Q")),
                single("scale_X", of("S")),
                single("scale", of("F")),
                optional("B", of("F")),
                single("scale_Y", of("S")),
            ])
            .outputs(&[single("Y", of("Q"))])
            .attributes(&[
                int("axis", -1),
                float("epsilon", 1e-05),
                int("order_X", 1),
                int("order_Y", 1),
            ])
            .constraints(&[
                constraint("F", DISENTANGLED_ATTENTION_TRT_1_T),
                constraint("S", TENSOR_FLOAT),
                constraint("Q", TENSOR_INT8),
            ]),
    ];

pub(super) static Q_ORDERED_LONGFORMER_ATTENTION: [OperatorSchema; 1] = [schema(
    "com.microsoft",
    "QOrderedLongformerAttention",
    1,
    (14, 14),
    (1, 1),
)
.inputs(&[
    single("input", of("Q")),
    single("scale_input", of("S")),
    single("weight", of("Q")),
    single("scale_weight", of("S")),
    single("bias", of("S")),
    single("scale_bias", of("S")),
    single("scale_qkv_gemm", of("S")),
    single("mask", of("F")),
    single("global_weight", of("Q")),
    single("scale_global_weight", of("S")),
    single("global_bias", of("S")),
    single("scale_global_gemm", of("S")),
    single("global", of("G")),
    single("scale_output", of("S")),
])
.outputs(&[single("output", of("Q"))])
.attributes(&[
    required("num_heads", Int),
    required("order_global_weight", Int),
    required("order_input", Int),
    required("order_output", Int),
    required("order_weight", Int),
    required("window", Int),
])
.constraints(&[
    constraint("Q", TENSOR_INT8),
    constraint("S", TENSOR_FLOAT),
    constraint("G", TENSOR_INT32),
    constraint("F", TENSOR_FLOAT16),
])];

pub(super) static Q_ORDERED_MAT_MUL: [OperatorSchema; 1] =
    [schema("com.microsoft", "QOrderedMatMul", 1, (5, 8), (1, 1))
        .inputs(&[
            single("A", of("Q")),
            single("scale_A", of("S")),
            single("B", of("Q")),
            single("scale_B", of("S")),
            single("scale_Y", of("S")),
            optional("bias", of("S")),
            optional("C", of("Q")),
            optional("scale_C", of("S")),
        ])
        .outputs(&[single("Y", of("Q"))])
        .attributes(&[
            required("order_A", Int),
            required("order_B", Int),
            required("order_Y", Int),
        ])
        .constraints(&[constraint("Q", TENSOR_INT8), constraint("S", TENSOR_FLOAT)])];

pub(super) static QUANTIZE_BFP: [OperatorSchema; 1] =
    [schema("com.microsoft", "QuantizeBFP", 1, (1, 1), (3, 3))
        .inputs(&[single("x", of("T1"))])
        .outputs(&[
            single("y", of("T2")),
            single("shape", of("T3")),
            single("strides", of("T3")),
        ])
        .attributes(&[required("bfp_type", Int), int("block_dim", -1)])
        .constraints(&[
            constraint("T1", ATTENTION_1_T),
            constraint("T2", TENSOR_UINT8),
            constraint("T3", TENSOR_INT64),
        ])];

pub(super) static QUANTIZE_LINEAR: [OperatorSchema; 1] =
    [schema("com.microsoft", "QuantizeLinear", 1, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("y_scale", of("T1")),
            optional("y_zero_point", of("T2")),
        ])
        .outputs(&[single("y", of("T2"))])
        .attributes(&[unset("axis", Int)])
        .constraints(&[
            constraint("T1", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("T2", QUANTIZE_LINEAR_1_T2),
        ])];

pub(super) static QUANTIZE_WITH_ORDER: [OperatorSchema; 1] =
    [schema("com.microsoft", "QuantizeWithOrder", 1, (2, 2), (1, 1))
        .inputs(&[single("input", of("F")), single("scale_input", of("S"))])
        .outputs(&[single("output", of("Q"))])
        .attributes(&[required("order_input", Int), required("order_output", Int)])
        .constraints(&[
            constraint("Q", TENSOR_INT8),
            constraint("F", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("S", TENSOR_FLOAT),
        ])];

pub(super) static QUICK_GELU: [OperatorSchema; 1] = [schema("com.microsoft", "QuickGelu", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[float("alpha", 1.702)])
    .constraints(&[constraint("T", LAYER_NORMALIZATION_1_T)])];
