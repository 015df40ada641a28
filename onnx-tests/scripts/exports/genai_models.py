"""Language models by the model builder of onnxruntime-genai, from networks of transformers with random weights.

The builder writes a graph of its own for each family, with operators of `com.microsoft`: GroupQueryAttention with a
cache, MatMulNBits, QMoE, states of convolutions and of linear attention. A `prompt` model gets six tokens and an
empty cache, a `step` model one token and a cache of five. The expected outputs of a `prompt` model are those of
transformers; those of a `step` model are those of ONNX Runtime without optimisation, which runs the builder's graph
as it stands: transformers has no answer for quantised weights.
"""

import contextlib
import io
import logging
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
import transformers as t
from case import Export, Subject
from onnx import helper
from onnxruntime_genai.models import builder
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from torch_export import randomise, seeded

logging.disable(logging.WARNING)
warnings.filterwarnings("ignore")

# No layer has this width: the builder takes the first one that has it for the head of the model.
WORDS = 80
HEAD = 16
# The widths of heads and blocks are the least that the operators take.
TINY = dict(
    hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=96,
    vocab_size=WORDS, max_position_embeddings=64, bos_token_id=1, eos_token_id=2, pad_token_id=0)
EXPERTS = dict(num_experts_per_tok=2)
LINEAR = dict(
    linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=HEAD, linear_value_head_dim=HEAD,
    layer_types=["linear_attention", "full_attention"])
VISION = dict(depth=1, hidden_size=32, num_heads=2, intermediate_size=32, out_hidden_size=64)


# The caches of windows of tokens keep all tokens.
WHOLE = ("windowed_kv_cache=false",)


def causal(model, config, **more):
    return lambda: model(config(**TINY | more))


NETWORKS = {
    "llama": causal(t.LlamaForCausalLM, t.LlamaConfig),
    "mistral": causal(t.MistralForCausalLM, t.MistralConfig, sliding_window=4, head_dim=HEAD),
    "qwen2": causal(t.Qwen2ForCausalLM, t.Qwen2Config),
    "qwen3": causal(t.Qwen3ForCausalLM, t.Qwen3Config, head_dim=HEAD),
    "phi": causal(t.PhiForCausalLM, t.PhiConfig, num_attention_heads=2, num_key_value_heads=2),
    "phi3": causal(t.Phi3ForCausalLM, t.Phi3Config, original_max_position_embeddings=64),
    "gemma": causal(t.GemmaForCausalLM, t.GemmaConfig, head_dim=HEAD),
    "gemma2": causal(t.Gemma2ForCausalLM, t.Gemma2Config, head_dim=HEAD, sliding_window=4, query_pre_attn_scalar=HEAD),
    "granite": causal(t.GraniteForCausalLM, t.GraniteConfig),
    "olmo": causal(t.OlmoForCausalLM, t.OlmoConfig),
    "nemotron": causal(t.NemotronForCausalLM, t.NemotronConfig, num_attention_heads=2),
    "ernie": causal(t.Ernie4_5ForCausalLM, t.Ernie4_5Config, head_dim=HEAD),
    "smollm3": causal(t.SmolLM3ForCausalLM, t.SmolLM3Config),
    "hunyuan": causal(t.HunYuanDenseV1ForCausalLM, t.HunYuanDenseV1Config, head_dim=HEAD),
    "gpt-oss": causal(t.GptOssForCausalLM, t.GptOssConfig, **EXPERTS, num_local_experts=4, head_dim=HEAD,
                      sliding_window=4),
    "lfm2": causal(t.Lfm2ForCausalLM, t.Lfm2Config, layer_types=["conv", "full_attention"]),
    "lfm2-moe": causal(t.Lfm2MoeForCausalLM, t.Lfm2MoeConfig, **EXPERTS, layer_types=["conv", "full_attention"],
                       num_dense_layers=1, num_experts=4, moe_intermediate_size=32),
    "qwen3-5": lambda: t.Qwen3_5ForConditionalGeneration(t.Qwen3_5Config(
        text_config=TINY | LINEAR | dict(head_dim=HEAD), vision_config=VISION)),
}


def with_biases(network):
    """Draws the biases, which start as zeros: the builder leaves those out."""
    for part in network.modules():
        if isinstance(part, torch.nn.Linear) and part.bias is not None:
            torch.nn.init.uniform_(part.bias, -0.3, 0.3)
    return network


def save(network, folder: str) -> None:
    """The network as the builder reads it: weights, configuration, and a tokenizer, which it copies."""
    with contextlib.redirect_stderr(io.StringIO()):
        network.save_pretrained(folder)
    words = Tokenizer(WordLevel({f"w{index}": index for index in range(WORDS)}, unk_token="w0"))
    tokenizer = t.PreTrainedTokenizerFast(tokenizer_object=words, pad_token="w0", bos_token="w1", eos_token="w2")
    tokenizer.save_pretrained(folder)


def build(network, precision: str, options: tuple[str, ...]) -> onnx.ModelProto:
    with tempfile.TemporaryDirectory() as source, tempfile.TemporaryDirectory() as target:
        save(network, source)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            given = builder.parse_extra_options(None, source, target, precision, "cpu", source, [*WHOLE, *options])
            builder.create_model(None, source, target, precision, "cpu", source, **given)
        return onnx.load(Path(target, "model.onnx"))


def head_width(network) -> int:
    config = network.config.get_text_config()
    return getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads


def draw(model: onnx.ModelProto, head: int, past: int, new: int) -> dict[str, np.ndarray]:
    """Inputs for two sequences of `new` tokens after `past` ones."""
    extents = {
        "batch_size": 2, "sequence_length": new, "past_sequence_length": past, "total_sequence_length": past + new,
        "kv_cache_dim": head,
    }
    generator = np.random.default_rng(0)
    found = {}
    for info in model.graph.input:
        kind = info.type.tensor_type
        shape = [extents[dim.dim_param] if dim.dim_param else dim.dim_value for dim in kind.shape.dim]
        if info.name == "input_ids":
            value = generator.integers(3, WORDS, shape)
        elif info.name == "attention_mask":
            value = np.ones(shape)
        elif info.name == "position_ids":
            value = np.broadcast_to(np.arange(past, past + new), shape)
        else:
            # Before a prompt, states of convolutions and of linear attention are zeros.
            value = generator.standard_normal(shape) if past else np.zeros(shape)
        found[info.name] = value.astype(helper.tensor_dtype_to_np_dtype(kind.elem_type))
    return found


def export(name: str, precision: str, past: int, new: int, options: tuple[str, ...] = ()) -> Export:
    seeded(f"genai-{name}")
    network = with_biases(randomise(NETWORKS[name]()))
    model = build(network, precision, options)
    inputs = draw(model, head_width(network), past, new)
    answer = answer_of_runtime if past else answer_of_transformers
    return Export(model, inputs, answer(model, network, inputs))


def answer_of_runtime(model: onnx.ModelProto, network, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def answer_of_transformers(model: onnx.ModelProto, network, inputs: dict[str, np.ndarray]) -> list[torch.Tensor]:
    """The outputs of the network by their names in the graph, after a prompt."""
    is_attention = all(name.endswith((".key", ".value")) for name in inputs if name.startswith("past"))
    cache = t.DynamicCache() if is_attention else None
    with torch.no_grad():
        answer = network(input_ids=torch.from_numpy(inputs["input_ids"]), past_key_values=cache, use_cache=True)
    return [
        answer.logits if info.name == "logits" else state(answer.past_key_values.layers, *info.name.split(".")[1:])
        for info in model.graph.output
    ]


def state(layers: list, layer: str, part: str) -> torch.Tensor:
    """A part of the cache. The builder keeps one column less of the window of a convolution than transformers."""
    found = layers[int(layer)]
    parts = {
        "key": lambda: found.keys,
        "value": lambda: found.values,
        "conv": lambda: found.conv_states[0][..., 1:],
        "recurrent": lambda: found.recurrent_states[0],
    }
    return parts[part]()


PHASES = {"prompt": dict(past=0, new=6), "step": dict(past=5, new=1)}
# What a family does not build or ONNX Runtime does not run on a processor is not in the lock.
ROWS: list[tuple[str, str, Callable]] = [
    *((name, f"{precision}-{phase}", partial(export, name, precision, **PHASES[phase]))
      for name in NETWORKS for precision, phase in (("fp32", "prompt"), ("int4", "step"))),
    *(("llama", kind, partial(export, "llama", "int4", **PHASES["step"], options=options)) for kind, options in (
        ("int4-offset-step", ("is_symmetric=false",)),
        ("int4-float-step", ("accuracy_level=1",)),
        ("int4-pairs-step", ("use_qdq=true",)),
        ("int4-states-step", ("include_hidden_states=true",)),
    )),
    ("llama", "int8-step", partial(export, "llama", "int8", **PHASES["step"])),
    ("lfm2-moe", "int8-step", partial(export, "lfm2-moe", "int8", **PHASES["step"])),
]


def subjects() -> list[Subject]:
    return [Subject("genai", f"{name}-{kind}", call, (1e-2, 1e-2)) for name, kind, call in ROWS]
