"""Networks in the sizes that people deploy, with random weights: what `bench` measures. The other modules export small
configurations, which test semantics in less time.

The expected outputs are those of PyTorch; of a quantised network, those of ONNX Runtime without optimisation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
import torchvision.models as models
import transformers as t
from case import Subject
from quantised_models import blocks, dynamic, halves, quantise, static
from torch import nn
from torch_export import dynamo, legacy, randomise, seeded
from torch_networks import GraphNetwork, Temporal, block
from torch_text import Answer, WithPast
from torch_vision import Segmenter, ssd
from torchvision.models import segmentation
from torchvision.ops import nms

@dataclass
class Network:
    module: Callable
    inputs: Callable
    opset: int = 17
    exporter: Callable = legacy
    dtype: torch.dtype = torch.float32


def drawn(*shape):
    return lambda: (torch.rand(shape),)


def tokens(length: int, high: int, *more):
    """Token ids, a mask of ones, and further values that are drawn by `more`."""
    return lambda: (torch.randint(3, high, (1, length)), torch.ones(1, length, dtype=torch.int64), *(draw() for draw in more))


def text(model, *names, **fixed):
    return lambda: Answer(model(), ("input_ids", "attention_mask", *names), **fixed)


class UNet(nn.Module):
    """Four levels down by pooling, up by ConvTranspose, with connections across."""

    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        self.down = nn.ModuleList([block(before, after) for before, after in zip((3, *widths), widths)])
        pairs = list(zip(widths[::-1], widths[-2::-1]))
        self.up = nn.ModuleList([nn.ConvTranspose2d(before, after, 2, stride=2) for before, after in pairs])
        self.join = nn.ModuleList([block(2 * after, after) for _, after in pairs])
        self.head = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        across = []
        for level, down in enumerate(self.down):
            x = down(F.max_pool2d(x, 2) if level else x)
            across.append(x)
        for up, join, beside in zip(self.up, self.join, across[-2::-1]):
            x = join(torch.cat([up(x), beside], 1))
        return self.head(x)


class Yolo(nn.Module):
    """A backbone of residual blocks, heads on two scales, and the boxes that NonMaxSuppression leaves."""

    def __init__(self, classes=20):
        super().__init__()
        self.stem = nn.Sequential(block(3, 16), nn.MaxPool2d(2), block(16, 32), nn.MaxPool2d(2), block(32, 64), nn.MaxPool2d(2))
        self.fine, self.coarse = block(64, 128), nn.Sequential(nn.MaxPool2d(2), block(128, 256))
        self.heads = nn.ModuleList([nn.Conv2d(width, 5 + classes, 1) for width in (128, 256)])

    def forward(self, x):
        fine = self.fine(self.stem(x))
        levels = [(fine, 8.0), (self.coarse(fine), 16.0)]
        rows = [head(level).flatten(2)[0].t() * torch.tensor(1 / stride) for head, (level, stride) in zip(self.heads, levels)]
        found = torch.cat(rows)
        middle, half = found[:, :2] * 16 + 64, found[:, 2:4].exp()
        boxes, scores = torch.cat([middle - half, middle + half], 1), found[:, 4]
        kept = nms(boxes, scores, 0.5)[:50]
        return boxes[kept], scores[kept]


class Tagger(nn.Module):
    """Embedding, two bidirectional recurrent layers, and a score of each token."""

    def __init__(self, cell):
        super().__init__()
        self.words, self.head = nn.Embedding(2000, 128), nn.Linear(512, 20)
        self.cell = cell(128, 256, 2, bidirectional=True, batch_first=True)

    def forward(self, ids):
        return self.head(self.cell(self.words(ids))[0]).log_softmax(-1)


class Recommender(nn.Module):
    """Tables of categories, two perceptrons and the products of all pairs of features, as DLRM."""

    def __init__(self, tables=26, width=64):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(1000, width) for _ in range(tables)])
        self.bottom = nn.Sequential(nn.Linear(13, 512), nn.ReLU(), nn.Linear(512, width), nn.ReLU())
        pairs = tables * (tables + 1) // 2
        self.top = nn.Sequential(nn.Linear(width + pairs, 512), nn.ReLU(), nn.Linear(512, 1), nn.Sigmoid())

    def forward(self, dense, categories):
        features = [self.bottom(dense)] + [table(categories[:, index]) for index, table in enumerate(self.tables)]
        stacked = torch.stack(features, 1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        rows, columns = torch.tril_indices(len(features), len(features), offset=-1)
        return self.top(torch.cat([features[0], products[:, rows, columns]], 1))


def llama(**more):
    return t.LlamaConfig(hidden_size=512, num_hidden_layers=8, num_attention_heads=8, num_key_value_heads=2,
                         intermediate_size=1376, vocab_size=4000, max_position_embeddings=256, **more)


def gpt2():
    return t.GPT2Config(n_layer=4, vocab_size=4000, bos_token_id=0, eos_token_id=0)


def whisper():
    return t.WhisperConfig(d_model=384, encoder_layers=4, decoder_layers=4, encoder_attention_heads=6,
                           decoder_attention_heads=6, encoder_ffn_dim=1536, decoder_ffn_dim=1536, vocab_size=4000,
                           pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)


def past(heads: int, width: int, layers: int, length=127, high=4000):
    """One new token after a cache of `length`."""
    def draw():
        cache = [torch.randn(1, heads, length, width) for _ in range(2 * layers)]
        return torch.randint(3, high, (1, 1)), torch.ones(1, length + 1, dtype=torch.int64), *cache
    return draw


def edges(nodes=500, count=4000, width=64):
    return lambda: (torch.randn(nodes, width), torch.randint(0, nodes, (2, count)))


IMAGE = drawn(1, 3, 224, 224)
SCENE = drawn(1, 3, 256, 256)
VISION = {
    "mobilenet-v2": lambda: models.mobilenet_v2(),
    "mobilenet-v3": lambda: models.mobilenet_v3_large(),
    "mnasnet": lambda: models.mnasnet1_0(),
    "efficientnet-b0": lambda: models.efficientnet_b0(),
    "regnet-y": lambda: models.regnet_y_800mf(),
    "regnet-x": lambda: models.regnet_x_800mf(),
    "resnet50": lambda: models.resnet50(),
    "resnext50": lambda: models.resnext50_32x4d(),
    "convnext-t": lambda: models.convnext_tiny(),
    "densenet-169": lambda: models.densenet169(),
    "googlenet": lambda: models.googlenet(aux_logits=False, init_weights=False),
    "shufflenet-v2": lambda: models.shufflenet_v2_x1_0(),
    "vit-b16": lambda: models.vit_b_16(),
    "swin-t": lambda: models.swin_t(),
}
NETWORKS = {name: Network(module, IMAGE) for name, module in VISION.items()} | {
    "mobilenet-v2-float16": Network(VISION["mobilenet-v2"], IMAGE, dtype=torch.float16),
    "deeplab-v3": Network(lambda: Segmenter(segmentation.deeplabv3_mobilenet_v3_large(
        weights=None, weights_backbone=None)), SCENE),
    "lraspp": Network(lambda: Segmenter(segmentation.lraspp_mobilenet_v3_large(
        weights=None, weights_backbone=None)), SCENE),
    "unet": Network(UNet, SCENE),
    "yolo-nms": Network(Yolo, SCENE, 16),
    "ssdlite": Network(partial(ssd, 21), drawn(3, 320, 320)),
    "clip-vision": Network(lambda: Answer(t.CLIPVisionModel(t.CLIPVisionConfig(num_hidden_layers=6)), ("pixel_values",)), IMAGE),
    "bert": Network(text(lambda: t.BertModel(t.BertConfig(num_hidden_layers=4))), tokens(128, 30000)),
    "distilbert": Network(text(lambda: t.DistilBertModel(t.DistilBertConfig(n_layers=4))), tokens(128, 30000)),
    "roberta": Network(text(lambda: t.RobertaModel(t.RobertaConfig(num_hidden_layers=4, vocab_size=4000))), tokens(128, 4000)),
    "t5-encoder": Network(text(lambda: t.T5EncoderModel(t.T5Config(num_layers=4, vocab_size=4000))), tokens(128, 4000)),
    "t5": Network(text(lambda: t.T5ForConditionalGeneration(t.T5Config(num_layers=4, vocab_size=4000, decoder_start_token_id=0)),
                       "decoder_input_ids", use_cache=False), tokens(128, 4000, lambda: torch.randint(3, 4000, (1, 16)))),
    "gpt2": Network(text(lambda: t.GPT2LMHeadModel(gpt2()), use_cache=False), tokens(64, 4000)),
    "gpt2-past": Network(lambda: WithPast(t.GPT2LMHeadModel(gpt2()), 4), past(12, 64, 4)),
    "llama": Network(text(lambda: t.LlamaForCausalLM(llama()), use_cache=False), tokens(64, 4000)),
    "llama-past": Network(lambda: WithPast(t.LlamaForCausalLM(llama()), 8), past(2, 64, 8)),
    "whisper-encoder": Network(lambda: Answer(t.WhisperModel(whisper()).encoder, ("input_features",)), drawn(1, 80, 3000)),
    "whisper-decoder": Network(lambda: Answer(t.WhisperModel(whisper()).decoder, (
        "input_ids", "encoder_hidden_states", "attention_mask"), use_cache=False),
        lambda: (torch.randint(3, 4000, (1, 16)), torch.randn(1, 1500, 384), torch.ones(1, 16, dtype=torch.int64))),
    "clip-text": Network(text(lambda: t.CLIPTextModel(t.CLIPTextConfig(
        num_hidden_layers=6, vocab_size=4000, bos_token_id=1, eos_token_id=2))), tokens(77, 4000)),
    "lstm": Network(lambda: Tagger(nn.LSTM), lambda: (torch.randint(0, 2000, (1, 64)),)),
    "gru": Network(lambda: Tagger(nn.GRU), lambda: (torch.randint(0, 2000, (1, 64)),)),
    "tcn": Network(partial(Temporal, 64, 6), drawn(1, 64, 512)),
    "recommender": Network(Recommender, lambda: (torch.randn(32, 13), torch.randint(0, 1000, (32, 26)))),
    "graph-network": Network(partial(GraphNetwork, 64, 3), edges()),
    "mobilenet-v3-export": Network(VISION["mobilenet-v3"], IMAGE, 20, dynamo),
    "convnext-t-export": Network(VISION["convnext-t"], IMAGE, 20, dynamo),
    "bert-export": Network(text(lambda: t.BertModel(t.BertConfig(num_hidden_layers=4))), tokens(128, 30000), 20, dynamo),
    "llama-export": Network(text(lambda: t.LlamaForCausalLM(llama()), use_cache=False), tokens(64, 4000), 23, dynamo),
    "llama-past-export": Network(lambda: WithPast(t.LlamaForCausalLM(llama()), 8), past(2, 64, 8), 23, dynamo),
}
# Network → kind → (conversion, tolerance). Another order of additions moves an activation to the next step of its
# quantisation; a step of the last layer of `resnet50-qdq` is 1.9.
QUANTISED = {
    "mobilenet-v2": {"qdq": (partial(static, channels=True), (5e-2, 1e-1))},
    "resnet50": {"qdq": (partial(static, channels=True), (5e-2, 4.0))},
    "bert": {"dynamic": (dynamic, (5e-2, 1e-1))},
    "llama-past-export": {"int4-blocks": (partial(blocks, size=32), (5e-2, 1e-1)), "float16": (halves, (5e-2, 1e-1))},
}


def export(name: str):
    return build(NETWORKS[name], name)


def build(network: Network, name: str):
    """Exports a network with its eager attention by tracing, with that of PyTorch by torch.export."""
    seeded(name)
    module = randomise(network.module()).to(network.dtype)
    for part in module.modules():
        if isinstance(getattr(part, "config", None), t.PretrainedConfig):
            part.config._attn_implementation = "eager" if network.exporter is legacy else "sdpa"
    inputs = tuple(value.to(network.dtype) if value.is_floating_point() else value for value in network.inputs())
    return network.exporter(module, inputs, network.opset)


def subjects() -> list[Subject]:
    plain = [Subject("full-size", name, partial(export, name), (5e-2, 5e-2) if "float16" in name else (1e-3, 1e-4))
             for name in NETWORKS]
    quantised = [Subject("full-size", f"{name}-{kind}", partial(quantise, partial(export, name), convert), tolerance)
                 for name, kinds in QUANTISED.items() for kind, (convert, tolerance) in kinds.items()]
    return plain + quantised
