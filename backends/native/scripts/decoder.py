"""Writes a Llama-like stack of decoder layers for one token, with weights of f32, of four bits in blocks of
32 rows, and of eight bits for each column: `python decoder.py FOLDER`. The three models compute from the same
weights up to their quantization. A fourth, `open`, has weights of f32 and a cache of any length. Needs onnx
1.19 or later and numpy."""

import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, SIZE, HIDDEN, HEADS, GROUPS, PAST, BLOCK = 8, 1024, 2816, 16, 4, 128, 32
HEAD = SIZE // HEADS


class Builder:
    """Collects the nodes and initializers of one model."""

    def __init__(self, bits):
        self.bits, self.nodes, self.constants = bits, [], []
        self.random = np.random.default_rng(7)

    def node(self, operator, inputs, output, **attributes):
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(operator, inputs, outputs, name=outputs[0], **attributes))
        return outputs[0]

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def product(self, x, name, rows, columns):
        """Multiplies by a random matrix."""
        weights = self.random.standard_normal((rows, columns), np.float32) / np.float32(rows**0.5)
        if self.bits == 32:
            restored = self.constant(f"{name}.w", weights)
        elif self.bits == 8:
            scale = np.abs(weights).max(axis=0) / np.float32(127)
            codes = np.rint(weights / scale).astype(np.int8)
            inputs = [self.constant(f"{name}.codes", codes), self.constant(f"{name}.scale", scale)]
            restored = self.node("DequantizeLinear", inputs, f"{name}.w", axis=1)
        else:
            blocks = weights.reshape(-1, BLOCK, columns)
            scale = np.abs(blocks).max(axis=1) / np.float32(7)
            codes = np.rint(blocks / scale[:, None]).reshape(rows, columns).astype(ml_dtypes.int4)
            inputs = [self.constant(f"{name}.codes", codes), self.constant(f"{name}.scale", scale)]
            restored = self.node("DequantizeLinear", inputs, f"{name}.w", axis=0, block_size=BLOCK)
        return self.node("MatMul", [x, restored], name)

    def norm(self, x, name):
        scale = self.constant(f"{name}.scale", np.ones(SIZE, np.float32))
        return self.node("RMSNormalization", [x, scale], name)

    def layer(self, x, name):
        n = self.norm(x, f"{name}.norm1")
        q = self.product(n, f"{name}.q", SIZE, SIZE)
        k = self.product(n, f"{name}.k", SIZE, GROUPS * HEAD)
        v = self.product(n, f"{name}.v", SIZE, GROUPS * HEAD)
        cached = [f"{name}.past_key", f"{name}.past_value"]
        outputs = [f"{name}.attention", f"{name}.present_key", f"{name}.present_value"]
        heads = {"q_num_heads": HEADS, "kv_num_heads": GROUPS}
        a = self.node("Attention", [q, k, v, "", *cached], outputs, **heads)
        o = self.product(a, f"{name}.o", SIZE, SIZE)
        x = self.node("Add", [x, o], f"{name}.sum1")
        n = self.norm(x, f"{name}.norm2")
        gate = self.product(n, f"{name}.gate", SIZE, HIDDEN)
        up = self.product(n, f"{name}.up", SIZE, HIDDEN)
        s = self.node("Sigmoid", [gate], f"{name}.sigmoid")
        s = self.node("Mul", [gate, s], f"{name}.silu")
        s = self.node("Mul", [s, up], f"{name}.gated")
        return self.node("Add", [x, self.product(s, f"{name}.down", HIDDEN, SIZE)], f"{name}.sum2")


def model(bits, past, present):
    builder = Builder(bits)
    info = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    inputs, outputs, x = [info("x", [1, 1, SIZE])], [], "x"
    for at in range(LAYERS):
        name = f"layer{at}"
        x = builder.layer(x, name)
        for part in ["key", "value"]:
            inputs.append(info(f"{name}.past_{part}", [1, GROUPS, past, HEAD]))
            outputs.append(info(f"{name}.present_{part}", [1, GROUPS, present, HEAD]))
    outputs.insert(0, info(x, [1, 1, SIZE]))
    graph = helper.make_graph(builder.nodes, "decoder", inputs, outputs, builder.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)


def main():
    folder = Path(sys.argv[1])
    fixed = (PAST, PAST + 1)
    kinds = [("f32", 32, *fixed), ("int4", 4, *fixed), ("int8", 8, *fixed), ("open", 32, "past", "present")]
    for name, *kind in kinds:
        target = folder / name
        target.mkdir(parents=True, exist_ok=True)
        onnx.save(model(*kind), target / "model.onnx")


main()
