from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pak3h_tasks.backends.local.model_source import ModelSource
from pak3h_tasks.backends.local.tokenizer import load_tokenizer
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.judges.beaver_encoding import PairEncoder, PromptResponse, pair_text
from support.tiny_classifier import SAMPLE_LINES, byte_tokenizer, save_sentencepiece_tokenizer

LONG_URDU = PromptResponse(SAMPLE_LINES[4], " ".join(SAMPLE_LINES[5:] * 40))
PAIRS = [
    PromptResponse(SAMPLE_LINES[0], SAMPLE_LINES[1]),
    PromptResponse(SAMPLE_LINES[4], SAMPLE_LINES[5]),
    PromptResponse("{input} {0}", "{input}\n\n  two  spaces and a tab\t"),
    PromptResponse(" leading", " leading too"),
    PromptResponse("😀 zwnj می\u200cروم", "emoji 👩‍👩‍👧 and ۔؟"),
    PromptResponse("empty answer", ""),
    LONG_URDU,
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sp")
    save_sentencepiece_tokenizer(path)
    return path


@pytest.fixture(scope="module")
def llama(folder: Path) -> Any:
    return load_tokenizer(ModelSource(str(folder)))


def upstream(tokenizer: Any, pair: PromptResponse, max_length: int) -> list[int]:
    """The published construction (reference report 1.3), as its own few lines."""
    prompt_input = "BEGINNING OF CONVERSATION: " + "USER: {input} " + "ASSISTANT:"
    text = prompt_input.format(input=pair.prompt) + pair.response
    if not text.endswith(tokenizer.eos_token):
        text = text + tokenizer.eos_token
    batch = tokenizer([text], padding=True, truncation=True, max_length=max_length, padding_side="right")
    return list(batch["input_ids"][0])


def test_the_template_has_no_space_before_the_response() -> None:
    assert pair_text(PromptResponse("Q", "R")) == "BEGINNING OF CONVERSATION: USER: Q ASSISTANT:R"


@pytest.mark.parametrize("pair", PAIRS)
def test_ids_equal_upstreams_for_what_fits(llama: Any, pair: PromptResponse) -> None:
    encoded = PairEncoder(llama, max_length=100_000).encode([pair])[0]
    assert list(encoded.ids) == upstream(llama, pair, 100_000)
    assert not encoded.truncated


def test_ids_equal_sentencepieces_own(llama: Any, folder: Path) -> None:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))
    for pair, encoded in zip(PAIRS, PairEncoder(llama, max_length=100_000).encode(PAIRS), strict=True):
        assert list(encoded.ids) == [1, *processor.encode(pair_text(pair)), 2]


texts = st.text(st.characters(codec="utf-8", exclude_characters="<"), max_size=80)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(texts, texts)
def test_ids_equal_upstreams_for_any_text(llama: Any, prompt: str, response: str) -> None:
    pair = PromptResponse(prompt, response)
    assert list(PairEncoder(llama).encode([pair])[0].ids) == upstream(llama, pair, 2048)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.text(max_size=300), st.text(max_size=300), st.integers(80, 200))
def test_eos_last_template_whole_length_kept_on_any_text(
    llama: Any, prompt: str, response: str, max_length: int
) -> None:
    encoded = PairEncoder(llama, max_length=max_length).encode([PromptResponse(prompt, response)])[0]
    ids = list(encoded.ids)
    assert len(ids) <= max_length
    assert (ids[0], ids[-1]) == (1, 2)
    assert not {1, 2, 400} & set(ids[1:-1])  # a control token is never inside
    text = llama.decode(ids[1:-1])
    assert text.startswith("BEGINNING OF CONVERSATION: USER: ")
    assert " ASSISTANT:" in text


@pytest.mark.parametrize("max_length", [96, 256, 512])
def test_truncation_cuts_the_responses_end_and_keeps_eos(llama: Any, max_length: int) -> None:
    encoded = PairEncoder(llama, max_length=max_length).encode([LONG_URDU])[0]
    whole = PairEncoder(llama, max_length=100_000).encode([LONG_URDU])[0]
    assert encoded.truncated
    assert len(encoded.ids) == max_length
    assert encoded.ids[-1] == llama.eos_token_id
    if max_length > 96:  # there the prompt fits beside a quarter for the response
        assert list(encoded.ids[:-1]) == list(whole.ids[: max_length - 1])


def test_a_row_of_exactly_max_length_is_not_truncated(llama: Any) -> None:
    whole = PairEncoder(llama, max_length=100_000).encode([PAIRS[1]])[0]
    exact = PairEncoder(llama, max_length=len(whole.ids)).encode([PAIRS[1]])[0]
    shorter = PairEncoder(llama, max_length=len(whole.ids) - 1).encode([PAIRS[1]])[0]
    assert (list(exact.ids), exact.truncated) == (list(whole.ids), False)
    assert shorter.truncated


def test_a_prompt_that_fills_the_row_gives_way_to_the_response(llama: Any) -> None:
    pair = PromptResponse("word " * 1000, "unsafe words " * 1000)
    encoded = PairEncoder(llama, max_length=128).encode([pair])[0]
    text = llama.decode(list(encoded.ids)[1:-1])
    before, after = text.split(" ASSISTANT:")
    assert encoded.truncated
    assert before.startswith("BEGINNING OF CONVERSATION: USER: word word")
    response_tokens = len(llama(after, add_special_tokens=False)["input_ids"])
    assert 128 / 4 - 3 <= response_tokens <= 128 / 4 + 5
    # a short response is kept whole
    short = PairEncoder(llama, max_length=128).encode([PromptResponse(pair.prompt, "unsafe words")])[0]
    assert llama.decode(list(short.ids)[1:-1]).endswith(" ASSISTANT:unsafe words")


@pytest.mark.parametrize("literal", ["</s>", "<s>", "<pad>", "<unk>", "</s></s>"])
def test_control_tokens_written_in_a_text_are_text(llama: Any, literal: str) -> None:
    for pair in (
        PromptResponse("hi", f"a {literal} b"),
        PromptResponse(f"{literal}", "ok"),
        PromptResponse("hi", f"ends in {literal}"),
    ):
        ids = list(PairEncoder(llama).encode([pair])[0].ids)
        assert ids.count(2) == 1
        assert ids[-1] == 2
        assert ids.count(1) == 1
        assert not {0, 400} & set(ids)
        assert literal in llama.decode(ids[1:-1])


def test_profile_upstream_is_upstream_bit_for_bit(llama: Any) -> None:
    encoder = PairEncoder(llama, "upstream")
    pairs = [*PAIRS, PromptResponse("hi", "ends in </s>"), PromptResponse("hi", "a</s>b <pad> c")]
    for pair, encoded in zip(pairs, encoder.encode(pairs), strict=True):
        assert list(encoded.ids) == upstream(llama, pair, 512)
    cut = encoder.encode([LONG_URDU])[0]
    assert cut.truncated
    assert len(cut.ids) == 512
    assert cut.ids[-1] != llama.eos_token_id  # the loss it is known for


def test_lone_surrogates_do_not_stop_the_run(llama: Any) -> None:
    for tokenizer in (llama, byte_tokenizer()):
        odd, plain = PairEncoder(tokenizer).encode(
            [PromptResponse("a\ud800", "b\udfff\ud83d\ude00"), PromptResponse("a\ufffd", "b\ufffd😀")]
        )
        assert list(odd.ids) == list(plain.ids)


def test_a_tokenizer_without_bos(llama: Any) -> None:
    ids = list(PairEncoder(byte_tokenizer()).encode([PromptResponse("q", "r")])[0].ids)
    # ByT5: byte + 3, EOS 1, no BOS
    assert ids == [byte + 3 for byte in pair_text(PromptResponse("q", "r")).encode()] + [1]


def test_no_pairs(llama: Any) -> None:
    assert PairEncoder(llama).encode([]) == []
    assert PairEncoder(llama, "upstream").encode([]) == []


def test_a_row_too_short_for_the_template_is_refused(llama: Any) -> None:
    with pytest.raises(SettingsError, match="max_length 20 is too short for the template; give at least"):
        PairEncoder(llama, max_length=20)
