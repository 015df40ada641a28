"""Networks beside those of `full_size`, in the sizes that people deploy with fewer layers: they show which kinds of
networks a backend is slow or wrong with. Weights are random; the expected outputs are those of PyTorch.
"""

from functools import partial

import survey_images as images
import survey_sequences as sequences
import torch
import torchvision.models as models
import transformers as t
from case import Subject
from full_size import IMAGE, SCENE, Network, build, drawn, past, text, tokens
from torch import nn
from torch_export import dynamo
from torch_text import Answer, WithPast
from torch_vision import Segmenter
from torchvision.models import optical_flow, segmentation, video


def pixels(model, *shape, **fixed):
    """A vision network of transformers, which takes `pixel_values`."""
    return Network(lambda: Answer(model(), ("pixel_values",), **fixed), drawn(*shape) if shape else IMAGE)


def wave(model, length=16000):
    return Network(lambda: Answer(model(), ("input_values",)), drawn(1, length))


def words(model, length=128, high=4000, **fixed):
    return Network(text(model, **fixed), tokens(length, high))


def causal(model, length=64):
    return words(model, length, use_cache=False)


SMALL = dict(hidden_size=512, num_hidden_layers=4, num_attention_heads=8, intermediate_size=1376, vocab_size=4000)
BASE = dict(hidden_size=768, num_hidden_layers=4, num_attention_heads=12, intermediate_size=3072, vocab_size=4000)
PLAIN = dict(hidden_size=384, num_hidden_layers=4, num_attention_heads=6, intermediate_size=1536)
SPEECH = dict(hidden_size=512, num_hidden_layers=3, num_attention_heads=8, intermediate_size=2048)


class Flow(nn.Module):
    """Two passes of RAFT: correlation volumes, GridSample at each pass, a recurrent update."""

    def __init__(self):
        super().__init__()
        self.model = optical_flow.raft_small(weights=None)

    def forward(self, before, after):
        return self.model(before, after, num_flow_updates=2)[-1]


VISION = {
    "squeezenet": lambda: models.squeezenet1_1(),
    "resnet18": lambda: models.resnet18(),
    "mobilenet-v3-small": lambda: models.mobilenet_v3_small(),
    "efficientnet-v2-s": lambda: models.efficientnet_v2_s(),
    "maxvit-t": lambda: models.maxvit_t(),
    "swin-v2-t": lambda: models.swin_v2_t(),
    "mlp-mixer": lambda: images.Mixer(),
    "conv-mixer": lambda: images.conv_mixer(),
    "ghost": lambda: images.ghost(),
    "involution": lambda: images.Involution(),
}
CLIP = {
    "r3d-18": lambda: video.r3d_18(),
    "r2plus1d-18": lambda: video.r2plus1d_18(),
    "mc3-18": lambda: video.mc3_18(),
}
NETWORKS = {name: Network(module, IMAGE) for name, module in VISION.items()} | {
    name: Network(module, drawn(1, 3, 16, 112, 112)) for name, module in CLIP.items()
} | {
    "s3d": Network(lambda: video.s3d(), drawn(1, 3, 16, 224, 224)),
    "swin3d-t": Network(lambda: video.swin3d_t(), drawn(1, 3, 8, 112, 112)),
    "inception-v3": Network(lambda: models.inception_v3(aux_logits=False, init_weights=False), drawn(1, 3, 299, 299)),
    "fcn-resnet50": Network(lambda: Segmenter(segmentation.fcn_resnet50(weights=None, weights_backbone=None)), SCENE),
    "raft-small": Network(Flow, lambda: (torch.rand(1, 3, 128, 160), torch.rand(1, 3, 128, 160))),
    # Written by hand.
    "pointnet": Network(sequences.PointNet, drawn(1, 3, 1024)),
    "wavenet": Network(sequences.WaveNet, drawn(1, 1, 2048)),
    "conv-tasnet": Network(sequences.Separator, drawn(1, 1, 16000)),
    "bifpn": Network(images.BiFPN, SCENE),
    "dcgan": Network(images.generator, lambda: (torch.randn(1, 100, 1, 1),)),
    "style-blocks": Network(images.Style, lambda: (torch.randn(1, 256),)),
    "super-resolution": Network(images.SuperResolution, drawn(1, 3, 128, 128)),
    "dncnn": Network(images.dncnn, drawn(1, 1, 128, 128)),
    "crnn": Network(images.Reader, drawn(1, 1, 32, 256)),
    "diffusion-unet": Network(images.Denoiser, lambda: (torch.randn(1, 4, 32, 32), torch.tensor([7.0]), torch.randn(1, 77, 256))),
    "vae-decoder": Network(images.decoder, lambda: (torch.randn(1, 4, 32, 32),)),
    "seq2seq-transformer": Network(sequences.Translator, lambda: (torch.randint(0, 4000, (1, 48)), torch.randint(0, 4000, (1, 32)))),
    "transformer-export": Network(sequences.Translator, lambda: (
        torch.randint(0, 4000, (1, 48)), torch.randint(0, 4000, (1, 32))), 20, dynamo),
    "n-beats": Network(sequences.Forecaster, lambda: (torch.randn(16, 96),)),
    "lstm-language": Network(sequences.Language, lambda: (torch.randint(0, 4000, (1, 64)),)),
    "spectrogram-cnn": Network(sequences.spectrogram, drawn(1, 1, 64, 200)),
    "deep-and-cross": Network(sequences.Cross, drawn(64, 39)),
    "unet-3d": Network(images.Volume, drawn(1, 1, 32, 32, 32)),
    "experts": Network(sequences.experts, lambda: (torch.randn(64, 256),)),
    "hr-fusion": Network(images.Resolutions, SCENE),
    "conformer": Network(sequences.Conformer, drawn(1, 200, 256)),
    "tabular-transformer": Network(sequences.Tabular, drawn(8, 30)),
    # Texts.
    "albert": words(lambda: t.AlbertModel(t.AlbertConfig(**BASE))),
    "electra": words(lambda: t.ElectraModel(t.ElectraConfig(**PLAIN, vocab_size=4000))),
    "deberta-v2": words(lambda: t.DebertaV2Model(t.DebertaV2Config(
        **BASE, relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=64))),
    "mpnet": words(lambda: t.MPNetModel(t.MPNetConfig(**BASE))),
    "xlnet": Network(lambda: Answer(t.XLNetModel(t.XLNetConfig(
        d_model=512, n_layer=3, n_head=8, d_inner=2048, vocab_size=4000)), ("input_ids", "attention_mask")),
        lambda: (torch.randint(3, 4000, (1, 96)), torch.ones(1, 96))),
    "funnel": words(lambda: t.FunnelModel(t.FunnelConfig(
        d_model=384, n_head=6, d_head=64, d_inner=1536, block_sizes=[1, 1, 1], num_decoder_layers=1, vocab_size=4000))),
    "modernbert": words(lambda: t.ModernBertModel(t.ModernBertConfig(**SMALL, pad_token_id=0, global_attn_every_n_layers=2))),
    "squeeze-bert": words(lambda: t.SqueezeBertModel(t.SqueezeBertConfig(**BASE))),
    "opt": causal(lambda: t.OPTForCausalLM(t.OPTConfig(
        hidden_size=512, num_hidden_layers=4, num_attention_heads=8, ffn_dim=2048, vocab_size=4000, word_embed_proj_dim=512))),
    "bloom": causal(lambda: t.BloomForCausalLM(t.BloomConfig(hidden_size=512, n_layer=4, n_head=8, vocab_size=4000))),
    "falcon": causal(lambda: t.FalconForCausalLM(t.FalconConfig(
        hidden_size=512, num_hidden_layers=4, num_attention_heads=8, vocab_size=4000))),
    "gpt-neox": causal(lambda: t.GPTNeoXForCausalLM(t.GPTNeoXConfig(**SMALL))),
    "phi": causal(lambda: t.PhiForCausalLM(t.PhiConfig(**SMALL))),
    "qwen3": causal(lambda: t.Qwen3ForCausalLM(t.Qwen3Config(**SMALL, num_key_value_heads=2, head_dim=64))),
    "gemma2": causal(lambda: t.Gemma2ForCausalLM(t.Gemma2Config(**SMALL, num_key_value_heads=2, head_dim=64))),
    "mistral": causal(lambda: t.MistralForCausalLM(t.MistralConfig(**SMALL, num_key_value_heads=2, sliding_window=32))),
    "qwen3-past": Network(lambda: WithPast(t.Qwen3ForCausalLM(t.Qwen3Config(
        **SMALL, num_key_value_heads=2, head_dim=64)), 4), past(2, 64, 4)),
    "opt-past": Network(lambda: WithPast(t.OPTForCausalLM(t.OPTConfig(
        hidden_size=512, num_hidden_layers=4, num_attention_heads=8, ffn_dim=2048, vocab_size=4000,
        word_embed_proj_dim=512)), 4), past(8, 64, 4)),
    "phi-past-export": Network(lambda: WithPast(t.PhiForCausalLM(t.PhiConfig(**SMALL)), 4), past(8, 64, 4), 20, dynamo),
    "qwen3-export": Network(text(lambda: t.Qwen3ForCausalLM(t.Qwen3Config(
        **SMALL, num_key_value_heads=2, head_dim=64)), use_cache=False), tokens(64, 4000), 23, dynamo),
    "mamba": Network(lambda: Answer(t.MambaForCausalLM(t.MambaConfig(
        hidden_size=256, num_hidden_layers=2, vocab_size=4000)), ("input_ids",), use_cache=False),
        lambda: (torch.randint(3, 4000, (1, 32)),)),
    "bart": Network(text(lambda: t.BartForConditionalGeneration(t.BartConfig(
        d_model=512, encoder_layers=2, decoder_layers=2, encoder_attention_heads=8, decoder_attention_heads=8,
        encoder_ffn_dim=2048, decoder_ffn_dim=2048, vocab_size=4000, max_position_embeddings=256)), "decoder_input_ids",
        use_cache=False), tokens(96, 4000, lambda: torch.randint(3, 4000, (1, 16)))),
    # Images.
    "deit": pixels(lambda: t.DeiTModel(t.DeiTConfig(**PLAIN))),
    "beit": pixels(lambda: t.BeitModel(t.BeitConfig(**PLAIN, use_relative_position_bias=True))),
    "dinov2": pixels(lambda: t.Dinov2Model(t.Dinov2Config(
        hidden_size=384, num_hidden_layers=4, num_attention_heads=6, image_size=224, patch_size=14))),
    "siglip": pixels(lambda: t.SiglipVisionModel(t.SiglipVisionConfig(**PLAIN))),
    "segformer": pixels(lambda: t.SegformerForSemanticSegmentation(t.SegformerConfig()), 1, 3, 256, 256),
    "mobilevit": pixels(lambda: t.MobileViTModel(t.MobileViTConfig()), 1, 3, 256, 256),
    "levit": pixels(lambda: t.LevitModel(t.LevitConfig())),
    "cvt": pixels(lambda: t.CvtModel(t.CvtConfig(depth=[1, 2, 3]))),
    "poolformer": pixels(lambda: t.PoolFormerModel(t.PoolFormerConfig())),
    "pvt-v2": pixels(lambda: t.PvtV2Model(t.PvtV2Config())),
    "focalnet": pixels(lambda: t.FocalNetModel(t.FocalNetConfig())),
    "yolos": pixels(lambda: t.YolosForObjectDetection(t.YolosConfig(**PLAIN, image_size=[256, 256])), 1, 3, 256, 256),
    "dpt": pixels(lambda: t.DPTForDepthEstimation(t.DPTConfig(
        **(PLAIN | dict(num_hidden_layers=4)), image_size=224, backbone_out_indices=[0, 1, 2, 3],
        neck_hidden_sizes=[48, 96, 192, 384], fusion_hidden_size=128, is_hybrid=False))),
    "glpn": pixels(lambda: t.GLPNForDepthEstimation(t.GLPNConfig()), 1, 3, 128, 160),
    "swin2sr": pixels(lambda: t.Swin2SRForImageSuperResolution(t.Swin2SRConfig(
        embed_dim=60, depths=[2, 2], num_heads=[6, 6], image_size=64)), 1, 3, 64, 64),
    "video-mae": pixels(lambda: t.VideoMAEModel(t.VideoMAEConfig(**PLAIN, num_frames=8, image_size=112)), 1, 8, 3, 112, 112),
    "convnext-v2": pixels(lambda: t.ConvNextV2Model(t.ConvNextV2Config())),
    "hiera-export": Network(lambda: Answer(t.HieraModel(t.HieraConfig(embed_dim=64, depths=[1, 2, 3, 1])), ("pixel_values",)),
                            IMAGE, 20, dynamo),
    # Sounds and series.
    "wav2vec2": wave(lambda: t.Wav2Vec2Model(t.Wav2Vec2Config(**SPEECH))),
    "hubert": wave(lambda: t.HubertModel(t.HubertConfig(**SPEECH))),
    "audio-transformer": Network(lambda: Answer(t.ASTModel(t.ASTConfig(**PLAIN, max_length=256)), ("input_values",)), drawn(1, 256, 128)),
    "hifi-gan": Network(lambda: sequences.vocoder(), drawn(1, 80, 64)),
}


# Network → tolerance, where the usual one is too narrow. The results of `fcn-resnet50` have a mean magnitude of 38, and
# those of PyTorch differ by up to 1.8e-4 from the same network in double.
TOLERANCES = {"fcn-resnet50": (1e-3, 1e-3)}


def subjects() -> list[Subject]:
    usual = (1e-3, 1e-4)
    return [Subject("survey", name, partial(build, network, name), TOLERANCES.get(name, usual)) for name, network in NETWORKS.items()]
