"""Models of transformers at the size of a test: a configuration for each family, and inputs by (batch, length)."""

import functools

import torch
import transformers
from cases import Case

import gfx_trace as gfx

# ruff: noqa: C408 - the keys are the names of options

TEXT = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37, vocab_size=99)
TEXT["max_position_embeddings"] = 128
MARKS = dict(pad_token_id=0, bos_token_id=1, eos_token_id=2)
GROUPED = TEXT | MARKS | dict(num_key_value_heads=2)
HEADS = GROUPED | dict(head_dim=8)
GPT = MARKS | dict(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=128)
BOTH = dict(vocab_size=99, d_model=32, encoder_layers=2, decoder_layers=2, max_position_embeddings=128)
BOTH |= dict(encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=37, decoder_ffn_dim=37)
IMAGE = dict(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37, image_size=32, patch_size=8
)
PAIR = dict(text_config=TEXT | dict(max_position_embeddings=64), vision_config=IMAGE)
EXPERTS = dict(num_experts_per_tok=2, moe_intermediate_size=16)
LATENT = dict(q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=8)
LATENT |= dict(n_routed_experts=4, n_group=2, topk_group=1, first_k_dense_replace=1, n_shared_experts=1)
SPEECH = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37, vocab_size=32)
SPEECH |= dict(conv_dim=[16, 16], conv_stride=[5, 2], conv_kernel=[10, 3], num_feat_extract_layers=2)
SPEECH |= dict(num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2)


def words(batch, length):
    return torch.randint(3, 90, (batch, length))


def ids(batch, length):
    return {"input_ids": words(batch, length)}


def pairs(batch, length):
    return {"input_ids": words(batch, length), "decoder_input_ids": words(batch, length + 2)}


def images(batch, length, size=32):
    return {"pixel_values": torch.randn(batch, 3, size, size)}


def both(batch, length):
    return ids(batch, length) | images(batch, length)


def mels(batch, length):
    return {"input_features": torch.randn(batch, 16, 60), "decoder_input_ids": words(batch, length)}


def waves(batch, length):
    return {"input_values": torch.randn(batch, 400 + 100 * length)}


def windows(batch, length):
    """Images of which each stage of Swin has more than a window."""
    return images(batch, length, 4 * length)


large = functools.partial(images, size=64)
FAMILIES = {
    "Bert": (TEXT, ids),
    "Roberta": (TEXT, ids),
    "DistilBert": (dict(vocab_size=99, dim=32, n_layers=2, n_heads=4, hidden_dim=37, max_position_embeddings=128), ids),
    "Albert": (TEXT | dict(embedding_size=16), ids),
    "Electra": (TEXT | dict(embedding_size=16), ids),
    "DebertaV2": (TEXT | dict(relative_attention=True, position_buckets=8, pos_att_type=["p2c", "c2p"]), ids),
    "ModernBert": (TEXT | MARKS | dict(cls_token_id=1, sep_token_id=2), ids),
    "GPT2": (GPT, ids),
    "GPTNeo": (MARKS | dict(vocab_size=99, hidden_size=32, num_layers=2, num_heads=4, window_size=4,
                            attention_types=[[["global", "local"], 1]], max_position_embeddings=128), ids),
    "GPTJ": (GPT | dict(rotary_dim=4), ids),
    "GPTNeoX": (TEXT | dict(pad_token_id=0), ids),
    "OPT": (dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=37,
                 max_position_embeddings=128, word_embed_proj_dim=32), ids),
    "Bloom": (dict(vocab_size=99, hidden_size=32, n_layer=2, n_head=4, pad_token_id=0), ids),
    "Llama": (GROUPED, ids),
    "Mistral": (GROUPED | dict(sliding_window=8), ids),
    "Mixtral": (GROUPED | dict(intermediate_size=48, num_local_experts=4), ids),
    "Qwen2": (GROUPED, ids),
    "Qwen3": (HEADS, ids),
    "Qwen3Moe": (HEADS | EXPERTS | dict(num_experts=4), ids),
    "DeepseekV3": (TEXT | MARKS | EXPERTS | LATENT | dict(num_key_value_heads=4), ids),
    "Gemma": (HEADS, ids),
    "Gemma2": (HEADS | dict(sliding_window=8), ids),
    "Gemma3Text": (HEADS | dict(sliding_window=8), ids),
    "Phi": (TEXT | MARKS, ids),
    "Phi3": (GROUPED, ids),
    "Olmo": (GROUPED, ids),
    "Olmo2": (GROUPED, ids),
    "Falcon": (MARKS | dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4), ids),
    "Mpt": (dict(vocab_size=99, d_model=32, n_layers=2, n_heads=4, max_seq_len=64, expansion_ratio=2), ids),
    "Mamba": (MARKS | dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, state_size=4), ids),
    "Rwkv": (MARKS | dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, attention_hidden_size=32,
                          intermediate_size=37), ids),
    "T5": (dict(vocab_size=99, d_model=32, d_kv=8, d_ff=37, num_layers=2, num_heads=4), pairs),
    "Bart": (BOTH, pairs),
    "Pegasus": (BOTH, pairs),
    "MBart": (BOTH, pairs),
    "Whisper": (BOTH | dict(num_mel_bins=16, max_source_positions=30, max_target_positions=64, pad_token_id=0,
                            decoder_start_token_id=1), mels),
    "ViT": (IMAGE, images),
    "DeiT": (IMAGE, images),
    "Swin": (dict(image_size=32, patch_size=2, embed_dim=8, depths=[1, 2], num_heads=[2, 2], window_size=4), windows),
    "ConvNext": (dict(num_stages=4, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 2, 1]), images),
    "CLIP": (PAIR | dict(projection_dim=16), both),
    "Siglip": (PAIR, both),
    "Dinov2": (IMAGE, images),
    "Segformer": (dict(hidden_sizes=[8, 16, 24, 32], num_attention_heads=[1, 1, 2, 2], depths=[1, 1, 1, 1],
                       decoder_hidden_size=16), large),
    "Wav2Vec2": (SPEECH, waves),
}  # fmt: skip

TYPED = {
    "Swin": {
        "pixel_values": gfx.TensorSpec((gfx.Dim("B"), 3, gfx.Dim("h", min=9) * 2, gfx.Dim("w", min=9) * 2), "float32")
    }
}
"""Captured for these types: Swin keeps what is the smaller, the image or its window (see docs/limits.md)."""


def built(name):
    """The model, without caches, none of its parameters zero."""
    model = getattr(transformers, f"{name}Model")(getattr(transformers, f"{name}Config")(**FAMILIES[name][0])).eval()
    for module in model.modules():
        if getattr(getattr(module, "config", None), "use_cache", False):
            module.config.use_cache = False
    for parameter in model.parameters():
        if not parameter.any():
            parameter.data.uniform_(-0.1, 0.1)
    return model


CASES = {
    name: Case("transformers", functools.partial(built, name), inputs, TYPED.get(name))
    for name, (_, inputs) in FAMILIES.items()
}
