"""A tiny random NLLB look-alike on disk: M2M100 weights and an NLLB tokenizer trained here, loaded as real ones are."""

from __future__ import annotations

from pathlib import Path

TEXT = """What happens if you swallow chewing gum? It passes through your body. Dial 911 or 1122 for an ambulance.
It stays in your stomach for seven years. Nothing happens. Yes, no, and perhaps. Is it safe to swim after eating?
یہ جسم سے گزر جاتا ہے۔ پاکستان میں ایمبولینس کے لیے 1122 ملائیں۔ کچھ نہیں ہوتا۔ ہاں، نہیں، شاید۔ سوال اور جواب۔
"""


def build(folder: Path, *, languages: tuple[str, ...] = ("eng_Latn", "urd_Arab"), seed: int = 0) -> Path:
    """Write model and tokenizer into `folder`; without `languages` the tokenizer has no language tokens."""
    import sentencepiece
    import torch
    from transformers import M2M100Config, M2M100ForConditionalGeneration, NllbTokenizer

    folder.mkdir(parents=True)
    (folder / "corpus.txt").write_text(TEXT, encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "corpus.txt"),
        model_prefix=str(folder / "sentencepiece.bpe"),
        model_type="bpe",
        vocab_size=160,
        hard_vocab_limit=False,
        character_coverage=1.0,
        minloglevel=2,
    )
    tokenizer = NllbTokenizer.from_pretrained(folder, src_lang=None, extra_special_tokens=list(languages))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = M2M100Config(
        vocab_size=len(tokenizer),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=256,
        init_std=0.5,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
    )
    model = M2M100ForConditionalGeneration(config)
    # As on the hub, where it competes with max_new_tokens.
    model.generation_config.max_length = 200
    # Random weights never end a text by themselves; from the 8th token on, the end mark gets ever more likely.
    model.generation_config.exponential_decay_length_penalty = (8, 4.0)
    model.save_pretrained(folder)
    return folder
