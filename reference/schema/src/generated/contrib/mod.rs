//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The operators, sorted by domain and name (by bytes).

use crate::literal::operator;
use crate::rows::Operator;

mod ai_onnx;
mod com_microsoft_a;
mod com_microsoft_b;
mod com_microsoft_c;
mod com_microsoft_d;
mod com_microsoft_e;
mod com_microsoft_f;
mod com_microsoft_g;
mod com_microsoft_h;
mod com_microsoft_i;
mod com_microsoft_l;
mod com_microsoft_m;
mod com_microsoft_n;
mod com_microsoft_p;
mod com_microsoft_q;
mod com_microsoft_r;
mod com_microsoft_s;
mod com_microsoft_t;
mod com_microsoft_u;
mod com_microsoft_v;
mod com_microsoft_w;
#[rustfmt::skip]
mod types;

/// The release of ONNX Runtime whose schemas these are.
pub(crate) static RELEASE: &str = "1.32.0";

pub(crate) static OPERATORS: [Operator; 156] = [
    operator(
        "",
        "DisentangledAttention_TRT",
        &ai_onnx::DISENTANGLED_ATTENTION_TRT,
    ),
    operator("", "EfficientNMS_TRT", &ai_onnx::EFFICIENT_NMS_TRT),
    operator("", "LayerNormalization", &ai_onnx::LAYER_NORMALIZATION),
    operator(
        "",
        "MultilevelCropAndResize_TRT",
        &ai_onnx::MULTILEVEL_CROP_AND_RESIZE_TRT,
    ),
    operator("", "PyramidROIAlign_TRT", &ai_onnx::PYRAMID_ROI_ALIGN_TRT),
    operator(
        "",
        "SimplifiedLayerNormalization",
        &ai_onnx::SIMPLIFIED_LAYER_NORMALIZATION,
    ),
    operator("com.microsoft", "Attention", &com_microsoft_a::ATTENTION),
    operator("com.microsoft", "AttnLSTM", &com_microsoft_a::ATTN_LSTM),
    operator("com.microsoft", "BeamSearch", &com_microsoft_b::BEAM_SEARCH),
    operator("com.microsoft", "BiasAdd", &com_microsoft_b::BIAS_ADD),
    operator("com.microsoft", "BiasDropout", &com_microsoft_b::BIAS_DROPOUT),
    operator("com.microsoft", "BiasGelu", &com_microsoft_b::BIAS_GELU),
    operator("com.microsoft", "BiasSoftmax", &com_microsoft_b::BIAS_SOFTMAX),
    operator(
        "com.microsoft",
        "BiasSplitGelu",
        &com_microsoft_b::BIAS_SPLIT_GELU,
    ),
    operator(
        "com.microsoft",
        "BifurcationDetector",
        &com_microsoft_b::BIFURCATION_DETECTOR,
    ),
    operator(
        "com.microsoft",
        "BitmaskBiasDropout",
        &com_microsoft_b::BITMASK_BIAS_DROPOUT,
    ),
    operator(
        "com.microsoft",
        "BitmaskDropout",
        &com_microsoft_b::BITMASK_DROPOUT,
    ),
    operator(
        "com.microsoft",
        "BranchwiseRMSNorm",
        &com_microsoft_b::BRANCHWISE_RMS_NORM,
    ),
    operator("com.microsoft", "CDist", &com_microsoft_c::C_DIST),
    operator(
        "com.microsoft",
        "CausalConvWithState",
        &com_microsoft_c::CAUSAL_CONV_WITH_STATE,
    ),
    operator("com.microsoft", "ComplexMul", &com_microsoft_c::COMPLEX_MUL),
    operator(
        "com.microsoft",
        "ComplexMulConj",
        &com_microsoft_c::COMPLEX_MUL_CONJ,
    ),
    operator(
        "com.microsoft",
        "ConvStateReplay",
        &com_microsoft_c::CONV_STATE_REPLAY,
    ),
    operator(
        "com.microsoft",
        "ConvTransposeWithDynamicPads",
        &com_microsoft_c::CONV_TRANSPOSE_WITH_DYNAMIC_PADS,
    ),
    operator(
        "com.microsoft",
        "CropAndResize",
        &com_microsoft_c::CROP_AND_RESIZE,
    ),
    operator(
        "com.microsoft",
        "DecoderAttention",
        &com_microsoft_d::DECODER_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "DecoderMaskedMultiHeadAttention",
        &com_microsoft_d::DECODER_MASKED_MULTI_HEAD_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "DecoderMaskedSelfAttention",
        &com_microsoft_d::DECODER_MASKED_SELF_ATTENTION,
    ),
    operator("com.microsoft", "DequantizeBFP", &com_microsoft_d::DEQUANTIZE_BFP),
    operator(
        "com.microsoft",
        "DequantizeLinear",
        &com_microsoft_d::DEQUANTIZE_LINEAR,
    ),
    operator(
        "com.microsoft",
        "DequantizeWithOrder",
        &com_microsoft_d::DEQUANTIZE_WITH_ORDER,
    ),
    operator(
        "com.microsoft",
        "DynamicQuantizeLSTM",
        &com_microsoft_d::DYNAMIC_QUANTIZE_LSTM,
    ),
    operator(
        "com.microsoft",
        "DynamicQuantizeMatMul",
        &com_microsoft_d::DYNAMIC_QUANTIZE_MAT_MUL,
    ),
    operator(
        "com.microsoft",
        "DynamicSparseAttention",
        &com_microsoft_d::DYNAMIC_SPARSE_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "DynamicTimeWarping",
        &com_microsoft_d::DYNAMIC_TIME_WARPING,
    ),
    operator("com.microsoft", "EPContext", &com_microsoft_e::EP_CONTEXT),
    operator(
        "com.microsoft",
        "EmbedLayerNormalization",
        &com_microsoft_e::EMBED_LAYER_NORMALIZATION,
    ),
    operator("com.microsoft", "EngramGate", &com_microsoft_e::ENGRAM_GATE),
    operator("com.microsoft", "ExpandDims", &com_microsoft_e::EXPAND_DIMS),
    operator("com.microsoft", "FastGelu", &com_microsoft_f::FAST_GELU),
    operator("com.microsoft", "FusedConv", &com_microsoft_f::FUSED_CONV),
    operator("com.microsoft", "FusedGemm", &com_microsoft_f::FUSED_GEMM),
    operator("com.microsoft", "FusedMatMul", &com_microsoft_f::FUSED_MAT_MUL),
    operator(
        "com.microsoft",
        "FusedMatMulActivation",
        &com_microsoft_f::FUSED_MAT_MUL_ACTIVATION,
    ),
    operator("com.microsoft", "GatedAdd", &com_microsoft_g::GATED_ADD),
    operator(
        "com.microsoft",
        "GatedDeltaNet",
        &com_microsoft_g::GATED_DELTA_NET,
    ),
    operator(
        "com.microsoft",
        "GatedDeltaNetStateReplay",
        &com_microsoft_g::GATED_DELTA_NET_STATE_REPLAY,
    ),
    operator("com.microsoft", "GatedRMSNorm", &com_microsoft_g::GATED_RMS_NORM),
    operator(
        "com.microsoft",
        "GatedRelativePositionBias",
        &com_microsoft_g::GATED_RELATIVE_POSITION_BIAS,
    ),
    operator(
        "com.microsoft",
        "GatherBlockQuantized",
        &com_microsoft_g::GATHER_BLOCK_QUANTIZED,
    ),
    operator("com.microsoft", "GatherND", &com_microsoft_g::GATHER_ND),
    operator("com.microsoft", "GatherPacked", &com_microsoft_g::GATHER_PACKED),
    operator("com.microsoft", "Gelu", &com_microsoft_g::GELU),
    operator("com.microsoft", "GemmFastGelu", &com_microsoft_g::GEMM_FAST_GELU),
    operator("com.microsoft", "GemmFloat8", &com_microsoft_g::GEMM_FLOAT8),
    operator(
        "com.microsoft",
        "GemmaRotaryEmbedding",
        &com_microsoft_g::GEMMA_ROTARY_EMBEDDING,
    ),
    operator("com.microsoft", "GreedySearch", &com_microsoft_g::GREEDY_SEARCH),
    operator("com.microsoft", "GridSample", &com_microsoft_g::GRID_SAMPLE),
    operator("com.microsoft", "GroupNorm", &com_microsoft_g::GROUP_NORM),
    operator(
        "com.microsoft",
        "GroupQueryAttention",
        &com_microsoft_g::GROUP_QUERY_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "HyperConnectionLowRankMix",
        &com_microsoft_h::HYPER_CONNECTION_LOW_RANK_MIX,
    ),
    operator(
        "com.microsoft",
        "HyperConnectionPostMix",
        &com_microsoft_h::HYPER_CONNECTION_POST_MIX,
    ),
    operator(
        "com.microsoft",
        "HyperConnectionPreMix",
        &com_microsoft_h::HYPER_CONNECTION_PRE_MIX,
    ),
    operator("com.microsoft", "Inverse", &com_microsoft_i::INVERSE),
    operator("com.microsoft", "Irfft", &com_microsoft_i::IRFFT),
    operator("com.microsoft", "IsAllFinite", &com_microsoft_i::IS_ALL_FINITE),
    operator(
        "com.microsoft",
        "LinearAttention",
        &com_microsoft_l::LINEAR_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "LinearAttentionGate",
        &com_microsoft_l::LINEAR_ATTENTION_GATE,
    ),
    operator(
        "com.microsoft",
        "LongformerAttention",
        &com_microsoft_l::LONGFORMER_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "MRotaryEmbedding",
        &com_microsoft_m::M_ROTARY_EMBEDDING,
    ),
    operator("com.microsoft", "Mamba2Verify", &com_microsoft_m::MAMBA2_VERIFY),
    operator(
        "com.microsoft",
        "MatMulBlockQuantizedFp4Weight",
        &com_microsoft_m::MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT,
    ),
    operator(
        "com.microsoft",
        "MatMulBlockQuantizedFp8Weight",
        &com_microsoft_m::MAT_MUL_BLOCK_QUANTIZED_FP8_WEIGHT,
    ),
    operator("com.microsoft", "MatMulBnb4", &com_microsoft_m::MAT_MUL_BNB4),
    operator("com.microsoft", "MatMulFpQ4", &com_microsoft_m::MAT_MUL_FP_Q4),
    operator(
        "com.microsoft",
        "MatMulInteger16",
        &com_microsoft_m::MAT_MUL_INTEGER16,
    ),
    operator(
        "com.microsoft",
        "MatMulIntegerToFloat",
        &com_microsoft_m::MAT_MUL_INTEGER_TO_FLOAT,
    ),
    operator("com.microsoft", "MatMulNBits", &com_microsoft_m::MAT_MUL_N_BITS),
    operator(
        "com.microsoft",
        "MatMulNBitsMlp",
        &com_microsoft_m::MAT_MUL_N_BITS_MLP,
    ),
    operator(
        "com.microsoft",
        "MatMulNBitsQLoRA",
        &com_microsoft_m::MAT_MUL_N_BITS_Q_LO_RA,
    ),
    operator(
        "com.microsoft",
        "MatMulNBitsQkv",
        &com_microsoft_m::MAT_MUL_N_BITS_QKV,
    ),
    operator("com.microsoft", "MatMulPacked", &com_microsoft_m::MAT_MUL_PACKED),
    operator(
        "com.microsoft",
        "MaxpoolWithMask",
        &com_microsoft_m::MAXPOOL_WITH_MASK,
    ),
    operator("com.microsoft", "MoE", &com_microsoft_m::MO_E),
    operator(
        "com.microsoft",
        "MoEGroupRouter",
        &com_microsoft_m::MO_E_GROUP_ROUTER,
    ),
    operator("com.microsoft", "MoEPacked", &com_microsoft_m::MO_E_PACKED),
    operator("com.microsoft", "MulInteger", &com_microsoft_m::MUL_INTEGER),
    operator(
        "com.microsoft",
        "MultiHeadAttention",
        &com_microsoft_m::MULTI_HEAD_ATTENTION,
    ),
    operator("com.microsoft", "MurmurHash3", &com_microsoft_m::MURMUR_HASH3),
    operator(
        "com.microsoft",
        "NGramHashMapping",
        &com_microsoft_n::N_GRAM_HASH_MAPPING,
    ),
    operator(
        "com.microsoft",
        "NGramRepeatBlock",
        &com_microsoft_n::N_GRAM_REPEAT_BLOCK,
    ),
    operator("com.microsoft", "NhwcConv", &com_microsoft_n::NHWC_CONV),
    operator(
        "com.microsoft",
        "NhwcFusedConv",
        &com_microsoft_n::NHWC_FUSED_CONV,
    ),
    operator("com.microsoft", "NhwcMaxPool", &com_microsoft_n::NHWC_MAX_POOL),
    operator(
        "com.microsoft",
        "PackedAttention",
        &com_microsoft_p::PACKED_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "PackedMultiHeadAttention",
        &com_microsoft_p::PACKED_MULTI_HEAD_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "PackedSparseAttentionIndexer",
        &com_microsoft_p::PACKED_SPARSE_ATTENTION_INDEXER,
    ),
    operator(
        "com.microsoft",
        "PackedSparseAttentionIndexerMerge",
        &com_microsoft_p::PACKED_SPARSE_ATTENTION_INDEXER_MERGE,
    ),
    operator("com.microsoft", "Pad", &com_microsoft_p::PAD),
    operator(
        "com.microsoft",
        "PagedAttention",
        &com_microsoft_p::PAGED_ATTENTION,
    ),
    operator("com.microsoft", "QAttention", &com_microsoft_q::Q_ATTENTION),
    operator(
        "com.microsoft",
        "QEmbedLayerNormalization",
        &com_microsoft_q::Q_EMBED_LAYER_NORMALIZATION,
    ),
    operator("com.microsoft", "QGemm", &com_microsoft_q::Q_GEMM),
    operator("com.microsoft", "QLinearAdd", &com_microsoft_q::Q_LINEAR_ADD),
    operator(
        "com.microsoft",
        "QLinearAveragePool",
        &com_microsoft_q::Q_LINEAR_AVERAGE_POOL,
    ),
    operator(
        "com.microsoft",
        "QLinearConcat",
        &com_microsoft_q::Q_LINEAR_CONCAT,
    ),
    operator("com.microsoft", "QLinearConv", &com_microsoft_q::Q_LINEAR_CONV),
    operator(
        "com.microsoft",
        "QLinearGlobalAveragePool",
        &com_microsoft_q::Q_LINEAR_GLOBAL_AVERAGE_POOL,
    ),
    operator(
        "com.microsoft",
        "QLinearLeakyRelu",
        &com_microsoft_q::Q_LINEAR_LEAKY_RELU,
    ),
    operator("com.microsoft", "QLinearMul", &com_microsoft_q::Q_LINEAR_MUL),
    operator(
        "com.microsoft",
        "QLinearReduceMean",
        &com_microsoft_q::Q_LINEAR_REDUCE_MEAN,
    ),
    operator(
        "com.microsoft",
        "QLinearSigmoid",
        &com_microsoft_q::Q_LINEAR_SIGMOID,
    ),
    operator(
        "com.microsoft",
        "QLinearSoftmax",
        &com_microsoft_q::Q_LINEAR_SOFTMAX,
    ),
    operator("com.microsoft", "QLinearWhere", &com_microsoft_q::Q_LINEAR_WHERE),
    operator("com.microsoft", "QMoE", &com_microsoft_q::Q_MO_E),
    operator(
        "com.microsoft",
        "QOrderedAttention",
        &com_microsoft_q::Q_ORDERED_ATTENTION,
    ),
    operator("com.microsoft", "QOrderedGelu", &com_microsoft_q::Q_ORDERED_GELU),
    operator(
        "com.microsoft",
        "QOrderedLayerNormalization",
        &com_microsoft_q::Q_ORDERED_LAYER_NORMALIZATION,
    ),
    operator(
        "com.microsoft",
        "QOrderedLongformerAttention",
        &com_microsoft_q::Q_ORDERED_LONGFORMER_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "QOrderedMatMul",
        &com_microsoft_q::Q_ORDERED_MAT_MUL,
    ),
    operator("com.microsoft", "QuantizeBFP", &com_microsoft_q::QUANTIZE_BFP),
    operator(
        "com.microsoft",
        "QuantizeLinear",
        &com_microsoft_q::QUANTIZE_LINEAR,
    ),
    operator(
        "com.microsoft",
        "QuantizeWithOrder",
        &com_microsoft_q::QUANTIZE_WITH_ORDER,
    ),
    operator("com.microsoft", "QuickGelu", &com_microsoft_q::QUICK_GELU),
    operator(
        "com.microsoft",
        "RMSNormRotary",
        &com_microsoft_r::RMS_NORM_ROTARY,
    ),
    operator("com.microsoft", "Range", &com_microsoft_r::RANGE),
    operator(
        "com.microsoft",
        "ReduceSumInteger",
        &com_microsoft_r::REDUCE_SUM_INTEGER,
    ),
    operator(
        "com.microsoft",
        "RelativePositionBias",
        &com_microsoft_r::RELATIVE_POSITION_BIAS,
    ),
    operator("com.microsoft", "RemovePadding", &com_microsoft_r::REMOVE_PADDING),
    operator(
        "com.microsoft",
        "RestorePadding",
        &com_microsoft_r::RESTORE_PADDING,
    ),
    operator("com.microsoft", "Rfft", &com_microsoft_r::RFFT),
    operator(
        "com.microsoft",
        "RotaryEmbedding",
        &com_microsoft_r::ROTARY_EMBEDDING,
    ),
    operator(
        "com.microsoft",
        "RouterGateUpProj",
        &com_microsoft_r::ROUTER_GATE_UP_PROJ,
    ),
    operator("com.microsoft", "SampleOp", &com_microsoft_s::SAMPLE_OP),
    operator("com.microsoft", "Sampling", &com_microsoft_s::SAMPLING),
    operator("com.microsoft", "ScaledSiLU", &com_microsoft_s::SCALED_SI_LU),
    operator(
        "com.microsoft",
        "SkipGroupNorm",
        &com_microsoft_s::SKIP_GROUP_NORM,
    ),
    operator(
        "com.microsoft",
        "SkipLayerNormalization",
        &com_microsoft_s::SKIP_LAYER_NORMALIZATION,
    ),
    operator(
        "com.microsoft",
        "SkipSimplifiedLayerNormalization",
        &com_microsoft_s::SKIP_SIMPLIFIED_LAYER_NORMALIZATION,
    ),
    operator("com.microsoft", "Snpe", &com_microsoft_s::SNPE),
    operator(
        "com.microsoft",
        "SparseAttention",
        &com_microsoft_s::SPARSE_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "SparseAttentionIndexer",
        &com_microsoft_s::SPARSE_ATTENTION_INDEXER,
    ),
    operator(
        "com.microsoft",
        "SparsePagedAttention",
        &com_microsoft_s::SPARSE_PAGED_ATTENTION,
    ),
    operator(
        "com.microsoft",
        "SparseToDenseMatMul",
        &com_microsoft_s::SPARSE_TO_DENSE_MAT_MUL,
    ),
    operator(
        "com.microsoft",
        "SpeculativePrefixCommit",
        &com_microsoft_s::SPECULATIVE_PREFIX_COMMIT,
    ),
    operator("com.microsoft", "SwiGLU", &com_microsoft_s::SWI_GLU),
    operator("com.microsoft", "Tokenizer", &com_microsoft_t::TOKENIZER),
    operator(
        "com.microsoft",
        "TorchEmbedding",
        &com_microsoft_t::TORCH_EMBEDDING,
    ),
    operator(
        "com.microsoft",
        "TransposeMatMul",
        &com_microsoft_t::TRANSPOSE_MAT_MUL,
    ),
    operator("com.microsoft", "Trilu", &com_microsoft_t::TRILU),
    operator("com.microsoft", "UnfoldTensor", &com_microsoft_u::UNFOLD_TENSOR),
    operator("com.microsoft", "Unique", &com_microsoft_u::UNIQUE),
    operator(
        "com.microsoft",
        "VarlenCausalConvWithState",
        &com_microsoft_v::VARLEN_CAUSAL_CONV_WITH_STATE,
    ),
    operator(
        "com.microsoft",
        "VarlenNGramHashMapping",
        &com_microsoft_v::VARLEN_N_GRAM_HASH_MAPPING,
    ),
    operator(
        "com.microsoft",
        "WhisperBeamSearch",
        &com_microsoft_w::WHISPER_BEAM_SEARCH,
    ),
    operator(
        "com.microsoft",
        "WordConvEmbedding",
        &com_microsoft_w::WORD_CONV_EMBEDDING,
    ),
];
