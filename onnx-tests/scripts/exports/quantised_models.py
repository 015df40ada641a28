"""Quantised models: what onnxruntime.quantization and the f16 converter make of exports of PyTorch.

The expected outputs are those of ONNX Runtime without optimisation, which ran the quantised graph as it stands: PyTorch
has no answer for it.
"""

import logging
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import onnx
import onnxruntime
from case import Export, Subject
from onnxruntime.quantization import (
    CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static,
)
from onnxruntime.quantization.matmul_nbits_quantizer import (
    DefaultWeightOnlyQuantConfig, HQQWeightOnlyQuantConfig, MatMulNBitsQuantizer,
)
from torch_export import array_inputs, dynamo, legacy
from torch_networks import NETWORKS as WRITTEN
from torch_networks import export as export_written
from torch_text import export as export_text
from torch_vision import export as export_vision

logging.disable(logging.WARNING)

SOURCES = {
    "mobilenet-v2": partial(export_vision, "mobilenet-v2", legacy, 17, False),
    "resnet18": partial(export_vision, "resnet18", legacy, 13, False),
    "unet": partial(export_written, "unet", legacy, 13),
    "tcn": partial(export_written, "tcn", legacy, 15),
    "tagger-lstm": partial(export_written, "tagger-lstm", legacy, 14),
    "bert": partial(export_text, "bert", legacy, 14),
    "gpt2": partial(export_text, "gpt2", legacy, 17),
    "llama": partial(export_text, "llama", dynamo, 23),
}


class Samples(CalibrationDataReader):
    """The case's own inputs, once."""

    def __init__(self, inputs):
        self.samples = iter([inputs])

    def get_next(self):
        return next(self.samples, None)


def static(source, target, inputs, form=QuantFormat.QDQ, weights=QuantType.QInt8, activations=QuantType.QUInt8, channels=False):
    quantize_static(source, target, Samples(inputs), quant_format=form, weight_type=weights, activation_type=activations,
                    per_channel=channels)


def dynamic(source, target, inputs, weights=QuantType.QUInt8):
    # Where shape inference does not know an operator.
    options = {"DefaultTensorType": onnx.TensorProto.FLOAT}
    quantize_dynamic(source, target, weight_type=weights, extra_options=options)


def blocks(source, target, inputs, bits=4, symmetric=True, size=16, form=QuantFormat.QDQ, kinds=("MatMul",)):
    """Weights of MatMul in blocks: DequantizeLinear-21 with `block_size`, or MatMulNBits and GatherBlockQuantized."""
    config = DefaultWeightOnlyQuantConfig(
        block_size=size, is_symmetric=symmetric, quant_format=form, bits=bits, op_types_to_quantize=kinds)
    convert_blocks(source, target, config)


def float_offsets(source, target, inputs):
    """Blocks whose offsets are floats, found by half-quadratic quantisation."""
    convert_blocks(source, target, HQQWeightOnlyQuantConfig(block_size=16))


def convert_blocks(source, target, config):
    quantizer = MatMulNBitsQuantizer(onnx.load(source), algo_config=config)
    quantizer.process()
    onnx.save(quantizer.model.model, target)


def halves(source, target, inputs):
    from onnxruntime.transformers.float16 import convert_float_to_float16

    onnx.save(convert_float_to_float16(onnx.load(source), keep_io_types=True), target)


KINDS = {
    "qdq": static,
    "qdq-channels": partial(static, channels=True),
    "qdq-signed": partial(static, activations=QuantType.QInt8),
    "qdq-16": partial(static, activations=QuantType.QUInt16),
    "qdq-int4": partial(static, weights=QuantType.QInt4),
    "operators": partial(static, form=QuantFormat.QOperator),
    "operators-signed": partial(static, form=QuantFormat.QOperator, activations=QuantType.QInt8),
    "dynamic": dynamic,
    "dynamic-signed": partial(dynamic, weights=QuantType.QInt8),
    "int4-blocks": blocks,
    "int4-blocks-offset": partial(blocks, symmetric=False),
    "int8-blocks": partial(blocks, bits=8),
    "int4-operator": partial(blocks, form=QuantFormat.QOperator),
    "int4-operator-offset": partial(blocks, form=QuantFormat.QOperator, symmetric=False, size=32),
    "int4-operator-gather": partial(blocks, form=QuantFormat.QOperator, kinds=("MatMul", "Gather")),
    "int8-operator": partial(blocks, form=QuantFormat.QOperator, bits=8),
    "int4-hqq": float_offsets,
    "float16": halves,
}
CONVOLUTIONS = ["qdq", "qdq-channels", "qdq-signed", "qdq-16", "operators", "operators-signed", "dynamic", "float16"]
TABLE = {
    "mobilenet-v2": CONVOLUTIONS,
    "resnet18": CONVOLUTIONS,
    "unet": CONVOLUTIONS,
    "tcn": ["qdq", "operators"],
    "tagger-lstm": ["dynamic"],
    "bert": ["qdq", "qdq-int4", "operators", "dynamic", "dynamic-signed", "int4-blocks", "int4-operator",
             "int4-operator-offset", "int8-operator", "int4-hqq", "float16"],
    "gpt2": ["dynamic", "qdq", "int4-blocks", "int8-blocks", "float16", "int4-operator"],
    "llama": ["int4-blocks", "int4-blocks-offset", "int4-operator-gather", "float16"],
}


def quantise(export: Callable[[], Export], convert: Callable) -> Export:
    """The network that `export` gives, converted from file to file by one of `KINDS`."""
    source = export()
    inputs = array_inputs(source)
    with tempfile.TemporaryDirectory() as folder:
        plain, target = Path(folder, "plain.onnx"), Path(folder, "target.onnx")
        onnx.save(source.model, plain)
        convert(str(plain), str(target), inputs)
        model = onnx.load(target)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return Export(model, inputs, session.run(None, inputs))


def subjects() -> list[Subject]:
    return [
        Subject("quantised", f"{name}-{kind}", partial(quantise, SOURCES[name], KINDS[kind]), (1e-2, 1e-2))
        for name, kinds in TABLE.items()
        for kind in kinds
    ]
