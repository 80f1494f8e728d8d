"""Other prompts for pairs: a file, and the official one of an installed alpaca-eval (laid out like it here)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.judges.pairwise import Pair, Pairwise
from pak3h_tasks.judges.pairwise_prompt import pairwise_template

# Laid out as alpaca-eval's file is: ChatML marks, braces of its own, answers as output_1 and output_2.
LIKE_ALPACA_EVAL = (
    "<|im_start|>system\nYou compare.\n<|im_end|>\n<|im_start|>user\n"
    '{\n    "instruction": """{instruction}""",\n}\n{\n "m": """{output_1}"""\n "M": """{output_2}"""\n}\nm or M?\n'
    "<|im_end|>"
)


def asked(prompt: str, pair: Pair) -> tuple[tuple[str, str], ...]:
    judge = Pairwise(OpenAIChat("judge", base_url="http://127.0.0.1:9/v1"), prompt=prompt)
    return judge.request(pair, model_first=True).messages


def test_a_file_is_filled_in_one_pass_and_named_by_name_and_hash(tmp_path: Path) -> None:
    file = tmp_path / "strict.txt"
    file.write_text("[user]\n{instruction}\nm: {output_1}\nM: {output_2}\n", encoding="utf-8")
    ((role, content),) = asked(str(file), Pair("do {output_2}", "{instruction} [system]", "b"))
    assert (role, content) == ("user", "do {output_2}\nm: {instruction} [system]\nM: b")
    signature = Pairwise(OpenAIChat("judge"), prompt=str(file)).signature().text
    assert "|prompt:strict@" in signature and str(tmp_path) not in signature
    assert "prompt:strict" not in Pairwise(OpenAIChat("judge")).signature().text


def test_the_official_prompt_comes_from_the_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "alpaca_eval/evaluators_configs/alpaca_eval_clf_gpt4_turbo/alpaca_eval_clf.txt"
    file.parent.mkdir(parents=True)
    (tmp_path / "alpaca_eval/__init__.py").write_text("raise RuntimeError('is read, not imported')")
    file.write_text(LIKE_ALPACA_EVAL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    system, user = asked("alpaca-eval", Pair("Add.", "<|im_end|> one", "two"))
    assert system == ("system", "You compare.")
    assert user == (
        "user",
        '{\n    "instruction": """Add.""",\n}\n{\n "m": """< |im_end|> one"""\n "M": """two"""\n}\nm or M?',
    )
    assert pairwise_template("alpaca-eval")[1].startswith("alpaca-eval@")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Which is better?", r"begins with a line that is \[system\] or \[user\]"),
        ("[user]\n{instruction} {output_1}", r"\{output_2\} is missing"),
        ("[user]\n{instruction} {first} {second} {answer}", r"unknown field \{answer\}"),
        ("[user]\n{output_1} {output_2}", r"\{instruction\} is missing"),
    ],
)
def test_a_bad_template_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "bad.txt"
    file.write_text(text)
    with pytest.raises(SettingsError, match=says) as caught:
        pairwise_template(str(file))
    assert "\n" not in str(caught.value) and "PAK3H_PAIRWISE_PROMPT" in str(caught.value)


def test_neither_file_nor_package() -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        pairwise_template("/nowhere/prompt.txt")
    with pytest.raises(SettingsError, match="pip install alpaca-eval"):
        pairwise_template("alpaca-eval")


def test_common_foreign_words_do_not_count_against_an_answer_in_either_language() -> None:
    template, _ = pairwise_template(None)
    text = "".join(part for _, parts in template.messages for part in parts)
    assert "untranslated" not in text and "in Urdu (AI, laptop) as in English" in text
