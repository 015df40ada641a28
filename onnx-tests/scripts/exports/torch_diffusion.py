"""Networks of Stable Diffusion with random weights in tiny configurations, by tracing."""

import torch
from case import Export
from diffusers import AutoencoderKL, UNet2DConditionModel
from torch_export import Function, legacy, randomise, seeded


class Sample(Function):
    """The tensor in the answer of a network of diffusers."""

    def forward(self, *inputs):
        return self.call(*inputs, return_dict=False)[0]


def unet() -> UNet2DConditionModel:
    """The denoising network: of its two resolutions, the finer one attends to a text of width 16."""
    return UNet2DConditionModel(
        sample_size=8, layers_per_block=1, block_out_channels=(32, 64), cross_attention_dim=16, attention_head_dim=4,
        norm_num_groups=8, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"))


def decoder():
    """The half of the autoencoder that gives an image."""
    network = AutoencoderKL(
        block_out_channels=(32, 64), layers_per_block=1, norm_num_groups=8, sample_size=16,
        down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2)
    network.forward = network.decode
    return network


NETWORKS = {
    "unet": (unet, lambda: (torch.randn(2, 4, 8, 8), torch.tensor([3, 7]), torch.randn(2, 5, 16))),
    "vae-decoder": (decoder, lambda: (torch.randn(2, 4, 8, 8),)),
}


def export(name: str, opset: int) -> Export:
    seeded(name)
    network, inputs = NETWORKS[name]
    return legacy(Sample(randomise(network())), inputs(), opset, True)
