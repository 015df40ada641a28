"""Networks of torchvision with random weights, small where the constructor allows, through both exporters of PyTorch."""

from functools import partial

import torch
import torchvision.models as models
from case import Subject
from torch import nn
from torch_export import dynamo, legacy, randomise, seeded
from torchvision.models import detection, segmentation
from torchvision.models.efficientnet import MBConvConfig
from torchvision.models.resnet import BasicBlock, Bottleneck, ResNet


def efficientnet():
    blocks = [MBConvConfig(1, 3, 1, 16, 8, 1), MBConvConfig(4, 3, 2, 8, 16, 2), MBConvConfig(4, 5, 2, 16, 24, 1)]
    return models.EfficientNet(blocks, 0.0, num_classes=10, last_channel=64)


def convnext():
    block = models.convnext.CNBlockConfig
    return models.ConvNeXt([block(16, 32, 1), block(32, 64, 2), block(64, None, 1)], num_classes=10)


def regnet():
    parameters = models.regnet.BlockParams.from_init_params(depth=5, w_0=16, w_a=8.0, w_m=2.0, group_width=8,
                                                            se_ratio=0.25)
    return models.RegNet(parameters, num_classes=10)


def swin(block=None):
    extra = {"block": block, "downsample_layer": models.swin_transformer.PatchMergingV2} if block else {}
    return models.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=10, **extra)


class Detector(nn.Module):
    """A detector of torchvision, with its answer as a tuple of tensors."""

    def __init__(self, detector):
        super().__init__()
        self.detector = detector

    def forward(self, image):
        answer = self.detector([image])[0]
        return answer["boxes"], answer["scores"], answer["labels"]


class Segmenter(nn.Module):
    def __init__(self, segmenter):
        super().__init__()
        self.segmenter = segmenter

    def forward(self, images):
        return self.segmenter(images)["out"]


def ssd(classes=5):
    """Scores far apart: with the initial weights all are alike, and rounding decides which boxes are kept."""
    detector = detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=classes, score_thresh=0.3, detections_per_img=10,
        topk_candidates=20)
    for part in detector.head.classification_head.modules():
        if isinstance(part, nn.Conv2d):
            nn.init.normal_(part.weight, std=0.5)
    return Detector(detector)


def faster_rcnn():
    return Detector(detection.fasterrcnn_mobilenet_v3_large_320_fpn(
        weights=None, weights_backbone=None, num_classes=5, min_size=96, max_size=128, rpn_post_nms_top_n_test=10,
        rpn_pre_nms_top_n_test=50, box_score_thresh=0.05))


def retinanet():
    return Detector(detection.retinanet_resnet50_fpn(
        weights=None, weights_backbone=None, num_classes=5, min_size=96, max_size=128, score_thresh=0.0,
        topk_candidates=20, detections_per_img=10))


# Name → (constructor, shape of the input, opset of the exporter by tracing, of the exporter by torch.export).
NETWORKS = {
    "vgg-bn": (lambda: nn.Sequential(models.vgg.make_layers([8, "M", 16, "M", 32, "M"], True), nn.Flatten(),
                                     nn.Linear(32 * 49, 10)), (2, 3, 56, 56), 9, 20),
    "squeezenet": (lambda: models.squeezenet1_1(num_classes=10), (2, 3, 64, 64), 10, 18),
    "resnet18": (lambda: ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10), (2, 3, 64, 64), 9, 23),
    "resnext": (lambda: ResNet(Bottleneck, [1, 1, 1, 1], 10, groups=8, width_per_group=4), (1, 3, 64, 64), 11, 18),
    "wide-resnet": (lambda: ResNet(Bottleneck, [1, 1, 1, 1], 10, width_per_group=32), (1, 3, 64, 64), 12, 19),
    "mobilenet-v2": (lambda: models.mobilenet_v2(width_mult=0.35, num_classes=10), (2, 3, 64, 64), 13, 18),
    "mobilenet-v3-small": (lambda: models.mobilenet_v3_small(width_mult=0.5, num_classes=10), (2, 3, 64, 64), 14, 20),
    "mobilenet-v3-large": (lambda: models.mobilenet_v3_large(width_mult=0.5, num_classes=10), (1, 3, 64, 64), 11, 21),
    "mnasnet": (lambda: models.mnasnet0_5(num_classes=10), (1, 3, 64, 64), 9, 22),
    "shufflenet-v2": (lambda: models.shufflenet_v2_x0_5(num_classes=10), (2, 3, 64, 64), 10, 18),
    "efficientnet": (efficientnet, (2, 3, 64, 64), 15, 18),
    "efficientnet-v2-s": (lambda: models.EfficientNet(
        [models.efficientnet.FusedMBConvConfig(2, 3, 2, 16, 16, 1), MBConvConfig(4, 3, 2, 16, 24, 1)], 0.0,
        num_classes=10, last_channel=64), (1, 3, 64, 64), 16, 23),
    "regnet": (regnet, (2, 3, 64, 64), 13, 18),
    "convnext": (convnext, (1, 3, 64, 64), 17, 20),
    "densenet": (lambda: models.DenseNet(8, (2, 2, 3, 2), 16, num_classes=10), (1, 3, 64, 64), 9, 18),
    "googlenet": (lambda: models.googlenet(weights=None, num_classes=10, aux_logits=False, init_weights=False,
                                           transform_input=True), (1, 3, 64, 64), 12, 18),
    "swin": (swin, (1, 3, 32, 32), 14, 18),
    "swin-v2": (lambda: swin(models.swin_transformer.SwinTransformerBlockV2), (1, 3, 32, 32), 17, 21),
    "vit": (lambda: models.VisionTransformer(32, 8, 2, 2, 16, 32, num_classes=10), (2, 3, 32, 32), 14, 18),
    "maxvit": (lambda: models.MaxVit((64, 64), 16, 2, 16, [16, 32], [1, 1], 8, 0.0, num_classes=10),
               (1, 3, 64, 64), 13, 23),
    "deeplab-v3": (lambda: Segmenter(segmentation.deeplabv3_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5)), (1, 3, 64, 64), 11, 18),
    "lraspp": (lambda: Segmenter(segmentation.lraspp_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5)), (1, 3, 64, 64), 13, 20),
    "ssdlite": (ssd, (3, 96, 128), 11, 18),
    "faster-rcnn": (faster_rcnn, (3, 96, 128), 12, 18),
    "retinanet": (retinanet, (3, 96, 128), 16, 20),
}
# f16 and bf16 of two.
NARROW = {"mobilenet-v2": [(torch.float16, 13), (torch.bfloat16, 22)], "vit": [(torch.float16, 17), (torch.bfloat16, 22)]}


def make(name: str, dtype=torch.float32):
    seeded(name)
    construct, shape, *_ = NETWORKS[name]
    module = randomise(construct()).to(dtype)
    return module, (torch.rand(shape).to(dtype),)


def export(name: str, exporter, opset: int, dynamic: bool, dtype=torch.float32):
    module, inputs = make(name, dtype)
    return exporter(module, inputs, opset, dynamic)


def subjects() -> list[Subject]:
    found = []
    for name, (_, shape, by_tracing, by_export) in NETWORKS.items():
        batched = len(shape) == 4 and shape[0] > 1
        for exporter, opset in ((legacy, by_tracing), (legacy, 17), (dynamo, by_export)):
            call = partial(export, name, exporter, opset, batched)
            found.append(Subject("torchvision", f"{name}-{exporter.__name__}-{opset}", call, (1e-3, 1e-4)))
    for name, types in NARROW.items():
        for dtype, opset in types:
            kind = str(dtype).removeprefix("torch.")
            call = partial(export, name, dynamo if opset > 20 else legacy, opset, False, dtype)
            found.append(Subject("torchvision", f"{name}-{kind}-{opset}", call, (5e-2, 5e-2)))
    return list({subject.id: subject for subject in found}.values())
