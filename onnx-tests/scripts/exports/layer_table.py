"""The table of layers: each entry makes a module or function and its inputs; weights follow the seed."""

import torch
import torch.nn.functional as F
import torchvision.ops
from torch import nn

LAYERS = {}


def layer(name, call, *inputs):
    """`call` is a class with arguments bound or a function of tensors; both are made when the subject is exported."""
    LAYERS[name] = lambda: (call() if isinstance(call, type(lambda: 0)) and not call.__code__.co_argcount else call,
                            tuple(make() if callable(make) else make for make in inputs))


def n(*shape, dtype=torch.float32):
    """Normal numbers."""
    return lambda: torch.randn(*shape).to(dtype)


def u(*shape, low=0.1, high=2.0):
    """Uniform numbers."""
    return lambda: torch.rand(*shape) * (high - low) + low


def i(*shape, low=0, high=5, dtype=torch.int64):
    """Integers in [low, high)."""
    return lambda: torch.randint(low, high, shape).to(dtype)


def b(*shape):
    """Booleans."""
    return lambda: torch.rand(*shape) > 0.5


def v(values, dtype=None):
    """Given values."""
    return lambda: torch.tensor(values, dtype=dtype)


# Convolutions
layer("conv2d", lambda: nn.Conv2d(3, 8, 3, stride=2, padding=1), n(2, 3, 9, 9))
layer("conv2d-dilated-grouped", lambda: nn.Conv2d(4, 8, 3, dilation=2, groups=2, padding=2), n(2, 4, 9, 9))
layer("conv2d-same", lambda: nn.Conv2d(3, 4, 4, padding="same"), n(2, 3, 7, 7))
layer("conv2d-circular", lambda: nn.Conv2d(3, 4, 3, padding=1, padding_mode="circular"), n(2, 3, 7, 7))
layer("conv2d-reflect", lambda: nn.Conv2d(3, 4, 3, padding=1, padding_mode="reflect"), n(2, 3, 7, 7))
layer("conv2d-half", lambda: nn.Conv2d(3, 4, 3).half(), n(2, 3, 7, 7, dtype=torch.float16))
layer("conv2d-bfloat16", lambda: nn.Conv2d(3, 4, 3).bfloat16(), n(2, 3, 7, 7, dtype=torch.bfloat16))
layer("conv2d-double", lambda: nn.Conv2d(3, 4, 3).double(), n(2, 3, 7, 7, dtype=torch.float64))
layer("conv2d-unbatched", lambda: nn.Conv2d(3, 4, 3), n(3, 7, 7))
layer("conv1d", lambda: nn.Conv1d(4, 6, 3, padding=2, dilation=2), n(2, 4, 11))
layer("conv1d-depthwise", lambda: nn.Conv1d(4, 8, 3, groups=4), n(2, 4, 11))
layer("conv3d", lambda: nn.Conv3d(2, 4, 3, padding=1), n(2, 2, 5, 6, 7))
layer("conv-transpose2d", lambda: nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1), n(2, 4, 5, 5))
layer("conv-transpose2d-grouped", lambda: nn.ConvTranspose2d(4, 4, 4, stride=3, groups=2, dilation=2), n(2, 4, 5, 5))
layer("conv-transpose1d", lambda: nn.ConvTranspose1d(4, 3, 4, stride=2), n(2, 4, 6))
layer("conv-transpose3d", lambda: nn.ConvTranspose3d(2, 3, 2, stride=2), n(2, 2, 3, 4, 3))
layer("conv-batchnorm-relu", lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU6()), n(2, 3, 9, 9))
layer("weight-norm", lambda: nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 6, 3)), n(2, 4, 9))
layer("fold", lambda: nn.Fold((6, 7), (2, 3), stride=1), n(2, 12, 25))
layer("unfold", lambda: nn.Unfold(3, padding=1, stride=2, dilation=2), n(2, 3, 9, 9))

# Pooling
layer("max-pool2d", lambda: nn.MaxPool2d(3, 2, 1), n(2, 3, 9, 9))
layer("max-pool2d-ceil", lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True), n(2, 3, 8, 10))
layer("max-pool2d-ceil-dilated", lambda: nn.MaxPool2d(2, 3, 1, dilation=2, ceil_mode=True), n(2, 3, 8, 10))
layer("max-pool2d-indices", lambda: nn.MaxPool2d(2, 2, return_indices=True), n(2, 3, 6, 6))
layer("max-pool1d", lambda: nn.MaxPool1d(3, 2), n(2, 3, 9))
layer("max-pool3d", lambda: nn.MaxPool3d(2, 2, ceil_mode=True), n(2, 3, 5, 5, 5))
layer("max-pool2d-unbatched", lambda: nn.MaxPool2d(2), n(3, 6, 6))
layer("avg-pool2d", lambda: nn.AvgPool2d(3, 2, 1), n(2, 3, 9, 9))
layer("avg-pool2d-ceil", lambda: nn.AvgPool2d(3, 2, 1, ceil_mode=True), n(2, 3, 8, 10))
layer("avg-pool2d-ceil-exclude", lambda: nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), n(2, 3, 8, 8))
layer("avg-pool2d-divisor", lambda: nn.AvgPool2d(2, divisor_override=3), n(2, 3, 8, 8))
layer("avg-pool1d", lambda: nn.AvgPool1d(3, 2, 1), n(2, 3, 9))
layer("avg-pool3d", lambda: nn.AvgPool3d(2, 2, ceil_mode=True), n(2, 3, 5, 5, 5))
layer("adaptive-avg-pool2d", lambda: nn.AdaptiveAvgPool2d(1), n(2, 3, 7, 7))
layer("adaptive-avg-pool2d-grid", lambda: nn.AdaptiveAvgPool2d((2, 4)), n(2, 3, 8, 8))
layer("adaptive-max-pool2d", lambda: nn.AdaptiveMaxPool2d(2), n(2, 3, 8, 8))
layer("lp-pool2d", lambda: nn.LPPool2d(2, 3, 2), u(2, 3, 9, 9))
layer("max-unpool2d", lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), n(2, 3, 6, 6))

# Normalisation
layer("batch-norm2d", lambda: nn.BatchNorm2d(4), n(3, 4, 5, 5))
layer("batch-norm1d", lambda: nn.BatchNorm1d(4, affine=False), n(3, 4))
layer("batch-norm-no-statistics", lambda: nn.BatchNorm2d(4, track_running_stats=False), n(3, 4, 5, 5))
layer("instance-norm2d", lambda: nn.InstanceNorm2d(4, affine=True), n(3, 4, 5, 5))
layer("group-norm", lambda: nn.GroupNorm(2, 4), n(3, 4, 5, 5))
layer("layer-norm", lambda: nn.LayerNorm((4, 6)), n(3, 4, 6))
layer("layer-norm-half", lambda: nn.LayerNorm(6).half(), n(3, 4, 6, dtype=torch.float16))
layer("rms-norm", lambda: nn.RMSNorm(6), n(3, 4, 6))
layer("local-response-norm", lambda: nn.LocalResponseNorm(3), n(2, 7, 5, 5))
layer("normalize", lambda x: F.normalize(x, dim=1), n(3, 4, 6))
layer("cosine-similarity", lambda x, y: F.cosine_similarity(x, y, dim=1), n(3, 4), n(3, 4))

# Resizing, padding, sampling
layer("interpolate-nearest", lambda x: F.interpolate(x, scale_factor=2), n(2, 3, 5, 5))
layer("interpolate-nearest-down", lambda x: F.interpolate(x, size=(3, 4)), n(2, 3, 7, 7))
layer("interpolate-nearest-exact", lambda x: F.interpolate(x, size=(3, 9), mode="nearest-exact"), n(2, 3, 7, 7))
layer("interpolate-nearest-odd-scale", lambda x: F.interpolate(x, scale_factor=0.6), n(2, 3, 10, 10))
layer("interpolate-bilinear", lambda x: F.interpolate(x, size=(7, 9), mode="bilinear"), n(2, 3, 5, 5))
layer("interpolate-bilinear-corners",
      lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear", align_corners=True), n(2, 3, 5, 5))
layer("interpolate-bilinear-recompute",
      lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True), n(2, 3, 5, 5))
layer("interpolate-bicubic", lambda x: F.interpolate(x, scale_factor=2.3, mode="bicubic"), n(2, 3, 5, 5))
layer("interpolate-bicubic-corners",
      lambda x: F.interpolate(x, size=(9, 8), mode="bicubic", align_corners=True), n(2, 3, 5, 5))
layer("interpolate-linear", lambda x: F.interpolate(x, size=7, mode="linear"), n(2, 3, 5))
layer("interpolate-trilinear", lambda x: F.interpolate(x, scale_factor=2.0, mode="trilinear"), n(2, 3, 3, 4, 3))
layer("interpolate-antialias", lambda x: F.interpolate(x, size=(4, 3), mode="bilinear", antialias=True), n(2, 3, 9, 9))
layer("interpolate-antialias-bicubic",
      lambda x: F.interpolate(x, size=(4, 3), mode="bicubic", antialias=True), n(2, 3, 9, 9))
layer("interpolate-like", lambda x, y: F.interpolate(x, size=y.shape[2:], mode="bilinear"), n(2, 3, 5, 5), n(2, 3, 8, 6))
layer("pixel-shuffle", lambda: nn.PixelShuffle(2), n(2, 8, 3, 3))
layer("pixel-unshuffle", lambda: nn.PixelUnshuffle(2), n(2, 2, 6, 6))
layer("pad-constant", lambda x: F.pad(x, (1, 2, 0, 3), value=0.5), n(2, 3, 4))
layer("pad-negative", lambda x: F.pad(x, (-1, 2)), n(2, 3, 4))
layer("pad-reflect", lambda x: F.pad(x, (1, 2, 2, 1), mode="reflect"), n(2, 3, 4, 4))
layer("pad-replicate", lambda x: F.pad(x, (1, 2, 2, 1), mode="replicate"), n(2, 3, 4, 4))
layer("pad-circular", lambda x: F.pad(x, (1, 2, 2, 1), mode="circular"), n(2, 3, 4, 4))
for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        layer(f"grid-sample-{mode}-{padding}",
              lambda x, g, m=mode, p=padding: F.grid_sample(x, g, mode=m, padding_mode=p, align_corners=False),
              n(2, 3, 5, 6), u(2, 4, 4, 2, low=-1.4, high=1.4))
layer("grid-sample-corners", lambda x, g: F.grid_sample(x, g, align_corners=True), n(1, 2, 5, 6),
      u(1, 4, 4, 2, low=-1, high=1))
layer("affine-grid", lambda t: F.affine_grid(t, (2, 3, 4, 5), align_corners=False), n(2, 2, 3))
layer("roi-align", lambda x, r: torchvision.ops.roi_align(x, r, (3, 3), 0.5, 2, aligned=True),
      n(1, 3, 8, 8), v([[0.0, 1.0, 1.0, 9.0, 9.0], [0.0, 4.0, 3.0, 12.0, 15.0]]))
layer("roi-pool", lambda x, r: torchvision.ops.roi_pool(x, r, (2, 2), 1.0),
      n(1, 3, 8, 8), v([[0.0, 1.0, 1.0, 5.0, 5.0], [0.0, 2.0, 3.0, 6.0, 7.0]]))
layer("nms", lambda x, s: torchvision.ops.nms(x, s, 0.4),
      v([[0.0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [21, 21, 31, 32]]), v([0.9, 0.8, 0.7, 0.95]))
layer("deform-conv2d",
      lambda x, o, w: torchvision.ops.deform_conv2d(x, o, w, padding=1),
      n(1, 3, 5, 5), n(1, 18, 5, 5), n(4, 3, 3, 3))

# Recurrent
layer("lstm", lambda: nn.LSTM(5, 7), n(6, 2, 5))
layer("lstm-bidirectional", lambda: nn.LSTM(5, 7, num_layers=2, bidirectional=True, batch_first=True), n(2, 6, 5))
layer("lstm-projection", lambda: nn.LSTM(5, 7, proj_size=3), n(6, 2, 5))
layer("gru", lambda: nn.GRU(5, 7, num_layers=2), n(6, 2, 5))
layer("gru-bidirectional", lambda: nn.GRU(5, 7, bidirectional=True, bias=False), n(6, 2, 5))
layer("rnn", lambda: nn.RNN(5, 7, nonlinearity="relu", bidirectional=True), n(6, 2, 5))
layer("lstm-cell", lambda: nn.LSTMCell(5, 7), n(2, 5))
layer("gru-cell", lambda: nn.GRUCell(5, 7), n(2, 5))

# Attention and embeddings
layer("embedding", lambda: nn.Embedding(9, 4, padding_idx=0), i(2, 5, high=9))
layer("embedding-bag", lambda: nn.EmbeddingBag(9, 4, mode="sum"), i(3, 5, high=9))
layer("multihead-attention", lambda: nn.MultiheadAttention(8, 2, batch_first=True), n(2, 5, 8), n(2, 6, 8), n(2, 6, 8))
layer("transformer-encoder-layer", lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), n(2, 5, 8))
layer("transformer-decoder-layer", lambda: nn.TransformerDecoderLayer(8, 2, 16, activation="gelu"), n(5, 2, 8), n(4, 2, 8))
layer("attention", F.scaled_dot_product_attention, n(2, 2, 5, 4), n(2, 2, 6, 4), n(2, 2, 6, 4))
layer("attention-causal", lambda q, k, w: F.scaled_dot_product_attention(q, k, w, is_causal=True),
      n(2, 2, 5, 4), n(2, 2, 5, 4), n(2, 2, 5, 4))
layer("attention-mask", lambda q, k, w, m: F.scaled_dot_product_attention(q, k, w, attn_mask=m),
      n(2, 2, 5, 4), n(2, 2, 6, 4), n(2, 2, 6, 4), n(2, 1, 5, 6))
layer("attention-boolean-mask", lambda q, k, w, m: F.scaled_dot_product_attention(q, k, w, attn_mask=m),
      n(2, 2, 3, 4), n(2, 2, 3, 4), n(2, 2, 3, 4), v([[[True, False, False], [True, True, False], [True] * 3]]))
layer("attention-grouped", lambda q, k, w: F.scaled_dot_product_attention(q, k, w, enable_gqa=True),
      n(2, 4, 5, 4), n(2, 2, 5, 4), n(2, 2, 5, 4))

# Activations
for name in ("ELU", "SELU", "CELU", "GELU", "SiLU", "Mish", "Hardswish", "Hardsigmoid", "Softplus", "Softsign",
             "Softshrink", "Hardshrink", "LogSigmoid", "Tanhshrink", "LeakyReLU", "ReLU6", "PReLU", "GLU", "Hardtanh",
             "Sigmoid", "Tanh"):
    LAYERS[f"activation-{name.lower()}"] = lambda name=name: (getattr(nn, name)(), (torch.randn(2, 4, 6) * 3,))
layer("gelu-tanh", lambda x: F.gelu(x, approximate="tanh"), n(2, 4, 6))
layer("rrelu", lambda: nn.RReLU(), n(2, 4, 6))
layer("threshold", lambda: nn.Threshold(0.2, -1.0), n(2, 4, 6))
layer("softmax", lambda x: F.softmax(x, dim=1), n(2, 4, 6))
layer("softmax-last", lambda x: F.softmax(x, dim=-1, dtype=torch.float64), n(2, 4, 6))
layer("log-softmax", lambda x: F.log_softmax(x, dim=0), n(2, 4, 6))
layer("prelu-channels", lambda: nn.PReLU(4, 0.3), n(2, 4, 6))

# Linear algebra
layer("linear", lambda: nn.Linear(5, 3), n(2, 5))
layer("linear-batched", lambda: nn.Linear(5, 3, bias=False), n(2, 4, 5))
layer("bilinear", lambda: nn.Bilinear(3, 4, 5), n(2, 3), n(2, 4))
layer("matmul-broadcast", torch.matmul, n(2, 1, 3, 4), n(5, 4, 2))
layer("matmul-vector", torch.matmul, n(3, 4), n(4))
layer("addmm", lambda c, x, y: torch.addmm(c, x, y, beta=0.5, alpha=2.0), n(3), n(2, 4), n(4, 3))
layer("baddbmm", lambda c, x, y: torch.baddbmm(c, x, y, alpha=0.7), n(2, 3, 5), n(2, 3, 4), n(2, 4, 5))
layer("einsum-attention", lambda x, y: torch.einsum("bhqd,bhkd->bhqk", x, y), n(2, 2, 3, 4), n(2, 2, 5, 4))
layer("einsum-diagonal", lambda x: torch.einsum("bii->bi", x), n(2, 3, 3))
layer("einsum-ellipsis", lambda x, y: torch.einsum("...ij,jk->...ik", x, y), n(2, 3, 4), n(4, 5))
layer("det", torch.det, n(2, 3, 3))
layer("cdist", torch.cdist, n(2, 4, 3), n(2, 5, 3))
layer("cross", lambda x, y: torch.linalg.cross(x, y), n(2, 3), n(2, 3))
layer("norm-l1", lambda x: torch.norm(x, p=1, dim=1), n(2, 3, 4))
layer("norm-frobenius", lambda x: torch.norm(x), n(2, 3, 4))
layer("norm-inf", lambda x: torch.linalg.vector_norm(x, ord=float("inf"), dim=1), n(2, 3, 4))
layer("outer", torch.outer, n(3), n(4))
layer("linear-bfloat16", lambda: nn.Linear(5, 3).bfloat16(), n(2, 5, dtype=torch.bfloat16))
layer("linear-half", lambda: nn.Linear(5, 3).half(), n(2, 5, dtype=torch.float16))

# Indexing
layer("gather", lambda x, k: torch.gather(x, 1, k), n(3, 4), i(3, 2, high=4))
layer("index-select", lambda x, k: torch.index_select(x, 1, k), n(3, 4), i(5, high=4))
layer("index-tensor", lambda x, k: x[:, k], n(3, 4), i(2, 2, high=4))
layer("index-two", lambda x, k, m: x[k, :, m], n(3, 4, 5), i(2, high=3), i(2, high=5))
layer("index-negative", lambda x, k: x[k], n(5, 2), v([-1, 0, -5]))
layer("index-boolean", lambda x, m: x[m], n(3, 4), b(3, 4))
layer("slice-steps", lambda x: x[:, 1:-1:2, ::3], n(2, 7, 8))
layer("slice-assign", lambda x: x.clone().index_fill(1, torch.tensor([0, 2]), 7.0), n(2, 4))
layer("slice-dynamic", lambda x, y: x[:, : y.shape[0]], n(2, 5), n(3))
layer("index-put", lambda x, k, w: x.index_put((k,), w), n(5, 3), v([0, 2]), n(2, 3))
layer("index-put-accumulate", lambda x, k, w: x.index_put((k,), w, accumulate=True), n(5, 3), v([0, 2, 0]), n(3, 3))
layer("index-add", lambda x, k, w: x.index_add(0, k, w), n(5, 3), v([0, 2]), n(2, 3))
layer("scatter", lambda x, k, w: x.scatter(1, k, w), n(2, 5), v([[0, 2], [1, 4]]), n(2, 2))
layer("scatter-value", lambda x, k: x.scatter(1, k, 3.5), n(2, 5), v([[0, 2], [1, 4]]))
layer("scatter-add", lambda x, k, w: x.scatter_add(1, k, w), n(2, 5), v([[0, 0, 2], [1, 4, 4]]), n(2, 3))
for reduce in ("sum", "prod", "amax", "amin", "mean"):
    layer(f"scatter-reduce-{reduce}",
          lambda x, k, w, r=reduce: x.scatter_reduce(1, k, w, reduce=r), n(2, 5), v([[0, 0, 2], [1, 4, 4]]), n(2, 3))
layer("masked-fill", lambda x, m: x.masked_fill(m, -1e9), n(3, 4), b(3, 4))
layer("masked-select", torch.masked_select, n(3, 4), b(3, 4))
layer("masked-scatter", torch.masked_scatter, n(3, 4), b(3, 4), n(3, 4))
layer("where", lambda m, x, y: torch.where(m, x, y), b(3, 4), n(3, 4), n(4))
layer("where-scalar", lambda x: torch.where(x > 0, x, 0.0), n(3, 4))
layer("nonzero", torch.nonzero, v([[1.0, 0.0], [0.0, 2.0]]))
layer("take-along", lambda x, k: torch.take_along_dim(x, k, 1), n(3, 4), i(3, 2, high=4))
layer("topk", lambda x: torch.topk(x, 3, dim=1), n(2, 6))
layer("topk-smallest", lambda x: torch.topk(x, 2, dim=0, largest=False), n(5, 3))
layer("sort", lambda x: torch.sort(x, dim=1, descending=True), n(2, 6))
layer("argsort", lambda x: torch.argsort(x, dim=0), n(5, 3))
layer("argmax", lambda x: torch.argmax(x, dim=1, keepdim=True), n(2, 6))
layer("argmin-all", torch.argmin, n(2, 6))
layer("max-dim", lambda x: torch.max(x, dim=1), n(2, 6))
layer("unique", lambda x: torch.unique(x, return_inverse=True, return_counts=True), v([3, 1, 3, 2, 1]))
layer("one-hot", lambda x: F.one_hot(x, 6), i(2, 3, high=6))
layer("searchsorted", torch.searchsorted, v([1.0, 3.0, 5.0, 7.0]), n(3))
layer("bucketize", lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])), n(2, 3))

# Shapes
layer("reshape-dynamic", lambda x: x.reshape(x.shape[0], -1), n(2, 3, 4))
layer("view-as", lambda x, y: x.view_as(y), n(2, 6), n(3, 4))
layer("flatten", lambda x: torch.flatten(x, 1, 2), n(2, 3, 4, 5))
layer("permute", lambda x: x.permute(2, 0, 1), n(2, 3, 4))
layer("expand", lambda x, y: x.expand_as(y), n(3, 1), n(2, 3, 4))
layer("repeat", lambda x: x.repeat(2, 1, 3), n(3, 2))
layer("repeat-interleave", lambda x: x.repeat_interleave(3, dim=1), n(2, 3))
layer("tile", lambda x: torch.tile(x, (2, 2)), n(3, 2))
layer("stack", lambda x, y: torch.stack([x, y], dim=1), n(2, 3), n(2, 3))
layer("cat", lambda x, y: torch.cat([x, y], dim=-1), n(2, 3), n(2, 4))
layer("cat-types", lambda x, y: torch.cat([x, y], dim=0), n(2, 3), i(1, 3))
layer("split", lambda x: torch.split(x, [1, 3, 2], dim=1), n(2, 6))
layer("split-uneven", lambda x: torch.split(x, 4, dim=1), n(2, 6))
layer("chunk", lambda x: torch.chunk(x, 3, dim=1), n(2, 7))
layer("tensor-split", lambda x: torch.tensor_split(x, 3, dim=1), n(2, 7))
layer("unbind", lambda x: torch.unbind(x, dim=1), n(2, 3, 4))
layer("squeeze", lambda x: x.squeeze(), n(2, 1, 3, 1))
layer("squeeze-not-one", lambda x: x.squeeze(1), n(2, 3))
layer("unsqueeze", lambda x: x.unsqueeze(-2), n(2, 3))
layer("flip", lambda x: torch.flip(x, [0, 2]), n(2, 3, 4))
layer("roll", lambda x: torch.roll(x, (1, -2), (0, 2)), n(2, 3, 4))
layer("rot90", lambda x: torch.rot90(x, 1, (1, 2)), n(2, 3, 4))
layer("tril", lambda x: torch.tril(x, diagonal=1), n(2, 4, 4))
layer("triu", lambda x: torch.triu(x, diagonal=-1), n(2, 4, 5))
layer("diagonal", lambda x: torch.diagonal(x, 1, 0, 2), n(3, 2, 4))
layer("diag-embed", lambda x: torch.diag_embed(x), n(2, 3))
layer("arange-size", lambda x: torch.arange(x.shape[1]) + x, n(2, 5))
layer("arange-float", lambda x: torch.arange(0, 1, 0.3) + x, n(2, 4))
layer("linspace", lambda x: torch.linspace(0, 1, 5) * x, n(2, 5))
layer("meshgrid", lambda x, y: torch.meshgrid(x, y, indexing="ij"), n(3), n(4))
layer("full-like", lambda x: torch.full_like(x, 2.5) + torch.zeros_like(x) + torch.ones(x.shape), n(2, 5))
layer("numel", lambda x: x.sum() / x.numel(), n(2, 5))
layer("unfold-tensor", lambda x: x.unfold(1, 3, 2), n(2, 9))
layer("movedim", lambda x: torch.movedim(x, 0, -1), n(2, 3, 4))
layer("swap-broadcast", lambda x, y: torch.broadcast_tensors(x, y), n(3, 1), n(1, 4))

# Reductions
layer("sum-dims", lambda x: x.sum((0, 2), keepdim=True), n(2, 3, 4))
layer("mean", lambda x: x.mean(-1), n(2, 3, 4))
layer("prod", lambda x: torch.prod(x, 1), u(2, 3))
layer("amax", lambda x: torch.amax(x, (1, 2)), n(2, 3, 4))
layer("any", lambda x: torch.any(x, 1), b(3, 4))
layer("all", torch.all, b(3, 4))
layer("std", lambda x: torch.std(x, 1), n(3, 5))
layer("var-mean", lambda x: torch.var_mean(x, (0, 1), unbiased=False), n(3, 5))
layer("logsumexp", lambda x: torch.logsumexp(x, (1,)), n(3, 5))
layer("cumsum", lambda x: torch.cumsum(x, 1), n(3, 5))
layer("cumsum-integers", lambda x: torch.cumsum(x, 0, dtype=torch.int32), i(3, 5))
layer("cumprod", lambda x: torch.cumprod(x, 1), u(3, 5))
layer("cummax", lambda x: torch.cummax(x, 1), n(3, 5))
layer("logcumsumexp", lambda x: torch.logcumsumexp(x, 1), n(3, 5))
layer("sum-integers", lambda x: x.sum(1), i(3, 5, dtype=torch.int32))
layer("count-nonzero", lambda x: torch.count_nonzero(x, 1), i(3, 5, high=2))
layer("median", lambda x: torch.median(x, 1)[0], n(3, 5))

# Arithmetic
layer("arithmetic", lambda x, y: (x + y) * 2 - x / (y + 3) + 1.5, n(2, 3), u(3))
layer("pow", lambda x, y: x**y + x**2 + 2**x, u(2, 3), u(3))
layer("pow-integers", lambda x: x**3, i(2, 3, low=-3))
layer("remainder", torch.remainder, n(2, 5), v([2.0, -2.0, 1.5, -0.5, 3.0]))
layer("fmod", torch.fmod, n(2, 5), v([2.0, -2.0, 1.5, -0.5, 3.0]))
layer("remainder-integers", torch.remainder, i(2, 4, low=-9, high=9), v([2, -2, 3, -3]))
layer("floor-divide", torch.floor_divide, n(2, 5), v([2.0, -2.0, 1.5, -0.5, 3.0]))
layer("floor-divide-integers", torch.floor_divide, i(2, 4, low=-9, high=9), v([2, -2, 3, -3]))
layer("truncated-divide-integers", lambda x, y: torch.div(x, y, rounding_mode="trunc"), i(2, 4, low=-9, high=9),
      v([2, -2, 3, -3]))
layer("true-divide-integers", torch.true_divide, i(2, 4, low=-9, high=9), v([2, -2, 3, -3]))
layer("clamp", lambda x: torch.clamp(x, -0.5, 0.5), n(2, 5))
layer("clamp-tensors", torch.clamp, n(2, 5), v([-0.5]), v([0.1, 0.2, 0.3, 0.4, 0.5]))
layer("clamp-integers", lambda x: torch.clamp(x, min=1), i(2, 5))
layer("clamp-half", lambda x: torch.clamp(x, max=0.3), n(2, 5, dtype=torch.float16))
layer("rounding", lambda x: (torch.round(x), torch.floor(x), torch.ceil(x), torch.trunc(x), torch.frac(x)),
      v([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.2]))
layer("exponentials", lambda x: (torch.exp(x), torch.expm1(x), torch.log(x), torch.log1p(x), torch.log2(x), torch.log10(x)),
      u(2, 5))
layer("trigonometry", lambda x: (torch.sin(x), torch.cos(x), torch.tan(x), torch.atan(x), torch.sinh(x), torch.cosh(x)),
      n(2, 5))
layer("inverse-trigonometry", lambda x: (torch.asin(x), torch.acos(x), torch.asinh(x), torch.atanh(x)),
      u(2, 5, low=-0.9, high=0.9))
layer("atan2", torch.atan2, n(2, 5), n(2, 5))
layer("erf", lambda x: (torch.erf(x), torch.sqrt(x), torch.rsqrt(x), torch.reciprocal(x)), u(2, 5))
layer("sign", lambda x: (torch.sign(x), torch.abs(x), torch.neg(x)), v([-2.0, 0.0, 3.0]))
layer("isnan", lambda x: (torch.isnan(x), torch.isinf(x), torch.isfinite(x)), v([0.0, float("nan"), float("inf")]))
layer("nan-to-num", lambda x: torch.nan_to_num(x, 1.0, 2.0, -2.0), v([0.0, float("nan"), float("inf"), float("-inf")]))
layer("comparisons", lambda x, y: (x < y, x <= y, x > y, x >= y, x == y, x != y), i(2, 5), i(2, 5))
layer("logical", lambda x, y: (x & y, x | y, x ^ y, ~x), b(2, 5), b(2, 5))
layer("bitwise", lambda x, y: (x & y, x | y, x ^ y, ~x), i(2, 5, high=99), i(2, 5, high=99))
layer("shifts", lambda x: (x << 2, x >> 1), i(2, 5, low=-99, high=99, dtype=torch.int32))
layer("maximum", lambda x, y: (torch.maximum(x, y), torch.minimum(x, y)), i(2, 5), i(5))
layer("lerp", lambda x, y: torch.lerp(x, y, 0.3), n(2, 5), n(2, 5))
layer("addcmul", lambda x, y, z: torch.addcmul(x, y, z, value=0.5) + torch.addcdiv(x, y, z + 9), n(2, 5), n(2, 5), n(2, 5))
layer("casts", lambda x: (x.int(), x.double(), x.half(), x.bool(), x.to(torch.uint8)), u(2, 5, low=0, high=9))
layer("promotion", lambda x, y: x * y + 1, i(2, 5), n(5))
layer("hypot-heaviside", lambda x, y: torch.heaviside(x, y), v([-1.0, 0.0, 2.0]), v([0.5, 0.5, 0.5]))
layer("empty", lambda x: torch.cat([x[:, :0], x], dim=1), n(2, 5))

# Losses, signals, quantisation
layer("cross-entropy", F.cross_entropy, n(3, 5), v([0, 4, 2]))
layer("cross-entropy-ignore", lambda x, t: F.cross_entropy(x, t, ignore_index=2, reduction="sum"), n(3, 5), v([0, 4, 2]))
layer("cross-entropy-weight", lambda x, t, w: F.cross_entropy(x, t, w), n(3, 5, 2), v([[0, 4], [2, 1], [3, 3]]), u(5))
layer("nll-loss", lambda x, t: F.nll_loss(x, t, reduction="none"), n(3, 5), v([0, 4, 2]))
layer("smooth-l1", F.smooth_l1_loss, n(3, 5), n(3, 5))
layer("bce-logits", F.binary_cross_entropy_with_logits, n(3, 5), u(3, 5, low=0, high=1))
layer("kl-div", lambda x, y: F.kl_div(x, y, reduction="batchmean"), n(3, 5), u(3, 5))
layer("stft", lambda x, w: torch.view_as_real(torch.stft(x, 8, 4, window=w, return_complex=True)), n(2, 32), u(8))
layer("stft-real", lambda x: torch.stft(x, 8, 4, window=torch.hann_window(8), center=False, return_complex=False), n(2, 32))
layer("fft", lambda x: torch.view_as_real(torch.fft.rfft(x)), n(2, 8))
layer("fft-inverse", lambda x: torch.fft.irfft(torch.fft.rfft(x)), n(2, 8))
layer("hann-window", lambda x: x * torch.hann_window(8), n(2, 8))
layer("fake-quantize", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.05, 3, -128, 127), n(2, 5))
layer("fake-quantize-unsigned", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.05, 3, 0, 255), n(2, 5))
layer("fake-quantize-channels",
      lambda x, s, z: torch.fake_quantize_per_channel_affine(x, s, z, 1, -128, 127), n(2, 3, 4), v([0.1, 0.05, 0.02]),
      v([0, 0, 0], torch.int32))
layer("dropout", lambda: nn.Sequential(nn.Linear(5, 5), nn.Dropout(0.5), nn.Dropout2d(0.3)), n(2, 3, 5, 5))


@torch.jit.script
def power_loop(x, count: int):
    for _ in range(count):
        x = x * 2 + 1
    return x


@torch.jit.script
def sign_branch(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    return y


@torch.jit.script
def list_loop(x):
    parts = []
    for index in range(x.size(0)):
        parts.append(x[index] * index)
    return torch.stack(parts)


@torch.jit.script
def while_loop(x):
    count = 0
    while bool(x.abs().sum() > 1.0):
        x = x / 2
        count += 1
    return x, torch.tensor(count)


layer("script-loop", lambda x: power_loop(x, 3), n(2, 3))
layer("script-branch", lambda x: sign_branch(x), n(2, 3))
layer("script-list", lambda x: list_loop(x), n(4, 3))
layer("script-while", lambda x: while_loop(x), n(2, 3))
layer("cond", lambda x: torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y * 2, (x,)), n(2, 3))
