"""Networks of `survey` over images and volumes that no library ships, written by hand in the way of their papers."""

import torch
import torch.nn.functional as F
from torch import nn


def unit(inputs: int, outputs: int, size=3, stride=1, groups=1, act=nn.ReLU) -> nn.Sequential:
    """Convolution, batch normalisation, activation."""
    layers = [nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, act()) if act else nn.Sequential(*layers)


class Residual(nn.Module):
    """The input plus a module's result."""

    def __init__(self, *modules):
        super().__init__()
        self.inner = nn.Sequential(*modules)

    def forward(self, x):
        return x + self.inner(x)


class Turned(nn.Module):
    """Applies a module with the last two axes exchanged."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x.transpose(1, 2)).transpose(1, 2)


def perceptron(width: int, hidden: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))


class Mixer(nn.Module):
    """MLP-Mixer: perceptrons over tokens and over channels in turn."""

    def __init__(self, width=384, depth=4, tokens=196):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.blocks = nn.Sequential(*[
            nn.Sequential(Residual(nn.LayerNorm(width), Turned(perceptron(tokens, 192))),
                          Residual(nn.LayerNorm(width), perceptron(width, 1536)))
            for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    def forward(self, x):
        x = self.blocks(self.patches(x).flatten(2).transpose(1, 2))
        return self.head(self.norm(x).mean(1))


def conv_mixer(width=256, depth=4) -> nn.Sequential:
    """ConvMixer: depthwise 9 × 9 with a residual, then 1 × 1; GELU before each normalisation."""
    def after(convolution):
        return nn.Sequential(convolution, nn.GELU(), nn.BatchNorm2d(width))
    blocks = [nn.Sequential(Residual(after(nn.Conv2d(width, width, 9, padding=4, groups=width))), after(nn.Conv2d(width, width, 1)))
              for _ in range(depth)]
    return nn.Sequential(after(nn.Conv2d(3, width, 7, 7)), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 1000))


class GhostUnit(nn.Module):
    """Half of the channels from a convolution, the other half from a cheap one over them."""

    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.first, self.cheap = unit(inputs, outputs // 2, 1, stride), unit(outputs // 2, outputs // 2, 3, groups=outputs // 2)

    def forward(self, x):
        first = self.first(x)
        return torch.cat([first, self.cheap(first)], 1)


def ghost() -> nn.Sequential:
    widths = (16, 24, 40, 80, 160)
    blocks = [nn.Sequential(GhostUnit(before, after, 2), Residual(GhostUnit(after, after))) for before, after in zip(widths, widths[1:])]
    return nn.Sequential(unit(3, 16, 3, 2), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(160, 1000))


class InvolutionLayer(nn.Module):
    """A kernel for each pixel, made from the pixel: Im2Col and a sum of products."""

    def __init__(self, width, size=3, groups=4):
        super().__init__()
        self.size, self.groups = size, groups
        self.kernels = nn.Sequential(unit(width, width // 4, 1), nn.Conv2d(width // 4, size * size * groups, 1))

    def forward(self, x):
        batch, width, height, length = x.shape
        kernels = self.kernels(x).view(batch, self.groups, 1, self.size**2, height, length)
        patches = F.unfold(x, self.size, padding=self.size // 2)
        patches = patches.view(batch, self.groups, width // self.groups, self.size**2, height, length)
        return (kernels * patches).sum(3).view(batch, width, height, length)


class Involution(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.stem = nn.Sequential(unit(3, width, 7, 4), nn.MaxPool2d(2))
        self.blocks = nn.Sequential(*[Residual(unit(width, width, 1), InvolutionLayer(width), unit(width, width, 1)) for _ in range(3)])
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


class BiFPN(nn.Module):
    """EfficientDet's pyramid: weighted sums of levels, nearest resizing up, max pooling down, separable convolutions."""

    def __init__(self, width=64, levels=4):
        super().__init__()
        widths = (32, 64, 128, 256)
        self.stem = unit(3, 16, 3, 2)
        self.down = nn.ModuleList([unit(before, after, 3, 2) for before, after in zip((16, *widths), widths)])
        self.side = nn.ModuleList([nn.Conv2d(each, width, 1) for each in widths])
        self.up = nn.ModuleList([self.separable(width) for _ in range(levels - 1)])
        self.back = nn.ModuleList([self.separable(width) for _ in range(levels - 1)])
        self.weights = nn.Parameter(torch.rand(2 * (levels - 1), 2))

    @staticmethod
    def separable(width):
        return nn.Sequential(nn.Conv2d(width, width, 3, padding=1, groups=width, bias=False), unit(width, width, 1, act=nn.SiLU))

    def forward(self, x):
        x, levels = self.stem(x), []
        for down, side in zip(self.down, self.side):
            x = down(x)
            levels.append(side(x))
        weights = self.weights.relu()
        weights = weights / (weights.sum(1, keepdim=True) + 1e-4)
        for index, level in enumerate(range(len(levels) - 2, -1, -1)):
            above = F.interpolate(levels[level + 1], scale_factor=2.0, mode="nearest")
            levels[level] = self.up[index](weights[index, 0] * levels[level] + weights[index, 1] * above)
        for level in range(1, len(levels)):
            below, pair = F.max_pool2d(levels[level - 1], 3, 2, 1), weights[len(levels) - 2 + level]
            levels[level] = self.back[level - 1](pair[0] * levels[level] + pair[1] * below)
        return tuple(levels)


def generator() -> nn.Sequential:
    """DCGAN: ConvTranspose 4 × 4 with stride 2, from a vector to 64 × 64."""
    def up(inputs, outputs, stride=2, padding=1):
        return nn.Sequential(nn.ConvTranspose2d(inputs, outputs, 4, stride, padding, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())
    return nn.Sequential(up(100, 256, 1, 0), up(256, 128), up(128, 64), up(64, 32), nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh())


class Modulated(nn.Module):
    """StyleGAN2: weights scaled by a style and normalised, then a convolution whose weights are no constants."""

    def __init__(self, inputs, outputs, style=256):
        super().__init__()
        self.weight, self.style = nn.Parameter(torch.randn(outputs, inputs, 3, 3) / (3 * inputs**0.5)), nn.Linear(style, inputs)

    def forward(self, x, style):
        weight = self.weight * (1 + self.style(style)).view(1, -1, 1, 1)
        weight = weight * torch.rsqrt(weight.square().sum((1, 2, 3), keepdim=True) + 1e-8)
        x = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        return F.leaky_relu(F.conv2d(x, weight, padding=1), 0.2)


class Style(nn.Module):
    def __init__(self, widths=(256, 128, 64, 32)):
        super().__init__()
        self.map = nn.Sequential(*[nn.Sequential(nn.Linear(256, 256), nn.LeakyReLU(0.2)) for _ in range(4)])
        self.start = nn.Parameter(torch.randn(1, 256, 8, 8))
        self.layers = nn.ModuleList([Modulated(before, after) for before, after in zip((256, *widths), widths)])
        self.colour = nn.Conv2d(widths[-1], 3, 1)

    def forward(self, z):
        style = self.map(F.normalize(z, dim=1))
        x = self.start
        for layer in self.layers:
            x = layer(x, style)
        return self.colour(x)


class SuperResolution(nn.Module):
    """EDSR: residual blocks, PixelShuffle, and the picture resized bicubically beside."""

    def __init__(self, width=32, depth=4):
        super().__init__()
        self.entry = nn.Conv2d(3, width, 3, padding=1)
        self.blocks = nn.Sequential(*[Residual(nn.Conv2d(width, width, 3, padding=1), nn.PReLU(width), nn.Conv2d(width, width, 3, padding=1))
                                      for _ in range(depth)])
        self.up = nn.Sequential(nn.Conv2d(width, 4 * width, 3, padding=1), nn.PixelShuffle(2), nn.Conv2d(width, 3, 3, padding=1))

    def forward(self, x):
        first = self.entry(x)
        return self.up(first + self.blocks(first)) + F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False)


def dncnn(width=64, depth=5) -> nn.Module:
    return Residual(nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), *[unit(width, width) for _ in range(depth)], nn.Conv2d(width, 1, 3, padding=1))


class Reader(nn.Module):
    """CRNN: a convolutional network of a line of text, a bidirectional LSTM over its columns."""

    def __init__(self):
        super().__init__()
        self.look = nn.Sequential(unit(1, 32), nn.MaxPool2d(2), unit(32, 64), nn.MaxPool2d(2), unit(64, 128), nn.MaxPool2d((2, 1)),
                                  unit(128, 256), nn.MaxPool2d((4, 1)))
        self.read, self.head = nn.LSTM(256, 128, bidirectional=True), nn.Linear(256, 100)

    def forward(self, x):
        return self.head(self.read(self.look(x).squeeze(2).permute(2, 0, 1))[0]).log_softmax(-1)


class TimeBlock(nn.Module):
    """GroupNorm, SiLU, convolution, a vector of the time added to each pixel, once more, and a residual."""

    def __init__(self, inputs, outputs, time):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(16, inputs), nn.SiLU(), nn.Conv2d(inputs, outputs, 3, padding=1))
        self.second = nn.Sequential(nn.GroupNorm(16, outputs), nn.SiLU(), nn.Conv2d(outputs, outputs, 3, padding=1))
        self.time, self.side = nn.Linear(time, outputs), nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, time):
        return self.side(x) + self.second(self.first(x) + self.time(F.silu(time))[:, :, None, None])


class CrossBlock(nn.Module):
    """Attention over pixels, attention to a text, and a gated perceptron (GEGLU), as in Stable Diffusion."""

    def __init__(self, width, text, heads=4):
        super().__init__()
        self.heads, self.entry, self.exit = heads, nn.GroupNorm(16, width), nn.Conv2d(width, width, 1)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.q = nn.ModuleList([nn.Linear(width, width, bias=False) for _ in range(2)])
        self.kv = nn.ModuleList([nn.Linear(source, 2 * width, bias=False) for source in (width, text)])
        self.out = nn.ModuleList([nn.Linear(width, width) for _ in range(2)])
        self.gate, self.down = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def attend(self, index, x, source):
        def split(value):
            return value.view(1, -1, self.heads, value.shape[-1] // self.heads).transpose(1, 2)
        k, v = self.kv[index](source).chunk(2, -1)
        answer = F.scaled_dot_product_attention(split(self.q[index](x)), split(k), split(v))
        return self.out[index](answer.transpose(1, 2).flatten(2))

    def forward(self, image, text):
        x = self.entry(image).flatten(2).transpose(1, 2)
        own = self.norms[0](x)
        x = x + self.attend(0, own, own)
        x = x + self.attend(1, self.norms[1](x), text)
        value, gate = self.gate(self.norms[2](x)).chunk(2, -1)
        x = x + self.down(value * F.gelu(gate))
        return image + self.exit(x.transpose(1, 2).reshape(image.shape))


class Denoiser(nn.Module):
    """The U-Net of a latent diffusion model, two levels."""

    def __init__(self, width=64, text=256):
        super().__init__()
        self.width, self.time = width, nn.Sequential(nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, 4 * width))
        self.entry, self.high = nn.Conv2d(4, width, 3, padding=1), TimeBlock(width, width, 4 * width)
        self.down, self.low = nn.Conv2d(width, width, 3, 2, 1), TimeBlock(width, 2 * width, 4 * width)
        self.cross, self.middle = CrossBlock(2 * width, text), TimeBlock(2 * width, 2 * width, 4 * width)
        self.up, self.join = nn.Conv2d(2 * width, 2 * width, 3, padding=1), TimeBlock(3 * width, width, 4 * width)
        self.exit = nn.Sequential(nn.GroupNorm(16, width), nn.SiLU(), nn.Conv2d(width, 4, 3, padding=1))

    def forward(self, x, step, text):
        phase = step[:, None] * torch.exp(torch.arange(self.width // 2) * (-9.21 / (self.width // 2)))
        time = self.time(torch.cat([phase.cos(), phase.sin()], -1))
        high = self.high(self.entry(x), time)
        low = self.cross(self.low(self.down(high), time), text)
        low = self.up(F.interpolate(self.middle(low, time), scale_factor=2.0, mode="nearest"))
        return self.exit(self.join(torch.cat([low, high], 1), time))


def decoder(width=64) -> nn.Sequential:
    """A decoder of latents: residual blocks with GroupNorm, nearest resizing."""
    def block():
        half = (nn.GroupNorm(16, width), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1))
        return Residual(*half, nn.GroupNorm(16, width), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1))
    up = (nn.Upsample(scale_factor=2.0, mode="nearest"), nn.Conv2d(width, width, 3, padding=1))
    return nn.Sequential(nn.Conv2d(4, width, 3, padding=1), block(), *up, block(), nn.Upsample(scale_factor=2.0, mode="nearest"),
                         nn.Conv2d(width, width, 3, padding=1), nn.GroupNorm(16, width), nn.SiLU(), nn.Conv2d(width, 3, 3, padding=1))


class Volume(nn.Module):
    """A U-Net over volumes: Conv3d, InstanceNorm, LeakyReLU, trilinear resizing and ConvTranspose3d."""

    def __init__(self, width=16):
        super().__init__()
        def block(inputs, outputs):
            return nn.Sequential(nn.Conv3d(inputs, outputs, 3, padding=1), nn.InstanceNorm3d(outputs, affine=True), nn.LeakyReLU())
        self.high, self.low, self.deep = block(1, width), block(width, 2 * width), block(2 * width, 4 * width)
        self.up, self.join = nn.ConvTranspose3d(4 * width, 2 * width, 2, 2), block(4 * width, 2 * width)
        self.last, self.head = block(3 * width, width), nn.Conv3d(width, 2, 1)

    def forward(self, x):
        high = self.high(x)
        low = self.low(F.max_pool3d(high, 2))
        x = self.join(torch.cat([self.up(self.deep(F.max_pool3d(low, 2))), low], 1))
        x = F.interpolate(x, scale_factor=2.0, mode="trilinear", align_corners=False)
        return self.head(self.last(torch.cat([x, high], 1))).softmax(1)


class Resolutions(nn.Module):
    """HRNet: three resolutions in parallel, each is the sum of all, resized bilinearly or convolved with stride 2."""

    def __init__(self, widths=(18, 36, 72)):
        super().__init__()
        self.stem = nn.Sequential(unit(3, 64, 3, 2), unit(64, widths[0], 3, 2))
        self.down = nn.ModuleList([unit(before, after, 3, 2) for before, after in zip(widths, widths[1:])])
        self.rows = nn.ModuleList([nn.Sequential(*[Residual(unit(width, width), unit(width, width, act=None)) for _ in range(2)]) for width in widths])
        self.ways = nn.ModuleList([nn.ModuleList([self.way(a, b, widths) for a in range(3)]) for b in range(3)])

    @staticmethod
    def way(a, b, widths):
        if a < b:
            return nn.Sequential(*[unit(widths[i], widths[i + 1], 3, 2, act=None if i + 1 == b else nn.ReLU) for i in range(a, b)])
        return nn.Identity() if a == b else unit(widths[a], widths[b], 1, act=None)

    def forward(self, x):
        levels = [self.stem(x)]
        for down in self.down:
            levels.append(down(levels[-1]))
        levels = [row(level) for row, level in zip(self.rows, levels)]
        fused = []
        for target, ways in zip(levels, self.ways):
            parts = [way(level) for way, level in zip(ways, levels)]
            parts = [part if part.shape == target.shape else F.interpolate(
                part, size=target.shape[2:], mode="bilinear", align_corners=True) for part in parts]
            fused.append(F.relu(parts[0] + parts[1] + parts[2]))
        top = fused[0].shape[2:]
        return torch.cat([fused[0]] + [F.interpolate(level, size=top, mode="bilinear", align_corners=True) for level in fused[1:]], 1)
