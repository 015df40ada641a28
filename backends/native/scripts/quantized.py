"""Exports networks with seeded weights and quantizes them: `quantized.py FOLDER`.

Needs torch, torchvision, onnx and onnxruntime. Convolutional networks are quantized statically, in QDQ form,
with one scale for each channel of weights and a calibration on random images. A transformer layer is
quantized dynamically (DynamicQuantizeLinear and MatMulInteger). Each network becomes
`FOLDER/NAME/model.onnx`.
"""

import pathlib
import sys

import numpy as np
import torch
import torchvision
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process

NETWORKS = {
    "mobilenet-v2": ("mobilenet_v2", quantization.QuantType.QUInt8),
    "mobilenet-v2-signed": ("mobilenet_v2", quantization.QuantType.QInt8),
    "resnet-50": ("resnet50", quantization.QuantType.QUInt8),
    "googlenet": ("googlenet", quantization.QuantType.QUInt8),
    "squeezenet": ("squeezenet1_1", quantization.QuantType.QUInt8),
}


class RandomImages(quantization.CalibrationDataReader):
    """Images of the standard normal distribution."""

    def __init__(self, count):
        numbers = np.random.default_rng(0)
        images = (numbers.standard_normal((1, 3, 224, 224), dtype=np.float32) for _ in range(count))
        self.images = iter([{"x": image} for image in images])

    def get_next(self):
        return next(self.images, None)


def export(module, example, path):
    """Writes a module as ONNX of opset 17, by tracing."""
    torch.onnx.export(
        module.eval(), example, str(path), opset_version=17, dynamo=False, input_names=["x"], output_names=["y"]
    )


def convolutional(folder, kind, activations):
    """Writes a convolutional network of torchvision, quantized statically."""
    torch.manual_seed(0)
    options = {"init_weights": False, "aux_logits": False} if kind == "googlenet" else {}
    module = getattr(torchvision.models, kind)(weights=None, **options)
    export(module, torch.zeros(1, 3, 224, 224), folder / "f32.onnx")
    quant_pre_process(str(folder / "f32.onnx"), str(folder / "prepared.onnx"), skip_symbolic_shape=True)
    quantization.quantize_static(
        str(folder / "prepared.onnx"),
        str(folder / "model.onnx"),
        RandomImages(4),
        quant_format=quantization.QuantFormat.QDQ,
        per_channel=True,
        activation_type=activations,
        weight_type=quantization.QuantType.QInt8,
    )
    (folder / "prepared.onnx").unlink()
    (folder / "f32.onnx").unlink()


def transformer(folder):
    """Writes four layers of an encoder of 256 elements, quantized dynamically."""
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(256, 8, 1024, batch_first=True)
    module = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    torch.backends.mha.set_fastpath_enabled(False)
    export(module, torch.zeros(1, 128, 256), folder / "f32.onnx")
    quantization.quantize_dynamic(
        str(folder / "f32.onnx"),
        str(folder / "model.onnx"),
        per_channel=True,
        weight_type=quantization.QuantType.QInt8,
    )
    (folder / "f32.onnx").unlink()


def main():
    root = pathlib.Path(sys.argv[1])
    for name, (kind, activations) in NETWORKS.items():
        (root / name).mkdir(parents=True, exist_ok=True)
        convolutional(root / name, kind, activations)
    (root / "transformer-dynamic").mkdir(parents=True, exist_ok=True)
    transformer(root / "transformer-dynamic")


if __name__ == "__main__":
    main()
