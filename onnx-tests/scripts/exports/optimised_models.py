"""Optimised models: what the optimizers of ONNX Runtime make of exports of PyTorch.

`fused` models come from onnxruntime.transformers.optimizer, which knows networks by their kind and writes operators
of `com.microsoft` for parts of them. `extended` models are the graphs that a session of ONNX Runtime runs at that
level. The expected outputs are those of the model before: an optimizer must not change them.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from case import Export, Subject
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions
from quantised_models import KINDS, SOURCES, quantise
from torch_diffusion import export as export_diffusion
from torch_export import legacy
from torch_text import export as export_text

# What `optimizer` imports, by the name that it has there.
import convert_to_packing_mode
import fusion_attention_unet


class Scalar(int):
    """An `int` of an array of one element: the fusion of U-Nets asks for it, and NumPy 2.4 refuses it."""

    def __new__(cls, value):
        return super().__new__(cls, np.asarray(value).item())


fusion_attention_unet.int = Scalar

# Network of `torch_text` → opset, kind for the optimizer.
TEXTS = {
    "bert": (14, "bert"),
    "bert-classifier": (17, "bert"),
    "distilbert": (17, "bert"),
    "roberta": (17, "bert"),
    "electra": (15, "bert"),
    "albert": (14, "bert"),
    "mpnet": (14, "bert"),
    "deberta": (17, "bert"),
    "gpt2": (17, "gpt2"),
    "gpt2-past": (17, "gpt2"),
    "bloom": (14, "gpt2"),
    "llama": (17, "gpt2"),
    "qwen3": (17, "qwen3"),
    "t5-encoder": (17, "t5"),
    "t5": (17, "t5"),
    "bart": (14, "bart"),
    "whisper-encoder": (17, "bart"),
    "whisper-decoder": (17, "bart"),
    "clip-vision": (17, "clip"),
    "clip-text": (17, "clip"),
    "vit": (11, "vit"),
    "dinov2": (17, "vit"),
    "wav2vec2": (14, "conformer"),
}


def text(name: str, **values) -> partial:
    opset, kind = TEXTS[name]
    return partial(fuse, partial(export_text, name, legacy, opset), kind, **values)


def diffusion(name: str, kind: str, **values) -> partial:
    return partial(fuse, partial(export_diffusion, name, 17), kind, **values)


def fuse(export: Callable[[], Export], kind: str, change: Callable | None = None, **values) -> Export:
    """The export with parts of it fused by the optimizer, with these of its options; `change` goes on from there."""
    source = export()
    options = FusionOptions(kind)
    for name, value in values.items():
        if not hasattr(options, name):
            raise ValueError(f"the optimizer has no option {name}")
        setattr(options, name, value)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "plain.onnx"))
        onnx.save(source.model, path)
        level = 0 if kind in ("unet", "vae") else 1
        fused = optimizer.optimize_model(path, kind, 2, 16, options, opt_level=level)
        if change:
            change(fused)
        fused.save_model_to_file(path)
        model = onnx.load(path)
    # A fusion drops an input that it ignores.
    kept = {info.name for info in model.graph.input}
    inputs = {name: value for name, value in source.inputs.items() if name in kept}
    return Export(model, inputs, source.outputs)


def pack(fused) -> None:
    """Leaves out the padding between the tokens of a batch."""
    convert_to_packing_mode.PackingMode(fused).convert()


def halves(fused) -> None:
    fused.convert_float_to_float16(keep_io_types=True)


FUSED = {
    **{name: text(name) for name in TEXTS},
    "bert-approximate": text("bert", enable_gelu_approximation=True),
    "bert-heads": text("bert", use_multi_head_attention=True),
    "bert-packed": text("bert", change=pack),
    "bert-float16": text("bert", change=halves),
    "gpt2-float16": text("gpt2", change=halves),
    "unet": diffusion("unet", "unet"),
    "unet-planes": diffusion("unet", "unet", enable_nhwc_conv=False),
    "unet-separate": diffusion("unet", "unet", enable_packed_qkv=False, enable_packed_kv=False),
    "vae-decoder": diffusion("vae-decoder", "vae"),
}
# Fused networks and their conversions by `quantised_models`.
QUANTISED = {
    "bert": ["dynamic", "dynamic-signed"],
    "gpt2": ["dynamic"],
    "whisper-encoder": ["dynamic"],
    "clip-vision": ["dynamic"],
}
# Networks of `quantised_models` and their conversions by it; None leaves the network as it is.
EXTENDED = {
    "resnet18": [None, "qdq", "qdq-signed", "operators", "dynamic"],
    "mobilenet-v2": [None, "qdq-channels", "operators"],
    "unet": [None, "qdq", "operators"],
    "tcn": [None, "operators"],
    "tagger-lstm": ["dynamic"],
    "bert": [None, "qdq", "dynamic", "dynamic-signed"],
    "gpt2": [None, "dynamic", "int4-blocks"],
    "llama": [None, "int4-blocks"],
}


def extend(export: Callable[[], Export]) -> Export:
    """The graph that ONNX Runtime makes of an export when it loads it."""
    source = export()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder, "optimised.onnx"))
        onnxruntime.InferenceSession(source.model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        model = onnx.load(options.optimized_model_filepath)
    return Export(model, source.inputs, source.outputs)


def subjects() -> list[Subject]:
    found = []
    for name, call in FUSED.items():
        tolerance = (1e-2, 1e-2) if "float16" in name or "approximate" in name else (1e-3, 1e-4)
        found.append(Subject("optimised", f"{name}-fused", call, tolerance))
    for name, kinds in QUANTISED.items():
        for kind in kinds:
            call = partial(quantise, FUSED[name], KINDS[kind])
            found.append(Subject("optimised", f"{name}-fused-{kind}", call, (1e-2, 1e-2)))
    for name, kinds in EXTENDED.items():
        for kind in kinds:
            export = partial(quantise, SOURCES[name], KINDS[kind]) if kind else SOURCES[name]
            subject = "-".join(part for part in (name, kind, "extended") if part)
            found.append(Subject("optimised", subject, partial(extend, export), (1e-2, 1e-2) if kind else (1e-3, 1e-4)))
    return found
