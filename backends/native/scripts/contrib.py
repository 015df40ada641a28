"""Writes networks with operators of ONNX Runtime and seeded weights: `contrib.py FOLDER`.

Needs torch, torchvision, transformers, onnx and onnxruntime. An encoder and an image transformer as ONNX
Runtime's optimizer fuses them, the encoder also with dynamic quantization, a residual network in the form
QOperator, dynamically quantized LSTMs, and mixtures of experts. Each network becomes `FOLDER/NAME.onnx`.
"""

import pathlib
import sys
import tempfile

import numpy as np
import onnx
import torch
import torchvision
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process
from onnxruntime.transformers import optimizer
from transformers import BertConfig, BertModel, ViTConfig, ViTModel

from quantized import RandomImages

BYTES = quantization.QuantType.QInt8


def export(module, inputs, path, names):
    """Writes a module as ONNX of opset 17, by tracing."""
    torch.onnx.export(module.eval(), inputs, str(path), opset_version=17, dynamo=False, input_names=names)


class Last(torch.nn.Module):
    """The last hidden state of a transformer."""

    def __init__(self, inner, names):
        super().__init__()
        self.inner, self.names = inner, names

    def forward(self, *inputs):
        return self.inner(**dict(zip(self.names, inputs))).last_hidden_state


def encoder(folder, scratch):
    """Four layers of 384 elements over 128 tokens: fused, and fused and quantized."""
    config = BertConfig(
        hidden_size=384, num_hidden_layers=4, num_attention_heads=12, intermediate_size=1536, vocab_size=2000
    )
    config._attn_implementation = "eager"
    names = ["input_ids", "attention_mask", "token_type_ids"]
    inputs = (torch.randint(0, 2000, (1, 128)), torch.ones(1, 128).long(), torch.zeros(1, 128).long())
    export(Last(BertModel(config), names), inputs, scratch / "bert.onnx", names)
    fused = optimizer.optimize_model(
        str(scratch / "bert.onnx"), "bert", num_heads=12, hidden_size=384, opt_level=0
    )
    fused.save_model_to_file(str(folder / "bert-fused.onnx"))
    quantization.quantize_dynamic(
        str(folder / "bert-fused.onnx"),
        str(folder / "bert-int8.onnx"),
        weight_type=BYTES,
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )


def image_transformer(folder, scratch):
    """Six layers of 192 elements over 197 tokens."""
    config = ViTConfig(hidden_size=192, num_hidden_layers=6, num_attention_heads=3, intermediate_size=768)
    config._attn_implementation = "eager"
    module = Last(ViTModel(config, add_pooling_layer=False), ["pixel_values"])
    export(module, (torch.zeros(1, 3, 224, 224),), scratch / "vit.onnx", ["pixel_values"])
    fused = optimizer.optimize_model(
        str(scratch / "vit.onnx"), "vit", num_heads=3, hidden_size=192, opt_level=0
    )
    fused.save_model_to_file(str(folder / "vit-fused.onnx"))


def residual(folder, scratch):
    """ResNet-18 in the form QOperator."""
    module, image = torchvision.models.resnet18(weights=None), torch.zeros(1, 3, 224, 224)
    export(module, (image,), scratch / "f32.onnx", ["x"])
    quant_pre_process(str(scratch / "f32.onnx"), str(scratch / "prepared.onnx"), skip_symbolic_shape=True)
    quantization.quantize_static(
        str(scratch / "prepared.onnx"),
        str(folder / "resnet18-qoperator.onnx"),
        RandomImages(2),
        quant_format=quantization.QuantFormat.QOperator,
        per_channel=True,
        activation_type=quantization.QuantType.QUInt8,
        weight_type=BYTES,
    )


def recurrent(folder, scratch, name, sizes, layers, both, steps, batch):
    """An LSTM, quantized dynamically."""
    inputs, hidden = sizes
    module = torch.nn.LSTM(inputs, hidden, layers, bidirectional=both)
    export(module, (torch.zeros(steps, batch, inputs),), scratch / "lstm.onnx", ["x"])
    quantization.quantize_dynamic(str(scratch / "lstm.onnx"), str(folder / f"{name}.onnx"), weight_type=BYTES)


def experts(folder, name, tokens, quantized, gated):
    """512 elements and 8 experts, two for each token; quantized weights have 4 bits in blocks of 32."""
    numbers = np.random.default_rng(0)
    width, hidden, count, parts = 512, 1024, 8, 2 if gated else 1
    initializers = [normal(numbers, (width, count), "gate")]
    inputs = ["x", "router"]
    for weights, rows, columns in [("first", parts * hidden, width), ("second", width, hidden)]:
        inputs.append(weights)
        if quantized:
            codes = numbers.integers(0, 256, (count, rows, columns // 2), dtype=np.uint8)
            scales = (numbers.random((count, rows, columns // 32)) * 0.02).astype(np.float32)
            initializers.append(numpy_helper.from_array(codes, weights))
            initializers.append(numpy_helper.from_array(scales, f"{weights} scales"))
            inputs.append(f"{weights} scales")
        else:
            initializers.append(normal(numbers, (count, rows, columns), weights))
        inputs.append("")
    attributes = {"k": 2, "normalize_routing_weights": 1, "activation_type": "swiglu" if gated else "silu"}
    if gated:
        attributes |= {"swiglu_fusion": 1, "swiglu_limit": 7.0}
        attributes |= {"activation_alpha": 1.702, "activation_beta": 1.0}
    if quantized:
        attributes |= {"expert_weight_bits": 4, "block_size": 32}
    operator = "QMoE" if quantized else "MoE"
    nodes = [
        helper.make_node("MatMul", ["x", "gate"], ["router"]),
        helper.make_node(operator, inputs[:-1], ["y"], domain="com.microsoft", **attributes),
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [tokens, width]) for name in "xy")
    graph = helper.make_graph(nodes, name, [x], [y], initializers)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), folder / f"{name}.onnx")


def normal(numbers, shape, name):
    """Weights whose products with a vector of ones have the variance 1."""
    values = numbers.standard_normal(shape) / shape[-1] ** 0.5
    return numpy_helper.from_array(values.astype(np.float32), name)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        encoder(folder, scratch)
        image_transformer(folder, scratch)
        residual(folder, scratch)
        recurrent(folder, scratch, "lstm-64", (40, 64), 1, False, 100, 1)
        recurrent(folder, scratch, "lstm-128-both", (80, 128), 2, True, 50, 1)
        recurrent(folder, scratch, "lstm-256", (256, 256), 2, False, 50, 1)
        recurrent(folder, scratch, "lstm-256-batch", (128, 256), 1, False, 30, 8)
    experts(folder, "experts", 64, False, False)
    experts(folder, "experts-4-bits", 64, True, True)


if __name__ == "__main__":
    main()
