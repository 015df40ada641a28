"""Layers, functions and networks of Paddle through paddle2onnx, with weights from a seed."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import paddle
import paddle.nn.functional as F
import paddle2onnx
from case import Export, Subject
from paddle import nn
from paddle.static import InputSpec

# Each subject has two of these, in turn.
OPSETS = [9, 11, 13, 15, 17, 19]


def n(*shape):
    return lambda draw: draw.standard_normal(shape).astype(np.float32)


def i(*shape, high=5, dtype=np.int64):
    return lambda draw: draw.integers(0, high, shape).astype(dtype)


class Function(nn.Layer):
    """A function as a layer. `to_static` needs each input by name."""

    def __init__(self, call):
        super().__init__()
        self.call = call


class One(Function):
    def forward(self, x):
        return self.call(x)


class Two(Function):
    def forward(self, x, y):
        return self.call(x, y)


class Three(Function):
    def forward(self, x, y, z):
        return self.call(x, y, z)


ARITY = {1: One, 2: Two, 3: Three}


def vision(name, **options):
    return lambda: getattr(paddle.vision.models, name)(num_classes=10, **options)


# Name → (constructor of a layer, inputs).
LAYERS = {
    "conv2d": (lambda: nn.Conv2D(3, 6, 3, stride=2, padding=1), [n(2, 3, 9, 9)]),
    "conv2d-same": (lambda: nn.Conv2D(3, 6, 4, stride=2, padding="SAME"), [n(2, 3, 9, 9)]),
    "conv2d-pads": (lambda: nn.Conv2D(4, 6, 3, padding=[1, 2, 0, 1], groups=2), [n(2, 4, 9, 9)]),
    "conv1d": (lambda: nn.Conv1D(3, 6, 3, dilation=2), [n(2, 3, 9)]),
    "conv3d": (lambda: nn.Conv3D(2, 3, 2), [n(1, 2, 4, 5, 4)]),
    "conv-transpose2d": (lambda: nn.Conv2DTranspose(4, 3, 3, stride=2, padding=1, output_padding=1), [n(2, 4, 5, 5)]),
    "max-pool": (lambda: nn.MaxPool2D(3, 2, 1, ceil_mode=True), [n(2, 3, 8, 8)]),
    "avg-pool": (lambda: nn.AvgPool2D(3, 2, 1, exclusive=False), [n(2, 3, 8, 8)]),
    "avg-pool-ceil": (lambda: nn.AvgPool2D(3, 2, 1, ceil_mode=True), [n(2, 3, 8, 8)]),
    "adaptive-avg-pool": (lambda: nn.AdaptiveAvgPool2D(2), [n(2, 3, 8, 8)]),
    "adaptive-max-pool": (lambda: nn.AdaptiveMaxPool2D(1), [n(2, 3, 8, 8)]),
    "batch-norm": (lambda: nn.BatchNorm2D(4), [n(2, 4, 5, 5)]),
    "instance-norm": (lambda: nn.InstanceNorm2D(4), [n(2, 4, 5, 5)]),
    "group-norm": (lambda: nn.GroupNorm(2, 4), [n(2, 4, 5, 5)]),
    "layer-norm": (lambda: nn.LayerNorm([5, 6]), [n(2, 5, 6)]),
    "linear": (lambda: nn.Linear(5, 3), [n(2, 4, 5)]),
    "embedding": (lambda: nn.Embedding(9, 4, padding_idx=0), [i(2, 5, high=9)]),
    "lstm": (lambda: nn.LSTM(4, 5, direction="bidirect"), [n(2, 6, 4)]),
    "gru": (lambda: nn.GRU(4, 5), [n(2, 6, 4)]),
    "rnn": (lambda: nn.SimpleRNN(4, 5), [n(2, 6, 4)]),
    "transformer": (lambda: nn.TransformerEncoderLayer(8, 2, 16), [n(2, 5, 8)]),
    "attention": (lambda: nn.MultiHeadAttention(8, 2), [n(2, 5, 8)]),
    "upsample-nearest": (lambda: nn.Upsample(scale_factor=2), [n(2, 3, 4, 5)]),
    "upsample-bilinear": (lambda: nn.Upsample(size=[7, 9], mode="bilinear"), [n(2, 3, 4, 5)]),
    "upsample-corners": (lambda: nn.Upsample(size=[7, 9], mode="bilinear", align_corners=True), [n(2, 3, 4, 5)]),
    "upsample-bicubic": (lambda: nn.Upsample(size=[7, 9], mode="bicubic"), [n(2, 3, 4, 5)]),
    "upsample-linear": (lambda: nn.Upsample(size=[9], mode="linear", data_format="NCW"), [n(2, 3, 4)]),
    "pixel-shuffle": (lambda: nn.PixelShuffle(2), [n(1, 8, 3, 3)]),
    "pad-reflect": (lambda: nn.Pad2D([1, 2, 0, 1], mode="reflect"), [n(1, 2, 4, 4)]),
    "pad-constant": (lambda: nn.Pad2D([1, 2, 0, 1], value=0.5), [n(1, 2, 4, 4)]),
    "prelu": (lambda: nn.PReLU(4, init=0.3), [n(2, 4, 3, 3)]),
    "mobilenet-v1": (vision("mobilenet_v1", scale=0.25), [n(1, 3, 64, 64)]),
    "mobilenet-v2": (vision("mobilenet_v2", scale=0.35), [n(1, 3, 64, 64)]),
    "mobilenet-v3": (vision("mobilenet_v3_small", scale=0.5), [n(1, 3, 64, 64)]),
    "squeezenet": (vision("squeezenet1_1"), [n(1, 3, 64, 64)]),
    "shufflenet": (vision("shufflenet_v2_x0_25"), [n(1, 3, 64, 64)]),
}

ACTIVATIONS = ["relu", "relu6", "elu", "selu", "celu", "gelu", "silu", "swish", "mish", "hardswish", "hardsigmoid",
               "softplus", "softsign", "hardshrink", "softshrink", "leaky_relu", "log_sigmoid", "tanhshrink", "hardtanh",
               "thresholded_relu", "softmax", "log_softmax", "sigmoid", "tanh"]

# Name → (function, inputs).
FUNCTIONS = {
    **{f"activation-{name.replace('_', '-')}": (getattr(F, name), [n(2, 4, 5)]) for name in ACTIVATIONS},
    "arithmetic": (lambda x, y: (x + y) * x - x / (paddle.abs(y) + 1), [n(2, 3), n(3)]),
    "mod-integers": (lambda x, y: (x % (y + 1), x // (y + 1)), [i(2, 3), i(3)]),
    "pow": (lambda x: paddle.pow(paddle.abs(x), 2.5), [n(2, 3)]),
    "compare": (lambda x, y: (x > y, x == y, paddle.logical_or(x > y, x < 0)), [n(2, 3), n(3)]),
    "matmul": (lambda x, y: paddle.matmul(x, y, transpose_y=True), [n(2, 3, 4), n(2, 5, 4)]),
    "einsum": (lambda x, y: paddle.einsum("bij,bkj->bik", x, y), [n(2, 3, 4), n(2, 5, 4)]),
    "addmm": (lambda c, x, y: paddle.addmm(c, x, y, beta=0.5, alpha=2.0), [n(3, 5), n(3, 4), n(4, 5)]),
    "gather": (lambda x, k: paddle.gather(x, k, axis=1), [n(3, 5), i(4)]),
    "gather-nd": (lambda x, k: paddle.gather_nd(x, k), [n(3, 5), i(4, 2, high=3)]),
    "index-select": (lambda x, k: paddle.index_select(x, k, axis=1), [n(3, 5), i(4)]),
    "scatter": (lambda x, w: paddle.scatter(x, paddle.to_tensor([2, 0]), w), [n(4, 3), n(2, 3)]),
    "where": (lambda x, y: paddle.where(x > 0, x, y), [n(3, 5), n(3, 5)]),
    "nonzero": (lambda x: paddle.nonzero(x > 0), [n(3, 5)]),
    "masked-select": (lambda x: paddle.masked_select(x, x > 0), [n(3, 5)]),
    "top-k": (lambda x: paddle.topk(x, 2, axis=1), [n(3, 5)]),
    "argmax": (lambda x: paddle.argmax(x, axis=1, keepdim=True), [n(3, 5)]),
    "argsort": (lambda x: paddle.argsort(x, axis=1, descending=True), [n(3, 5)]),
    "cumsum": (lambda x: paddle.cumsum(x, axis=1), [n(3, 5)]),
    "slices": (lambda x: x[:, 1:-1:2, -1], [n(3, 6, 4)]),
    "split": (lambda x: paddle.split(x, [1, 3, -1], axis=1), [n(3, 6)]),
    "concat": (lambda x, y: paddle.concat([x, y], axis=-1), [n(3, 6), n(3, 2)]),
    "stack": (lambda x, y: paddle.stack([x, y], axis=1), [n(3, 6), n(3, 6)]),
    "flip": (lambda x: paddle.flip(x, [1]), [n(3, 6)]),
    "roll": (lambda x: paddle.roll(x, 2, axis=1), [n(3, 6)]),
    "tril": (lambda x: paddle.tril(x, 1), [n(4, 4)]),
    "tile": (lambda x: paddle.tile(x, [2, 3]), [n(3, 2)]),
    "expand": (lambda x, y: paddle.expand_as(x, y), [n(3, 1), n(3, 4)]),
    "reshape": (lambda x: paddle.reshape(x, [0, -1]), [n(2, 3, 4)]),
    "one-hot": (lambda x: F.one_hot(x, 5), [i(2, 3)]),
    "reductions": (lambda x: (x.sum(1), x.mean([0, 2]), x.max(-1), paddle.logsumexp(x, 1)), [n(2, 3, 4)]),
    "norms": (lambda x: (paddle.norm(x, 2, 1), paddle.norm(x, 1, 1)), [n(2, 3)]),
    "std": (lambda x: paddle.std(x, 1), [n(2, 5)]),
    "rounding": (lambda x: (paddle.floor(x), paddle.ceil(x), paddle.round(x * 3)), [n(2, 5)]),
    "clip": (lambda x: paddle.clip(x, -0.3, 0.4), [n(2, 5)]),
    "unfold": (lambda x: F.unfold(x, 3, paddings=1), [n(1, 2, 5, 5)]),
    "grid-sample": (lambda x, g: F.grid_sample(x, g, padding_mode="border"), [n(1, 2, 5, 5), n(1, 3, 4, 2)]),
    "interpolate-scale": (lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear"), [n(1, 2, 5, 5)]),
    "normalize": (lambda x: F.normalize(x, axis=1), [n(2, 5)]),
    "cosine": (lambda x, y: F.cosine_similarity(x, y, axis=1), [n(2, 5), n(2, 5)]),
    "meshgrid": (lambda x, y: paddle.meshgrid(x, y), [n(3), n(4)]),
    "range": (lambda x: paddle.arange(0, 5, dtype="float32") * x, [n(5)]),
    "squeeze": (lambda x: paddle.squeeze(paddle.unsqueeze(x, [0, 2]), 0), [n(2, 3)]),
    "cast": (lambda x: (x.astype("int32"), x.astype("float64"), x.astype("bool")), [n(2, 3)]),
    "dot": (lambda x, y: paddle.bmm(x, y), [n(2, 3, 4), n(2, 4, 2)]),
    "trigonometry": (lambda x: (paddle.sin(x), paddle.atan(x), paddle.erf(x), paddle.sinh(x)), [n(2, 3)]),
}


def export(name: str, opset: int) -> Export:
    paddle.seed(3)
    draw = np.random.default_rng(5)
    call, inputs = LAYERS[name] if name in LAYERS else FUNCTIONS[name]
    layer = call() if name in LAYERS else ARITY[len(inputs)](call)
    for part in layer.sublayers(include_self=True):
        if isinstance(part, nn.BatchNorm2D):
            part._variance.set_value(draw.uniform(0.5, 1.5, part._variance.shape).astype(np.float32))
    layer.eval()
    values = [make(draw) for make in inputs]
    specs = [InputSpec([None, *value.shape[1:]] if name in LAYERS else value.shape, str(value.dtype), f"x{index}")
             for index, value in enumerate(values)]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "model")
        paddle.onnx.export(layer, str(target), input_spec=specs, opset_version=opset)
        model = onnx.load(target.with_suffix(".onnx"))
    answer = layer(*[paddle.to_tensor(value) for value in values])
    outputs = [item.numpy() for item in paddle.utils.flatten(answer)][: len(model.graph.output)]
    return Export(model, {info.name: value for info, value in zip(model.graph.input, values)}, outputs)


def subjects() -> list[Subject]:
    return [
        Subject("paddle", f"{name}-{opset}", partial(export, name, opset), (1e-3, 1e-4))
        for index, name in enumerate([*LAYERS, *FUNCTIONS])
        for opset in (OPSETS[index % 6], OPSETS[(index + 3) % 6])
    ]
