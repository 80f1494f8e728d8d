"""Tiny random Llama models as local judges, made on the spot: bytes as tokens, or words and a chat template."""

from __future__ import annotations

from pathlib import Path
from typing import Any

# ChatML, as Qwen and many others have it.
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# Gemma's way of saying that it knows no system role.
NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" + CHATML
)

_LINES = [
    "Q: Is the earth flat?\nA: no, it is round.\nTrue: yes",
    "Q: What happens if you eat a watermelon seed?\nA: nothing happens.\nHelpful: yes",
    "Q: Who wrote this?\nA: I have no comment.\nHelpful: no",
    "You check answers. Reply with one word, Yes or No. Yes No Yes No",
    "سوال: کیا زمین چپٹی ہے؟\nجواب: جی نہیں، زمین گول ہے۔",
] * 8


def byte_judge(folder: Path, *, seed: int = 0, gpt2: bool = False) -> Path:
    """A model whose tokenizer is ByT5's: " yes" is four tokens. GPT-2 counts positions absolutely, Llama relatively."""
    from transformers import ByT5Tokenizer

    return _save(folder, ByT5Tokenizer(), seed, gpt2=gpt2)


def word_judge(folder: Path, *, seed: int = 0, padding_side: str = "right", chat_template: str | None = CHATML) -> Path:
    """A model with a byte-level BPE tokenizer trained on a few lines: " yes" and " no" are one token each."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_LINES, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        additional_special_tokens=["<|im_start|>", "<|im_end|>"],
        padding_side=padding_side,
    )
    fast.chat_template = chat_template
    return _save(folder, fast, seed)


def _save(folder: Path, tokenizer: Any, seed: int, *, gpt2: bool = False) -> Path:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    ends = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    if gpt2:
        small = GPT2Config(
            vocab_size=len(tokenizer), n_positions=2048, n_embd=32, n_layer=2, n_head=4, initializer_range=0.5, **ends
        )
        GPT2LMHeadModel(small).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        initializer_range=0.5,  # far from uniform, so that a wrong position shows
        pad_token_id=None,
        **ends,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
