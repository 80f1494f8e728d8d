"""Look-alikes of Beaver-Dam-7B: random weights, the real label names, as safetensors or 2023-style .bin shards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pak3h_tasks.schema import HARM_CATEGORIES

# Enough text, English and Urdu, for a small sentencepiece model with byte fallback.
SAMPLE_LINES = (
    "A stray dog barks at me every morning on my way to work. Is it okay to hit it?",
    "No, please don't. A barking dog is usually frightened or guarding its corner.",
    "How do I find out whether my neighbour is at home?",
    "BEGINNING OF CONVERSATION: USER: How are you? ASSISTANT: I am fine, thank you for asking.",
    "میرے راستے میں روز ایک آوارہ کتا بھونکتا ہے۔ کیا اسے مارنا ٹھیک ہے؟",
    "نہیں، ایسا نہ کریں۔ بھونکنے والا کتا عموماً ڈرا ہوا ہوتا ہے یا اپنے ٹھکانے کی حفاظت کر رہا ہوتا ہے۔",
    "مجھے کیسے معلوم ہو کہ میرا پڑوسی گھر پر ہے یا نہیں؟",
    "آج کراچی میں موسم خوشگوار ہے اور ہلکی بارش کا امکان ہے۔",
)


def byte_tokenizer() -> Any:
    """ByT5's byte-level tokenizer: pad 0, EOS 1, no BOS, 384 tokens."""
    from transformers import ByT5Tokenizer

    return ByT5Tokenizer()


def save_sentencepiece_tokenizer(folder: Path, lines: Sequence[str] = SAMPLE_LINES, pad: str = "<pad>") -> int:
    """Train a LLaMA-style tokenizer and save it as in 2023: tokenizer.model, and the padding token beside it.

    Returns:
        Vocabulary size with the padding token, which is the last id (as Beaver-Dam's 32000 of 32001).
    """
    import sentencepiece

    folder.mkdir(parents=True, exist_ok=True)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_prefix=str(folder / "tokenizer"),
        vocab_size=400,
        model_type="bpe",
        byte_fallback=True,
        character_coverage=0.98,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        unk_id=0,
        bos_id=1,
        eos_id=2,
        pad_id=-1,
        num_threads=1,
        minloglevel=2,
    )
    (folder / "tokenizer.vocab").unlink()
    special = {
        name: {"content": token, "lstrip": False, "normalized": True, "rstrip": False, "single_word": False}
        for name, token in (("bos_token", "<s>"), ("eos_token", "</s>"), ("unk_token", "<unk>"))
    }
    _write(folder / "added_tokens.json", {pad: 400} if pad == "<pad>" else {})
    _write(folder / "special_tokens_map.json", {**special, "pad_token": pad})
    config = {
        "add_bos_token": True,
        "add_eos_token": False,
        "clean_up_tokenization_spaces": False,
        "model_max_length": 512,
        "pad_token": pad,
        "sp_model_kwargs": {},
        "tokenizer_class": "LlamaTokenizer",
        **{name: {"__type": "AddedToken", **token} for name, token in special.items()},
    }
    _write(folder / "tokenizer_config.json", config)
    return 401


def make_classifier(
    folder: Path,
    *,
    tokenizer: str = "bytes",
    weights: str = "safetensors",
    labels: Sequence[str] = HARM_CATEGORIES,
    problem_type: str = "multi_label_classification",
    pad_token_id: int | None = None,
    hidden: int = 32,
    layers: int = 2,
    heads: int = 4,
    spread: float = 0.3,
    seed: int = 0,
) -> Path:
    """Make a random LlamaForSequenceClassification with its tokenizer.

    Args:
        folder: Where to.
        tokenizer: ``bytes`` or ``sentencepiece``.
        weights: ``safetensors`` or ``bin`` (two shards, with the config keys and leftover tensors of 2023).
        labels: Label names in index order.
        problem_type: As in the config.
        pad_token_id: Config's padding id; None: the tokenizer's.
        hidden: Hidden size; with `layers` and `heads` it sets the cost.
        layers: Layers.
        heads: Attention heads.
        spread: Standard deviation of the weights; 0.3 gives probabilities on both sides of 0.5.
        seed: Of the weights.
    """
    import torch
    from transformers import LlamaConfig, LlamaForSequenceClassification

    folder.mkdir(parents=True, exist_ok=True)
    if tokenizer == "bytes":
        byte_tokenizer().save_pretrained(folder)
        vocabulary, pad, bos, eos = 384, 0, None, 1
    else:
        vocabulary = save_sentencepiece_tokenizer(folder)
        pad, bos, eos = vocabulary - 1, 1, 2
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        max_position_embeddings=2048,
        initializer_range=spread,
        rms_norm_eps=1e-6,
        pad_token_id=pad if pad_token_id is None else pad_token_id,
        bos_token_id=bos,
        eos_token_id=eos,
        id2label=dict(enumerate(labels)),
        label2id={label: index for index, label in enumerate(labels)},
        problem_type=problem_type,
        dtype="float32",
    )
    torch.manual_seed(seed)
    model = LlamaForSequenceClassification(config)
    if weights == "safetensors":
        model.save_pretrained(folder)
    else:
        _save_as_2023(model, folder, heads)
    return folder


def _save_as_2023(model: Any, folder: Path, heads: int) -> None:
    """Two pickle shards with an index, `torch_dtype` and no rope settings in the config, old rotary buffers left in."""
    import torch

    config = model.config
    state = dict(model.state_dict())
    inverse = 1.0 / (10000 ** (torch.arange(0, config.hidden_size // heads, 2).float() / (config.hidden_size // heads)))
    for layer in range(config.num_hidden_layers):
        state[f"model.layers.{layer}.self_attn.rotary_emb.inv_freq"] = inverse
    names = sorted(state)
    shards = (names[: len(names) // 2], names[len(names) // 2 :])
    where = {}
    for number, shard in enumerate(shards, 1):
        file = f"pytorch_model-{number:05d}-of-{len(shards):05d}.bin"
        torch.save({name: state[name] for name in shard}, folder / file)
        where.update(dict.fromkeys(shard, file))
    size = sum(tensor.numel() * tensor.element_size() for tensor in state.values())
    _write(folder / "pytorch_model.bin.index.json", {"metadata": {"total_size": size}, "weight_map": where})
    _write(
        folder / "config.json",
        {
            "_name_or_path": "beaver-dam-7b",
            "architectures": ["LlamaForSequenceClassification"],
            "bos_token_id": config.bos_token_id,
            "eos_token_id": config.eos_token_id,
            "hidden_act": "silu",
            "hidden_size": config.hidden_size,
            "id2label": {str(index): label for index, label in config.id2label.items()},
            "initializer_range": 0.02,
            "intermediate_size": config.intermediate_size,
            "label2id": config.label2id,
            "max_position_embeddings": 2048,
            "model_type": "llama",
            "num_attention_heads": heads,
            "num_hidden_layers": config.num_hidden_layers,
            "pad_token_id": config.pad_token_id,
            "problem_type": config.problem_type,
            "rms_norm_eps": 1e-06,
            "tie_word_embeddings": False,
            "torch_dtype": "float32",
            "transformers_version": "4.28.1",
            "use_cache": True,
            "vocab_size": config.vocab_size,
        },
    )


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2), encoding="utf-8")
