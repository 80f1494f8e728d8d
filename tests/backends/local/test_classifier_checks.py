from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pak3h_tasks.backends.local.classifier_checks import check_config, check_tokenizer, checked_labels
from pak3h_tasks.errors import BackendError
from pak3h_tasks.schema import HARM_CATEGORIES
from support.tiny_classifier import byte_tokenizer


def config(**changes: Any) -> Any:
    values: dict[str, Any] = {
        "id2label": dict(enumerate(HARM_CATEGORIES)),
        "problem_type": "multi_label_classification",
        "pad_token_id": 0,
        "vocab_size": 384,
        **changes,
    }
    made = SimpleNamespace(**values)
    made.get_text_config = lambda: made
    return made


def test_beaver_dams_own_labels_pass() -> None:
    assert check_config(config(), None, "m") == HARM_CATEGORIES


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id2label": {0: "unsafe"}}, r"problem_type is 'multi_label_classification' with 1 label"),
        ({"problem_type": "single_label_classification"}, "a single-label head has no independent harm"),
        ({"problem_type": None}, "problem_type is None"),
        ({"problem_type": "regression"}, "problem_type is 'regression'"),
        ({"id2label": dict(enumerate(HARM_CATEGORIES[:13]))}, "has 13 labels, Beaver-Dam has 14"),
        ({"id2label": {i: f"LABEL_{i}" for i in range(14)}}, "label 0 is 'LABEL_0', Beaver-Dam's is 'animal_abuse'"),
        ({"id2label": dict(enumerate(reversed(HARM_CATEGORIES)))}, "label 0 is 'violence,aiding_and_abetting"),
        ({"id2label": dict(enumerate(HARM_CATEGORIES, 1))}, "has no label 0; it must number them from 0"),
    ],
)
def test_what_is_not_beaver_dam_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BackendError, match=message):
        check_config(config(**changes), None, "classifier x")


def test_another_classifier_with_its_map() -> None:
    labels = {0: "LABEL_0", 1: "safe", 2: "LABEL_2"}
    mapping = {"safe": None, "LABEL_0": "violence", "LABEL_2": "hate"}
    assert check_config(config(id2label=labels), mapping, "m") == ("violence", None, "hate")


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"a": "x"}, "exactly the model's 2 labels; check 'b'"),
        ({"a": "x", "b": "y", "c": "z"}, "check 'c'"),
        ({"a": None, "b": None}, "report at least one label"),
        ({"a": "x", "b": "x"}, "under a name of its own"),
    ],
)
def test_maps_that_do_not_fit(mapping: dict[str, str | None], message: str) -> None:
    with pytest.raises(BackendError, match=message):
        checked_labels(["a", "b"], mapping, "m")


def test_a_right_tokenizer_passes() -> None:
    check_tokenizer(byte_tokenizer(), "m", config())
    check_tokenizer(byte_tokenizer(), "m")


@pytest.mark.parametrize(
    ("tokenizer", "changes", "message"),
    [
        ({"pad_token": "</s>"}, {"pad_token_id": 1}, "the padding token is the end-of-sequence token"),
        ({"pad_token": None}, {}, "the padding token is missing"),
        ({"eos_token": None}, {}, "no end-of-sequence token"),
        ({}, {"pad_token_id": 5}, "config.json says pad_token_id 5, the tokenizer pads with 0"),
        ({}, {"pad_token_id": None}, "config.json says pad_token_id None"),
        ({}, {"vocab_size": 300}, "the tokenizer has 384 tokens, the model 300"),
    ],
)
def test_tokenizers_that_would_change_scores(tokenizer: dict[str, Any], changes: dict[str, Any], message: str) -> None:
    made = byte_tokenizer()
    for name, value in tokenizer.items():
        setattr(made, name, value)
    with pytest.raises(BackendError, match=message):
        check_tokenizer(made, "m", config(**changes))


def test_control_tokens_that_cannot_be_text_are_refused() -> None:
    real = byte_tokenizer()

    class Parses:
        eos_token, bos_token, pad_token = real.eos_token, None, real.pad_token
        eos_token_id, bos_token_id, pad_token_id = 1, None, 0

        def __call__(self, text: str, **_: Any) -> Any:
            return {"input_ids": [1]}

    with pytest.raises(BackendError, match="reads a control token written in an answer"):
        check_tokenizer(Parses(), "m")
