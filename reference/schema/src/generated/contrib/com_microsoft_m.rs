//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static M_ROTARY_EMBEDDING: [OperatorSchema; 1] =
    [schema("com.microsoft", "MRotaryEmbedding", 1, (4, 4), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("position_ids", of("M")),
            single("cos_cache", of("T")),
            single("sin_cache", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("interleaved", Int),
            unset("is_packed_batching", Int),
            unset("mrope_layout", Int),
            required("mrope_section", Ints),
            unset("num_heads", Int),
            unset("rotary_embedding_dim", Int),
            unset("scale", Float),
        ])
        .constraints(&[constraint("T", ATTENTION_1_T), constraint("M", TENSOR_INT64)])];

pub(super) static MAMBA2_VERIFY: [OperatorSchema; 1] =
    [schema("com.microsoft", "Mamba2Verify", 1, (10, 10), (3, 5))
        .inputs(&[
            single("projection", of("T")),
            single("conv_state", of("T")),
            single("ssm_state", of("F")),
            single("conv_weight", of("T")),
            single("conv_bias", of("T")),
            single("dt_bias", of("F")),
            single("A_negative", of("F")),
            single("D", of("F")),
            single("norm_weight", of("F")),
            single("state_row", of("I")),
        ])
        .outputs(&[
            single("Y", of("T")),
            single("conv_snapshots", of("T")),
            single("ssm_snapshots", of("F")),
            optional("xbc", of("T")),
            optional("readout", of("F")),
        ])
        .attributes(&[
            int("d_state", 128),
            float("epsilon", 1e-05),
            int("head_dim", 64),
            required("heads", Int),
            required("n_groups", Int),
            float("time_step_min", 0.001),
        ])
        .constraints(&[
            constraint("T", TENSOR_BFLOAT16),
            constraint("F", TENSOR_FLOAT),
            constraint("I", TENSOR_INT32),
        ])];

pub(super) static MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT: [OperatorSchema; 1] = [schema(
    "com.microsoft",
    "MatMulBlockQuantizedFp4Weight",
    1,
    (4, 6),
    (1, 1),
)
.inputs(&[
    single("A", of("T")),
    single("B", of("T1")),
    single("weight_scale", of("T2")),
    single("weight_scale_2", of("T3")),
    optional("input_scale", of("T3")),
    optional("bias", of("T")),
])
.outputs(&[single("Y", of("T"))])
.attributes(&[int("block_size", 16)])
.constraints(&[
    constraint("T", MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT_1_T),
    constraint("T1", TENSOR_UINT8),
    constraint("T2", TENSOR_UINT8),
    constraint("T3", TENSOR_FLOAT),
])];

pub(super) static MAT_MUL_BLOCK_QUANTIZED_FP8_WEIGHT: [OperatorSchema; 1] = [schema(
    "com.microsoft",
    "MatMulBlockQuantizedFp8Weight",
    1,
    (3, 5),
    (1, 1),
)
.inputs(&[
    single("A", of("T")),
    single("B", of("T1")),
    single("b_scale", of("T2")),
    optional("a_scale", of("T2")),
    optional("bias", of("T")),
])
.outputs(&[single("Y", of("T"))])
.attributes(&[int("block_size", 128)])
.constraints(&[
    constraint("T", MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT_1_T),
    constraint("T1", TENSOR_FLOAT8_E4_M3_FN),
    constraint("T2", TENSOR_FLOAT),
])];

pub(super) static MAT_MUL_BNB4: [OperatorSchema; 1] =
    [schema("com.microsoft", "MatMulBnb4", 1, (3, 3), (1, 1))
        .inputs(&[
            single("A", of("T1")),
            single("B", of("T2")),
            single("absmax", of("T1")),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            required("K", Int),
            required("N", Int),
            required("block_size", Int),
            required("quant_type", Int),
            int("training_mode", 0),
            int("transB", 1),
        ])
        .constraints(&[constraint("T1", ATTENTION_1_T), constraint("T2", TENSOR_UINT8)])];

pub(super) static MAT_MUL_FP_Q4: [OperatorSchema; 1] =
    [schema("com.microsoft", "MatMulFpQ4", 1, (3, 3), (1, 1))
        .inputs(&[
            single("A", of("T1")),
            single("B", of("T2")),
            single("B_shape", of("T3")),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[int("blk_quant_type", 1)])
        .constraints(&[
            constraint("T1", TENSOR_FLOAT),
            constraint("T2", TENSOR_UINT8),
            constraint("T3", TENSOR_INT64),
        ])];

pub(super) static MAT_MUL_INTEGER16: [OperatorSchema; 1] =
    [schema("com.microsoft", "MatMulInteger16", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T1")), single("B", of("T2"))])
        .outputs(&[single("Y", of("T3"))])
        .constraints(&[
            constraint("T1", MAT_MUL_INTEGER16_1_T1),
            constraint("T2", MAT_MUL_INTEGER16_1_T1),
            constraint("T3", MAT_MUL_INTEGER16_1_T3),
        ])];

pub(super) static MAT_MUL_INTEGER_TO_FLOAT: [OperatorSchema; 1] =
    [schema("com.microsoft", "MatMulIntegerToFloat", 1, (4, 7), (1, 1))
        .inputs(&[
            single("A", of("T1")),
            single("B", of("T2")),
            single("a_scale", of("T3")),
            single("b_scale", of("T3")),
            optional("a_zero_point", of("T1")),
            optional("b_zero_point", of("T2")),
            optional("bias", of("T3")),
        ])
        .outputs(&[single("Y", of("T3"))])
        .constraints(&[
            constraint("T1", DYNAMIC_QUANTIZE_LSTM_1_T2),
            constraint("T2", DYNAMIC_QUANTIZE_LSTM_1_T2),
            constraint("T3", DISENTANGLED_ATTENTION_TRT_1_T),
        ])];

pub(super) static MAT_MUL_N_BITS: [OperatorSchema; 1] =
    [schema("com.microsoft", "MatMulNBits", 1, (3, 6), (1, 1))
        .inputs(&[
            single("A", of("T1")),
            single("B", of("T2")),
            single("scales", of("T1")),
            optional("zero_points", of("T3")),
            optional("g_idx", of("T4")),
            optional("bias", of("T1")),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            required("K", Int),
            required("N", Int),
            int("accuracy_level", 0),
            int("bits", 4),
            required("block_size", Int),
            int("weight_prepacked", 0),
        ])
        .constraints(&[
            constraint("T1", ATTENTION_1_T),
            constraint("T2", TENSOR_UINT8),
            constraint("T3", MAT_MUL_N_BITS_1_T3),
            constraint("T4", TENSOR_INT32),
        ])];

pub(super) static MAT_MUL_N_BITS_MLP: [OperatorSchema; 1] =
    [schema("com.microsoft", "MatMulNBitsMlp", 1, (8, 9), (1, 2))
        .inputs(&[
            single("A", of("T1")),
            optional("skip", of("T1")),
            optional("norm_scale", of("T1")),
            single("gate_B", of("T2")),
            single("gate_scales", of("T1")),
            optional("gate_bias", of("T1")),
            single("up_B", of("T2")),
            single("up_scales", of("T1")),
            optional("up_bias", of("T1")),
        ])
        .outputs(&[single("Y", of("T1")), optional("input_skip_bias_sum", of("T1"))])
        .attributes(&[
            required("K", Int),
            required("N", Int),
            int("accuracy_level", 0),
            required("activation", String),
            int("bits", 4),
            required("block_size", Int),
            float("epsilon", 1e-05),
        ])
        .constraints(&[constraint("T1", ATTENTION_1_T), constraint("T2", TENSOR_UINT8)])];

pub(super) static MAT_MUL_N_BITS_Q_LO_RA: [OperatorSchema; 1] =
    [schema("com.microsoft", "MatMulNBitsQLoRA", 1, (7, 7), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("W", of("TQ")),
            single("scales", of("T")),
            single("lora_A", of("TQ")),
            single("lora_A_scales", of("T")),
            single("lora_B", of("TQ")),
            single("lora_B_scales", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            required("K", Int),
            required("N", Int),
            int("accuracy_level", 0),
            int("bits", 4),
            int("block_size", 32),
            int("lora_bits", 8),
            int("lora_block_size", 32),
        ])
        .constraints(&[
            constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("TQ", TENSOR_UINT8),
        ])];

pub(super) static MAT_MUL_N_BITS_QKV: [OperatorSchema; 1] =
    [schema("com.microsoft", "MatMulNBitsQkv", 1, (11, 12), (3, 4))
        .inputs(&[
            single("A", of("T1")),
            optional("skip", of("T1")),
            single("norm_scale", of("T1")),
            single("q_B", of("T2")),
            single("q_scales", of("T1")),
            optional("q_bias", of("T1")),
            single("k_B", of("T2")),
            single("k_scales", of("T1")),
            optional("k_bias", of("T1")),
            single("v_B", of("T2")),
            single("v_scales", of("T1")),
            optional("v_bias", of("T1")),
        ])
        .outputs(&[
            single("Q", of("T1")),
            single("K", of("T1")),
            single("V", of("T1")),
            optional("input_skip_bias_sum", of("T1")),
        ])
        .attributes(&[
            required("K", Int),
            required("Nkv", Int),
            required("Nq", Int),
            int("accuracy_level", 0),
            int("bits", 4),
            required("block_size", Int),
            float("epsilon", 1e-06),
        ])
        .constraints(&[constraint("T1", ATTENTION_1_T), constraint("T2", TENSOR_UINT8)])];

pub(super) static MAT_MUL_PACKED: [OperatorSchema; 1] =
    [schema("com.microsoft", "MatMulPacked", 1, (2, 3), (1, 1))
        .inputs(&[
            single("A", of("T1")),
            single("B", of("T2")),
            optional("global_scale", of("Tscale")),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            required("K", Int),
            required("N", Int),
            string("activation_type", "none"),
            required("packed_type", Int),
        ])
        .constraints(&[
            constraint("T1", MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT_1_T),
            constraint("T2", TENSOR_UINT8),
            constraint("Tscale", TENSOR_FLOAT),
        ])];

pub(super) static MAXPOOL_WITH_MASK: [OperatorSchema; 1] =
    [schema("com.microsoft", "MaxpoolWithMask", 1, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("M", is(TENSOR_INT32))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            unset("kernel_shape", Ints),
            unset("pads", Ints),
            int("storage_order", 0),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", TENSOR_FLOAT)])];

pub(super) static MO_E: [OperatorSchema; 1] = [schema("com.microsoft", "MoE", 1, (5, 8), (1, 1))
    .inputs(&[
        single("input", of("T")),
        single("router_probs", of("T")),
        single("fc1_experts_weights", of("T")),
        optional("fc1_experts_bias", of("T")),
        single("fc2_experts_weights", of("T")),
        optional("fc2_experts_bias", of("T")),
        optional("fc3_experts_weights", of("T")),
        optional("fc3_experts_bias", of("T")),
    ])
    .outputs(&[single("output", of("T"))])
    .attributes(&[
        float("activation_alpha", 1.0),
        float("activation_beta", 0.0),
        string("activation_type", "relu"),
        int("k", 1),
        int("normalize_routing_weights", 0),
        int("swiglu_fusion", 0),
        unset("swiglu_limit", Float),
        int("swiglu_limit_after_activation", 0),
        int("use_sparse_mixer", 0),
    ])
    .constraints(&[constraint("T", ATTENTION_1_T)])];

pub(super) static MO_E_GROUP_ROUTER: [OperatorSchema; 1] =
    [schema("com.microsoft", "MoEGroupRouter", 1, (2, 3), (0, 3))
        .inputs(&[
            single("logits", of("T")),
            single("expert_bias", of("TF")),
            optional("projection_weight", of("T")),
        ])
        .outputs(&[
            optional("router_probs", of("T")),
            optional("selection_scores", of("TF")),
            optional("router_weights", of("TF")),
        ])
        .attributes(&[
            int("group_topk", 2),
            int("n_group", 1),
            float("router_sentinel", -10000.0),
            required("top_k", Int),
            int("topk_group", 1),
        ])
        .constraints(&[constraint("T", ATTENTION_1_T), constraint("TF", TENSOR_FLOAT)])];

pub(super) static MO_E_PACKED: [OperatorSchema; 1] =
    [schema("com.microsoft", "MoEPacked", 1, (5, 6), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("router_probs", of("TR")),
            single("gate_experts_weights", of("T2")),
            optional("up_experts_weights", of("T2")),
            single("down_experts_weights", of("T2")),
            optional("router_weights", of("TR")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            string("activation_type", "swiglu"),
            required("down_type", Int),
            required("gate_type", Int),
            int("k", 1),
            int("normalize_routing_weights", 1),
            float("routed_scaling_factor", 1.0),
            float("routing_epsilon", 0.0),
            int("up_type", -1),
        ])
        .constraints(&[
            constraint("T", MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT_1_T),
            constraint("T2", TENSOR_UINT8),
            constraint("TR", ATTENTION_1_T),
        ])];

pub(super) static MUL_INTEGER: [OperatorSchema; 1] =
    [schema("com.microsoft", "MulInteger", 1, (3, 4), (1, 1))
        .inputs(&[
            single("A", of("T")),
            optional("A_zero_point", of("T")),
            single("B", of("T")),
            optional("B_zero_point", of("T")),
        ])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[
            constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2),
            constraint("T1", TENSOR_INT32),
        ])];

pub(super) static MULTI_HEAD_ATTENTION: [OperatorSchema; 1] =
    [schema("com.microsoft", "MultiHeadAttention", 1, (1, 10), (1, 4))
        .inputs(&[
            single("query", of("T")),
            optional("key", of("T")),
            optional("value", of("T")),
            optional("bias", of("T")),
            optional("key_padding_mask", of("M")),
            optional("attention_bias", of("T")),
            optional("past_key", of("T")),
            optional("past_value", of("T")),
            optional("past_sequence_length", of("M")),
            optional("cache_indirection", of("M")),
        ])
        .outputs(&[
            single("output", of("T")),
            optional("present_key", of("T")),
            optional("present_value", of("T")),
            optional("qk", of("QK")),
        ])
        .attributes(&[
            unset("mask_filter_value", Float),
            required("num_heads", Int),
            unset("scale", Float),
            int("unidirectional", 0),
        ])
        .constraints(&[
            constraint("T", ATTENTION_1_T),
            constraint("QK", ATTENTION_1_T),
            constraint("M", TENSOR_INT32),
        ])];

pub(super) static MURMUR_HASH3: [OperatorSchema; 1] =
    [schema("com.microsoft", "MurmurHash3", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .attributes(&[int("positive", 1), int("seed", 0)])
        .constraints(&[
            constraint("T1", MURMUR_HASH3_1_T1),
            constraint("T2", MAT_MUL_INTEGER16_1_T3),
        ])];
