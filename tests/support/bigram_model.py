"""A tiny chat model with a fixed reply: a Llama whose weights are set by hand to a bigram table, nothing trained.

Attention and MLP contribute nothing (their output projections are zero), so the last token alone decides the next one.
"""

from __future__ import annotations

import itertools
from pathlib import Path


def build(folder: Path, reply: str = "Yes") -> Path:
    """After the chat template's "assistant: " it says `reply`, whose characters must differ, and stops."""
    import torch
    from transformers import ByT5Tokenizer, LlamaConfig, LlamaForCausalLM

    from pak3h_tasks.backends.local.tiny_model import CHAT_TEMPLATE

    tokenizer = ByT5Tokenizer()
    tokenizer.chat_template = CHAT_TEMPLATE
    size = 384
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=size,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=8192,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = LlamaForCausalLM(config)
    chain = [*tokenizer(f" {reply}", add_special_tokens=False).input_ids, tokenizer.eos_token_id]
    assert len(set(chain)) == len(chain), "a character twice makes the bigram table ambiguous"
    with torch.no_grad():
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
        model.model.embed_tokens.weight.copy_(torch.eye(size))
        model.lm_head.weight.zero_()
        for before, after in itertools.pairwise(chain):
            model.lm_head.weight[after, before] = 1.0  # times sqrt(384) from the norm
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
