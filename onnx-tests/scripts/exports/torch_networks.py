"""Networks written by hand for PyTorch: what users train and no library ships."""

from functools import partial

import torch
import torch.nn.functional as F
import torchvision.ops
from case import Subject
from torch import nn
from torch_export import dynamo, legacy, randomise, seeded


def block(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.SiLU())


class UNet(nn.Module):
    """Down by pooling, up by ConvTranspose, with connections across."""

    def __init__(self):
        super().__init__()
        self.down, self.deep = block(3, 8), block(8, 16)
        self.up, self.join, self.head = nn.ConvTranspose2d(16, 8, 2, stride=2), block(16, 8), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        down = self.down(x)
        deep = self.up(self.deep(F.max_pool2d(down, 2)))
        return self.head(self.join(torch.cat([down, deep], 1)))


class Yolo(nn.Module):
    """A head on two scales with decoded boxes, and the boxes that NonMaxSuppression leaves."""

    def __init__(self, suppress: bool):
        super().__init__()
        self.stem = nn.Sequential(block(3, 8), nn.MaxPool2d(2), block(8, 16))
        self.down, self.heads = nn.Conv2d(16, 16, 3, stride=2, padding=1), nn.ModuleList([nn.Conv2d(16, 9, 1) for _ in range(2)])
        self.suppress = suppress

    def forward(self, x):
        fine = self.stem(x)
        levels = [(fine, 2.0), (self.down(fine), 4.0)]
        flat = torch.cat([self.decode(head(level), stride) for head, (level, stride) in zip(self.heads, levels)], 1)
        if not self.suppress:
            return flat
        boxes, scores = flat[0, :, :4], flat[0, :, 4] * flat[0, :, 5:].amax(1)
        kept = torchvision.ops.nms(boxes, scores, 0.5)[:20]
        return boxes[kept], scores[kept], flat[0, :, 5:].argmax(1)[kept]

    def decode(self, raw, stride: float):
        batch, width, height, length = raw.shape
        rows, columns = torch.meshgrid(torch.arange(height), torch.arange(length), indexing="ij")
        raw = raw.permute(0, 2, 3, 1).reshape(batch, height * length, width)
        grid = torch.stack([columns, rows], -1).reshape(1, -1, 2)
        middle = (raw[..., :2].sigmoid() + grid) * stride
        half = raw[..., 2:4].exp() * stride / 2
        return torch.cat([middle - half, middle + half, (raw[..., 4:] * 4).sigmoid()], -1)


class Temporal(nn.Module):
    """A temporal convolutional network: causal dilated convolutions with residuals."""

    def __init__(self, width=4, levels=3):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv1d(width, width, 3, dilation=2**level) for level in range(levels)])

    def forward(self, x):
        for level, layer in enumerate(self.layers):
            x = x + F.relu(layer(F.pad(x, (2 * 2**level, 0))))
        return x


class Experts(nn.Module):
    """A mixture of experts: each row goes to its two best experts."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.first, self.second = nn.Parameter(torch.randn(4, 8, 16) / 3), nn.Parameter(torch.randn(4, 16, 8) / 4)

    def forward(self, x):
        weights, chosen = torch.topk(self.gate(x).softmax(-1), 2)
        hidden = F.gelu(torch.einsum("nd,edf->nef", x, self.first))
        answers = torch.einsum("nef,efd->ned", hidden, self.second)
        picked = torch.gather(answers, 1, chosen.unsqueeze(-1).expand(-1, -1, 8))
        return (picked * (weights / weights.sum(-1, keepdim=True)).unsqueeze(-1)).sum(1)


class Recommender(nn.Module):
    """Tables of categories and a dot-product interaction, as DLRM."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(10, 4) for _ in range(3)])
        self.bottom, self.top = nn.Linear(5, 4), nn.Linear(10, 1)

    def forward(self, dense, categories):
        features = [self.bottom(dense)] + [table(categories[:, index]) for index, table in enumerate(self.tables)]
        stacked = torch.stack(features, 1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        rows, columns = torch.tril_indices(4, 4, offset=-1)
        return torch.sigmoid(self.top(torch.cat([features[0], products[:, rows, columns]], 1)))


class GraphNetwork(nn.Module):
    """Messages along edges, summed at their targets."""

    def __init__(self, width=6, layers=2):
        super().__init__()
        self.width = width
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(layers)])

    def forward(self, nodes, edges):
        for layer in self.layers:
            messages = layer(nodes)[edges[0]]
            index = edges[1].unsqueeze(1).expand(-1, self.width)
            nodes = F.relu(nodes + torch.zeros_like(nodes).scatter_add(0, index, messages))
        return nodes


class Tagger(nn.Module):
    """Embedding, bidirectional LSTM, and a score of each token."""

    def __init__(self, cell):
        super().__init__()
        self.words, self.cell, self.head = nn.Embedding(20, 6), cell, nn.Linear(10, 4)

    def forward(self, ids):
        return self.head(self.cell(self.words(ids))[0]).log_softmax(-1)


class Diffusion(nn.Module):
    """One step of a denoiser: sinusoidal time, group normalisation, attention over pixels."""

    def __init__(self):
        super().__init__()
        self.entry, self.time = nn.Conv2d(3, 8, 3, padding=1), nn.Linear(8, 8)
        self.norm, self.attention, self.exit = nn.GroupNorm(2, 8), nn.MultiheadAttention(8, 2, batch_first=True), nn.Conv2d(8, 3, 1)

    def forward(self, x, step):
        frequencies = torch.exp(torch.arange(4) * -1.0)
        phase = step.unsqueeze(1) * frequencies
        time = self.time(torch.cat([phase.sin(), phase.cos()], 1))
        x = F.silu(self.norm(self.entry(x) + time[:, :, None, None]))
        batch, channels, height, width = x.shape
        flat = x.flatten(2).transpose(1, 2)
        flat = flat + self.attention(flat, flat, flat, need_weights=False)[0]
        return self.exit(flat.transpose(1, 2).reshape(batch, channels, height, width))


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 8, 5, padding=2), nn.Conv2d(8, 9, 3, padding=1)

    def forward(self, x):
        return F.pixel_shuffle(self.second(F.relu(self.first(x))), 3) + F.interpolate(x, scale_factor=3, mode="bicubic")


class Warp(nn.Module):
    """A spatial transformer."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3 * 36, 6)

    def forward(self, x):
        matrix = self.head(x.flatten(1)).tanh().reshape(-1, 2, 3)
        return F.grid_sample(x, F.affine_grid(matrix, x.shape, align_corners=False), align_corners=False)


def edges():
    return torch.randn(5, 6), torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 4, 4]])


def lstm():
    return nn.LSTM(6, 5, bidirectional=True, batch_first=True)


# Name → (constructor, inputs, opsets by tracing, opsets by torch.export, whether the first axis is dynamic).
NETWORKS = {
    "unet": (UNet, lambda: (torch.rand(2, 3, 16, 16),), (9, 13), (18,), True),
    "yolo": (lambda: Yolo(False), lambda: (torch.rand(1, 3, 16, 16),), (11, 17), (18,), False),
    "yolo-nms": (lambda: Yolo(True), lambda: (torch.rand(1, 3, 16, 16),), (11, 16), (20,), False),
    "tcn": (Temporal, lambda: (torch.randn(2, 4, 12),), (9, 15), (18,), True),
    "mixture-of-experts": (Experts, lambda: (torch.randn(5, 8),), (12, 17), (21,), True),
    "recommender": (Recommender, lambda: (torch.randn(3, 5), torch.randint(0, 10, (3, 3))), (11, 14), (18,), True),
    "graph-network": (GraphNetwork, edges, (16, 18), (19,), False),
    "tagger-lstm": (lambda: Tagger(lstm()), lambda: (torch.randint(0, 20, (2, 7)),), (9, 14), (22,), False),
    "tagger-gru": (lambda: Tagger(nn.GRU(6, 5, bidirectional=True, batch_first=True)),
                   lambda: (torch.randint(0, 20, (2, 7)),), (10, 17), (18,), False),
    "diffusion": (Diffusion, lambda: (torch.randn(2, 3, 8, 8), torch.tensor([3.0, 8.0])), (14, 17), (18, 23), False),
    "super-resolution": (SuperResolution, lambda: (torch.rand(1, 1, 8, 8),), (11, 17), (18,), False),
    "spatial-transformer": (Warp, lambda: (torch.rand(2, 3, 6, 6),), (16, 20), (20,), False),
}


def export(name: str, exporter, opset: int):
    seeded(name)
    construct, inputs, _, _, dynamic = NETWORKS[name]
    return exporter(randomise(construct()), inputs(), opset, dynamic)


def subjects() -> list[Subject]:
    rows = [
        (name, exporter, opset)
        for name, row in NETWORKS.items()
        for exporter, opsets in ((legacy, row[2]), (dynamo, row[3]))
        for opset in opsets
    ]
    return [
        Subject("torch-networks", f"{name}-{exporter.__name__}-{opset}", partial(export, name, exporter, opset), (1e-3, 1e-4))
        for name, exporter, opset in rows
    ]
