"""Networks of transformers with random weights in tiny configurations, through both exporters of PyTorch."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
import transformers as t
from case import Subject
from torch import nn
from torch_export import dynamo, legacy, randomise, seeded, tensors


class Answer(nn.Module):
    """Calls a model with named inputs and gives the tensors of its answer."""

    def __init__(self, model, names: tuple[str, ...], **fixed):
        super().__init__()
        self.model, self.names, self.fixed = model, names, fixed

    def forward(self, *inputs):
        answer = self.model(**dict(zip(self.names, inputs)), **self.fixed, return_dict=True)
        return tuple(tensors([value for key, value in answer.items() if torch.is_tensor(value)]))


class WithPast(nn.Module):
    """A decoder that takes and gives its cache of keys and values as tensors, two for each layer."""

    def __init__(self, model, layers: int):
        super().__init__()
        self.model, self.layers = model, layers

    def forward(self, ids, mask, *past):
        pairs = [(past[2 * index], past[2 * index + 1]) for index in range(self.layers)]
        cache = t.DynamicCache(pairs)
        answer = self.model(input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True)
        layers = answer.past_key_values.layers
        return (answer.logits, *[item for layer in layers for item in (layer.keys, layer.values)])


@dataclass
class Network:
    module: Callable
    inputs: Callable
    tracing: tuple[int, ...] = (14, 17)
    export: tuple[int, ...] = (18,)
    dynamic: bool = True


TINY = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, vocab_size=50)


def ids(batch=2, length=7, high=50):
    return torch.randint(3, high, (batch, length))


def mask(batch=2, length=7, hidden=2):
    result = torch.ones(batch, length, dtype=torch.int64)
    result[-1, length - hidden:] = 0
    return result


def encoder(model, **fixed):
    return lambda: Answer(model(), ("input_ids", "attention_mask"), **fixed)


def words():
    return ids(), mask()


def decoder(config, model, layers=2):
    return lambda: WithPast(model(config()), layers)


def past(length=3, heads=2, width=8, layers=2):
    def draw():
        cache = [torch.randn(2, heads, length, width) for _ in range(2 * layers)]
        return (ids(length=4), torch.ones(2, 4 + length, dtype=torch.int64), *cache)
    return draw


def plain(model):
    return lambda: Answer(model(), ("input_ids", "attention_mask"), use_cache=False)


def gpt2():
    return t.GPT2Config(n_embd=16, n_layer=2, n_head=2, vocab_size=50, n_positions=32)


def llama(**more):
    return t.LlamaConfig(**TINY, num_key_value_heads=1, max_position_embeddings=32, **more)


def t5():
    return t.T5Config(d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, vocab_size=50, decoder_start_token_id=0)


def whisper():
    return t.WhisperConfig(d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
                           decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=24, vocab_size=50,
                           num_mel_bins=8, max_source_positions=20, max_target_positions=16, pad_token_id=0,
                           bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)


def clip_vision():
    return t.CLIPVisionConfig(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2,
                              image_size=32, patch_size=8)


def clip_text():
    return t.CLIPTextConfig(**TINY, max_position_embeddings=16, eos_token_id=2, bos_token_id=1, pad_token_id=0)


def images(*shape):
    return lambda: (torch.rand(shape),)


NETWORKS = {
    "bert": Network(encoder(lambda: t.BertModel(t.BertConfig(**TINY))), words, (11, 14), (18, 23)),
    "bert-classifier": Network(encoder(lambda: t.BertForSequenceClassification(t.BertConfig(**TINY))), words, (17,), (20,)),
    "distilbert": Network(encoder(lambda: t.DistilBertModel(t.DistilBertConfig(
        dim=16, n_layers=2, n_heads=2, hidden_dim=24, vocab_size=50))), words, (12, 17), (18,)),
    "roberta": Network(encoder(lambda: t.RobertaModel(t.RobertaConfig(**TINY))), words, (13, 17), (18,)),
    "albert": Network(encoder(lambda: t.AlbertModel(t.AlbertConfig(**TINY, embedding_size=8))), words, (14,), (18,)),
    "electra": Network(encoder(lambda: t.ElectraModel(t.ElectraConfig(**TINY, embedding_size=8))), words, (15,), (18,)),
    "deberta": Network(encoder(lambda: t.DebertaV2Model(t.DebertaV2Config(
        **TINY, relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=8))), words, (17,), (18,)),
    "mpnet": Network(encoder(lambda: t.MPNetModel(t.MPNetConfig(**TINY))), words, (14,), (18,)),
    "xlnet": Network(lambda: Answer(t.XLNetModel(t.XLNetConfig(
        d_model=16, n_layer=2, n_head=2, d_inner=24, vocab_size=50)), ("input_ids", "attention_mask")),
        lambda: (ids(), mask().float()), (14,), (18,), False),
    "gpt2": Network(plain(lambda: t.GPT2LMHeadModel(gpt2())), words, (13, 17), (18, 23)),
    "gpt2-past": Network(decoder(gpt2, t.GPT2LMHeadModel), past(), (14, 17), (18,)),
    "llama": Network(plain(lambda: t.LlamaForCausalLM(llama())), words, (14, 17), (18, 23)),
    "llama-past": Network(decoder(llama, t.LlamaForCausalLM), past(heads=1), (14, 17), (18, 23)),
    "mistral": Network(plain(lambda: t.MistralForCausalLM(t.MistralConfig(
        **TINY, num_key_value_heads=1, sliding_window=4, max_position_embeddings=32))), words, (17,), (18,)),
    "qwen2": Network(plain(lambda: t.Qwen2ForCausalLM(t.Qwen2Config(
        **TINY, num_key_value_heads=1, max_position_embeddings=32))), words, (17,), (20,)),
    "qwen3": Network(plain(lambda: t.Qwen3ForCausalLM(t.Qwen3Config(
        **TINY, num_key_value_heads=1, head_dim=8, max_position_embeddings=32))), words, (17,), (21,)),
    "gemma": Network(plain(lambda: t.GemmaForCausalLM(t.GemmaConfig(
        **TINY, num_key_value_heads=1, head_dim=8, max_position_embeddings=32))), words, (17,), (18,)),
    "gemma2": Network(plain(lambda: t.Gemma2ForCausalLM(t.Gemma2Config(
        **TINY, num_key_value_heads=1, head_dim=8, sliding_window=4))), words, (17,), (22,)),
    "phi": Network(plain(lambda: t.PhiForCausalLM(t.PhiConfig(**TINY))), words, (17,), (18,)),
    "falcon": Network(plain(lambda: t.FalconForCausalLM(t.FalconConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, vocab_size=50, alibi=True))), words, (17,), (18,)),
    "bloom": Network(plain(lambda: t.BloomForCausalLM(t.BloomConfig(
        hidden_size=16, n_layer=2, n_head=2, vocab_size=50))), words, (14,), (18,)),
    "opt": Network(plain(lambda: t.OPTForCausalLM(t.OPTConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, ffn_dim=24, vocab_size=50, word_embed_proj_dim=16,
        max_position_embeddings=32))), words, (14,), (18,)),
    "mixtral": Network(plain(lambda: t.MixtralForCausalLM(t.MixtralConfig(
        **TINY, num_key_value_heads=1, num_local_experts=3, max_position_embeddings=32))), words, (17,), (18,)),
    "mamba": Network(lambda: Answer(t.MambaForCausalLM(t.MambaConfig(
        hidden_size=16, num_hidden_layers=1, vocab_size=50, state_size=4)), ("input_ids",), use_cache=False),
        lambda: (ids(length=5),), (17,), (18,), False),
    "t5-encoder": Network(encoder(lambda: t.T5EncoderModel(t5())), words, (12, 17), (18,)),
    "t5": Network(lambda: Answer(t.T5ForConditionalGeneration(t5()),
                                 ("input_ids", "attention_mask", "decoder_input_ids"), use_cache=False),
                  lambda: (ids(), mask(), ids(length=4)), (13, 17), (18,)),
    "bart": Network(lambda: Answer(t.BartForConditionalGeneration(t.BartConfig(
        d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=24, decoder_ffn_dim=24, vocab_size=50, max_position_embeddings=32, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=2)), ("input_ids", "attention_mask", "decoder_input_ids"),
        use_cache=False), lambda: (ids(), mask(), ids(length=4)), (14,), (18,)),
    "whisper-encoder": Network(lambda: Answer(t.WhisperModel(whisper()).encoder, ("input_features",)),
                               lambda: (torch.randn(2, 8, 40),), (14, 17), (18,)),
    "whisper-decoder": Network(lambda: Answer(t.WhisperModel(whisper()).decoder, (
        "input_ids", "encoder_hidden_states", "attention_mask"), use_cache=False),
        lambda: (ids(length=4), torch.randn(2, 20, 16), mask(length=4)), (14, 17), (18,)),
    "wav2vec2": Network(lambda: Answer(t.Wav2Vec2Model(t.Wav2Vec2Config(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, conv_dim=(8, 8),
        conv_stride=(5, 2), conv_kernel=(10, 3), num_feat_extract_layers=2, num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2)), ("input_values",)), lambda: (torch.randn(2, 400),), (14,), (18,)),
    "clip-vision": Network(lambda: Answer(t.CLIPVisionModel(clip_vision()), ("pixel_values",)), images(2, 3, 32, 32),
                           (14, 17), (18,)),
    "clip-text": Network(encoder(lambda: t.CLIPTextModel(clip_text())), words, (14, 17), (18,)),
    "vit": Network(lambda: Answer(t.ViTModel(t.ViTConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, image_size=32, patch_size=8)),
        ("pixel_values",)), images(2, 3, 32, 32), (11,), (18,)),
    "dinov2": Network(lambda: Answer(t.Dinov2Model(t.Dinov2Config(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, image_size=32, patch_size=8)), ("pixel_values",)),
        images(2, 3, 32, 32), (17,), (18,)),
    "segformer": Network(lambda: Answer(t.SegformerForSemanticSegmentation(t.SegformerConfig(
        hidden_sizes=[8, 16, 16, 16], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 2],
        decoder_hidden_size=16, num_labels=4)), ("pixel_values",)), images(2, 3, 64, 64), (13,), (18,)),
    "detr": Network(lambda: Answer(t.YolosForObjectDetection(t.YolosConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, image_size=[32, 32],
        patch_size=8, num_detection_tokens=4, num_labels=3)), ("pixel_values",)), images(2, 3, 32, 32), (14,), (18,)),
}


def export(name: str, exporter, opset: int):
    seeded(name)
    network = NETWORKS[name]
    module = randomise(network.module())
    for part in module.modules():
        if isinstance(getattr(part, "config", None), t.PretrainedConfig):
            part.config._attn_implementation = "eager" if exporter is legacy else "sdpa"
    return exporter(module, network.inputs(), opset, network.dynamic)


def subjects() -> list[Subject]:
    found = []
    for name, network in NETWORKS.items():
        rows = [(legacy, opset) for opset in network.tracing] + [(dynamo, opset) for opset in network.export]
        for exporter, opset in rows:
            call = partial(export, name, exporter, opset)
            found.append(Subject("transformers", f"{name}-{exporter.__name__}-{opset}", call, (1e-3, 1e-4)))
    return found
