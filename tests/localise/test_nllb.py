import shutil

import pytest
import torch

from pak3h_tasks.errors import BackendError, SettingsError
from pak3h_tasks.localise.nllb import DEFAULT_MODEL, NllbSettings, NllbTranslator

TEXTS = ["What happens?", "It stays in your stomach for seven years.", "Nothing happens. Yes, no, and perhaps."]


@pytest.fixture(scope="module")
def translator(tiny_nllb):
    return NllbTranslator(NllbSettings(model=str(tiny_nllb), beams=2, max_new_tokens=8))


def test_defaults_are_the_papers():
    settings = NllbSettings()
    assert (settings.model, settings.source, settings.target) == (
        "facebook/nllb-200-1.3B",
        "eng_Latn",
        "urd_Arab",
    )
    assert settings.model == DEFAULT_MODEL


def test_a_batch_translates_like_its_texts_alone(translator):
    batch = translator.translate(TEXTS)
    assert batch == [translator.translate([text])[0] for text in TEXTS]
    assert len({translation.text for translation in batch}) > 1, "a model that says one thing proves nothing"


def test_source_and_target_language_reach_the_model(translator, monkeypatch):
    seen = {}
    generate = translator._model.generate

    def spy(**arguments):
        seen.update(arguments, rows=generate(**arguments))
        return seen["rows"]

    monkeypatch.setattr(translator._model, "generate", spy)
    translator.translate(TEXTS)
    token = translator._tokenizer.convert_tokens_to_ids
    assert (seen["input_ids"][:, 0] == token("eng_Latn")).all()
    assert (seen["rows"][:, 1] == token("urd_Arab")).all()
    assert seen["num_beams"] == 2


def test_special_tokens_in_a_text_are_text(translator):
    plain = translator._tokenizer("a </s> b urd_Arab", split_special_tokens=True).input_ids
    token = translator._tokenizer.convert_tokens_to_ids
    assert plain.count(token("</s>")) == 1
    assert token("urd_Arab") not in plain
    assert translator.count_tokens("a </s> b urd_Arab") == len(plain)


def test_an_endless_translation_is_told(tiny_nllb):
    short = NllbTranslator(NllbSettings(model=str(tiny_nllb), beams=1, max_new_tokens=2)).translate(TEXTS[:1])
    assert short[0].cut
    # </s> as the only thing the model can say: ends at once, with nothing
    silent = NllbTranslator(NllbSettings(model=str(tiny_nllb), beams=1, max_new_tokens=8))
    silent._model.lm_head = _Constant(silent._tokenizer.eos_token_id, len(silent._tokenizer))
    assert silent.translate(TEXTS[:2]) == [type(short[0])("", cut=False)] * 2


class _Constant(torch.nn.Module):
    def __init__(self, token, size):
        super().__init__()
        self.logits = torch.full((size,), -9.0)
        self.logits[token] = 9.0

    def forward(self, hidden):
        return self.logits.expand(*hidden.shape[:-1], -1)


def test_batches_are_halved_where_memory_runs_out(translator, monkeypatch):
    sizes = []
    generate = NllbTranslator._generate

    def tight(self, texts):
        sizes.append(len(texts))
        if len(texts) > 1:
            raise torch.OutOfMemoryError
        return generate(self, texts)

    wanted = translator.translate(TEXTS)
    monkeypatch.setattr(NllbTranslator, "_generate", tight)
    assert translator.translate(TEXTS) == wanted
    assert sizes == [3, 1, 2, 1, 1]

    def full(self, texts):
        raise torch.OutOfMemoryError

    monkeypatch.setattr(NllbTranslator, "_generate", full)
    with pytest.raises(BackendError, match="out of memory for a single text"):
        translator.translate(TEXTS)


def test_a_tokenizer_without_language_tokens_is_refused(tiny_nllb, tmp_path):
    # transformers 5 loads the hub's sentencepiece file without them, and every language becomes <unk>.
    for name in ("config.json", "generation_config.json", "model.safetensors", "sentencepiece.bpe.model"):
        shutil.copy(tiny_nllb / name, tmp_path / name)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "NllbTokenizer"}')
    with pytest.raises(BackendError, match="has no language token 'urd_Arab'"):
        NllbTranslator(NllbSettings(model=str(tmp_path)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "/no/such/folder"}, "no such folder"),
        ({"model": "nobody/nllb-never-made"}, "cannot be loaded"),
        ({"target": "xxx_Yyyy"}, "no language token 'xxx_Yyyy'"),
        ({"source": "xxx_Yyyy"}, "no language token 'xxx_Yyyy'"),
    ],
)
def test_what_cannot_be_loaded_is_told_in_one_line(tiny_nllb, change, message):
    with pytest.raises(BackendError, match=message) as error:
        NllbTranslator(NllbSettings(**{"model": str(tiny_nllb)} | change))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("flag", "value"), [("device", "nowhere"), ("dtype", "float3")])
def test_senseless_devices_and_dtypes(tiny_nllb, flag, value):
    with pytest.raises(SettingsError, match=f"--{flag} {value}"):
        NllbTranslator(NllbSettings(model=str(tiny_nllb)), **{flag: value})
