"""A tiny random Llama with a byte-level tokenizer: a real local model for the demo and the tests, no download."""

from __future__ import annotations

from pathlib import Path

# Plain turns with a fixed marker a byte-level tokenizer can spell.
CHAT_TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def build(folder: Path, seed: int = 0, hidden_size: int = 32, layers: int = 2) -> Path:
    """Save one; its weights are random, so its answers are noise: it tests the machinery, not the scores.

    Args:
        folder: Where, as `transformers` saves a model; made where it is missing.
        seed: Another seed is another model.
        hidden_size: Width; a multiple of 8.
        layers: Depth.

    Returns:
        `folder`.
    """
    import torch
    from transformers import ByT5Tokenizer, LlamaConfig, LlamaForCausalLM

    tokenizer = ByT5Tokenizer()
    tokenizer.chat_template = CHAT_TEMPLATE
    config = LlamaConfig(
        vocab_size=384,
        hidden_size=hidden_size,
        intermediate_size=2 * hidden_size,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(seed)
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
