"""Networks of `survey` over sounds, texts, points and tables that no library ships, written by hand in the way of their
papers.
"""

import torch
import torch.nn.functional as F
from survey_images import Residual, unit
from torch import nn


def conv1(inputs, outputs, size=1, act=True, **more):
    layers = [nn.Conv1d(inputs, outputs, size, **more), nn.BatchNorm1d(outputs)]
    return nn.Sequential(*layers, nn.ReLU()) if act else nn.Sequential(*layers)


class PointNet(nn.Module):
    """A transform of the points from the points, perceptrons of each point, the maximum over points."""

    def __init__(self):
        super().__init__()
        self.look, self.turn = nn.Sequential(conv1(3, 64), conv1(64, 128), conv1(128, 1024)), nn.Sequential(
            nn.Linear(1024, 512), nn.ReLU(), nn.Linear(512, 9))
        self.first, self.second = conv1(3, 64), nn.Sequential(conv1(64, 128), conv1(128, 1024, act=False))
        self.head = nn.Sequential(nn.Linear(1024, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, 40))

    def forward(self, x):
        matrix = self.turn(self.look(x).amax(2)).view(-1, 3, 3) + torch.eye(3)
        x = torch.bmm(x.transpose(1, 2), matrix).transpose(1, 2)
        return self.head(self.second(self.first(x)).amax(2)).log_softmax(-1)


class WaveNet(nn.Module):
    """Causal dilated convolutions with gates tanh · sigmoid, residuals and skips."""

    def __init__(self, width=64, depth=8):
        super().__init__()
        self.entry = nn.Conv1d(1, width, 1)
        self.gates = nn.ModuleList([nn.Conv1d(width, 2 * width, 2, dilation=2**level) for level in range(depth)])
        self.outs = nn.ModuleList([nn.Conv1d(width, 2 * width, 1) for _ in range(depth)])
        self.head = nn.Sequential(nn.ReLU(), nn.Conv1d(width, 256, 1))

    def forward(self, x):
        x, total = self.entry(x), 0
        for level, (gate, out) in enumerate(zip(self.gates, self.outs)):
            value, control = gate(F.pad(x, (2**level, 0))).chunk(2, 1)
            more, skip = out(value.tanh() * control.sigmoid()).chunk(2, 1)
            x, total = x + more, total + skip
        return self.head(total)


class Separator(nn.Module):
    """Conv-TasNet: an encoder of the wave, masks by dilated depthwise convolutions, a decoder by ConvTranspose."""

    def __init__(self, width=128, hidden=256, depth=6):
        super().__init__()
        self.encoder, self.decoder = nn.Conv1d(1, width, 16, 8), nn.ConvTranspose1d(width, 1, 16, 8)
        self.blocks = nn.Sequential(nn.GroupNorm(1, width), *[Residual(
            nn.Conv1d(width, hidden, 1), nn.PReLU(), nn.GroupNorm(1, hidden),
            nn.Conv1d(hidden, hidden, 3, padding=2**level, dilation=2**level, groups=hidden), nn.PReLU(),
            nn.GroupNorm(1, hidden), nn.Conv1d(hidden, width, 1)) for level in range(depth)])
        self.masks = nn.Conv1d(width, 2 * width, 1)

    def forward(self, x):
        code = self.encoder(x).relu()
        masks = self.masks(self.blocks(code)).sigmoid().view(2, -1, code.shape[-1])
        return self.decoder(masks * code)


class Translator(nn.Module):
    """`nn.Transformer` with its causal mask."""

    def __init__(self, width=512):
        super().__init__()
        self.words = nn.Embedding(4000, width)
        self.places = nn.Parameter(torch.randn(64, width) / 8)
        self.body = nn.Transformer(width, 8, 2, 2, 2048, batch_first=True)
        self.head = nn.Linear(width, 4000)

    def forward(self, source, target):
        length = target.shape[1]
        mask = torch.full((length, length), float("-inf")).triu(1)
        source = self.words(source) + self.places[: source.shape[1]]
        return self.head(self.body(source, self.words(target) + self.places[:length], tgt_mask=mask, tgt_is_causal=False))


class Forecaster(nn.Module):
    """N-BEATS: stacks that subtract what they explain and add what they forecast."""

    def __init__(self, past=96, future=24, width=256, depth=6):
        super().__init__()
        self.past = past
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(past, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
                                                   nn.Linear(width, width), nn.ReLU(), nn.Linear(width, past + future)) for _ in range(depth)])

    def forward(self, x):
        total = 0
        for block in self.blocks:
            back, ahead = block(x).split([self.past, 24], -1)
            x, total = x - back, total + ahead
        return total


class Language(nn.Module):
    """A language model of two LSTM layers, with the whole state as a result."""

    def __init__(self, width=512):
        super().__init__()
        self.words, self.cell, self.head = nn.Embedding(4000, width), nn.LSTM(width, width, 2, batch_first=True), nn.Linear(width, 4000)

    def forward(self, ids):
        states, (hidden, cell) = self.cell(self.words(ids))
        return self.head(states), hidden, cell


def spectrogram() -> nn.Sequential:
    """A keyword spotter over a mel spectrogram."""
    body = [unit(1, 64, 5, 2)] + [nn.Sequential(unit(64, 64, 3, groups=64), unit(64, 64, 1)) for _ in range(4)]
    return nn.Sequential(nn.BatchNorm2d(1), *body, nn.AvgPool2d((4, 4)), nn.Flatten(), nn.Linear(64 * 8 * 25, 12), nn.Softmax(-1))


class Cross(nn.Module):
    """Deep & Cross v2."""

    def __init__(self, width=39, depth=3):
        super().__init__()
        self.cross = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.deep = nn.Sequential(nn.Linear(width, 256), nn.ReLU(), nn.BatchNorm1d(256), nn.Linear(256, 256), nn.ReLU())
        self.head = nn.Linear(256 + width, 1)

    def forward(self, x):
        crossed = x
        for layer in self.cross:
            crossed = x * layer(crossed) + crossed
        return self.head(torch.cat([crossed, self.deep(x)], 1)).sigmoid()


class Mixture(nn.Module):
    """A mixture of experts: each row goes to its two best experts, all are computed."""

    def __init__(self, width=256, hidden=512, count=4):
        super().__init__()
        self.width, self.gate = width, nn.Linear(width, count)
        self.first, self.second = nn.Parameter(torch.randn(count, width, hidden) / 16), nn.Parameter(torch.randn(count, hidden, width) / 22)

    def forward(self, x):
        weights, chosen = torch.topk(self.gate(x).softmax(-1), 2)
        answers = torch.einsum("nef,efd->ned", F.gelu(torch.einsum("nd,edf->nef", x, self.first)), self.second)
        picked = torch.gather(answers, 1, chosen.unsqueeze(-1).expand(-1, -1, self.width))
        return (picked * (weights / weights.sum(-1, keepdim=True)).unsqueeze(-1)).sum(1)


def experts() -> nn.Sequential:
    return nn.Sequential(Residual(nn.LayerNorm(256), Mixture()), Residual(nn.LayerNorm(256), Mixture()))


class ConformerBlock(nn.Module):
    """Half perceptron, attention with relative positions, gated convolution, half perceptron."""

    def __init__(self, width=256, heads=4, size=31):
        super().__init__()
        self.heads, self.width = heads, width
        self.halves = nn.ModuleList([nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width)) for _ in range(2)])
        self.norm, self.qkv, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.place, self.u, self.v = nn.Linear(width, width, bias=False), nn.Parameter(torch.randn(heads, 1, width // heads) / 8), nn.Parameter(
            torch.randn(heads, 1, width // heads) / 8)
        self.before, self.gated = nn.LayerNorm(width), nn.Conv1d(width, 2 * width, 1)
        self.deep = nn.Sequential(nn.Conv1d(width, width, size, padding=size // 2, groups=width), nn.BatchNorm1d(width), nn.SiLU(), nn.Conv1d(width, width, 1))
        self.last = nn.LayerNorm(width)

    def attend(self, x, places):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        p = self.place(places).view(1, -1, self.heads, self.width // self.heads).permute(0, 2, 3, 1)
        there = (q + self.v) @ p
        there = F.pad(there, (1, 0)).view(batch, self.heads, 2 * length, length)[:, :, 1:].view(batch, self.heads, length, 2 * length - 1)
        scores = ((q + self.u) @ k.transpose(-1, -2) + there[..., :length]) / (self.width // self.heads) ** 0.5
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, self.width))

    def forward(self, x, places):
        x = x + 0.5 * self.halves[0](x)
        x = x + self.attend(self.norm(x), places)
        x = x + self.deep(F.glu(self.gated(self.before(x).transpose(1, 2)), 1)).transpose(1, 2)
        return self.last(x + 0.5 * self.halves[1](x))


class Conformer(nn.Module):
    def __init__(self, width=256, length=200):
        super().__init__()
        self.blocks, self.head = nn.ModuleList([ConformerBlock(width) for _ in range(2)]), nn.Linear(width, 500)
        self.register_buffer("places", torch.randn(2 * length - 1, width))

    def forward(self, x):
        for block in self.blocks:
            x = block(x, self.places)
        return self.head(x).log_softmax(-1)


class Tabular(nn.Module):
    """FT-Transformer: each number is a token; a class token's answer is used."""

    def __init__(self, columns=30, width=96):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(columns, width)), nn.Parameter(torch.randn(columns, width))
        self.first = nn.Parameter(torch.randn(1, 1, width))
        layer = nn.TransformerEncoderLayer(width, 8, 192, activation="gelu", batch_first=True, norm_first=True)
        self.body, self.head = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False), nn.Linear(width, 1)

    def forward(self, x):
        tokens = x.unsqueeze(-1) * self.weight + self.bias
        tokens = torch.cat([self.first.expand(x.shape[0], -1, -1), tokens], 1)
        return self.head(self.body(tokens)[:, 0])


def vocoder() -> nn.Sequential:
    """HiFi-GAN: ConvTranspose1d and residual dilated convolutions, from a mel spectrogram to a wave."""
    def residual(width):
        return nn.Sequential(*[Residual(nn.LeakyReLU(0.1), nn.Conv1d(width, width, 3, padding=d, dilation=d)) for d in (1, 3, 5)])
    layers, width = [nn.Conv1d(80, 128, 7, padding=3)], 128
    for rate in (8, 8, 2):
        layers += [nn.LeakyReLU(0.1), nn.ConvTranspose1d(width, width // 2, 2 * rate, rate, rate // 2), residual(width // 2)]
        width //= 2
    return nn.Sequential(*layers, nn.LeakyReLU(), nn.Conv1d(width, 1, 7, padding=3), nn.Tanh())
