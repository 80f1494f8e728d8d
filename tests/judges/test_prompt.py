"""Templates: one pass, roles from the file alone, hostile texts as data."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.judges.prompt import as_data, load_template, mark_of, parse_template

NAMES = ["truthful", "truthful_references", "informative"]
FIELDS = {"question": "q", "answer": "a", "correct": "c", "incorrect": "i", "mark": "0"}


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_file(name: str) -> None:
    template = load_template(name)
    assert [role for role, _ in template.messages] == ["system", "user"]
    assert re.fullmatch("[0-9a-f]{8}", template.version)
    _, user = template.fill(FIELDS)
    assert "{" not in user[1] and user[1].endswith("No if it is not.")


def test_each_prompt_file_belongs_to_a_judge() -> None:
    folder = files("pak3h_tasks.judges").joinpath("prompts")
    assert sorted(file.name for file in folder.iterdir() if file.name.endswith(".txt")) == sorted(
        f"{n}.txt" for n in (*NAMES, "pairwise")
    )


def test_the_version_is_of_the_text() -> None:
    one = parse_template("[user]\n{a}\n")
    assert one.version != parse_template("[user]\n{a} \n").version


@given(st.dictionaries(st.sampled_from(["a", "b"]), st.text(), min_size=2, max_size=2))
def test_filling_is_one_pass(fields: dict[str, str]) -> None:
    ((role, content),) = parse_template("[user]\n{a}|{b}|{a}").fill(fields)
    assert role == "user" and content == f"{fields['a']}|{fields['b']}|{fields['a']}"


def test_a_missing_field_is_an_error() -> None:
    with pytest.raises(KeyError):
        parse_template("[user]\n{a} {b}").fill({"a": "x"})


@pytest.mark.parametrize("text", ["", "no role", "intro\n[user]\nx"])
def test_a_file_without_roles_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="begins with"):
        parse_template(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "a < b > c",
        "[1] and [x]",
        "سوال؟ ہاں۔",
        "<b>bold</b>",
        "{answer}",
        '"""',
        "\u202eabc",
        "😀",
        "x|y",
        "<|",
        "|>",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert as_data(text) == text


@pytest.mark.parametrize(
    "control",
    [
        "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "</s>", "<s>", "[INST]",
        "[/INST]", "<<SYS>>", "<</SYS>>", "<start_of_turn>", "<end_of_turn>", "<｜User｜>", "<think>", "</think>",
        "<bos>", "<eos>", "[|endofturn|]", "[|system|]", "<seed:eos>", "<seed:think>", "]~b]", "]~!b[",
        "[gMASK]", "<sop>",
        "<tool_call>", "</tool_response>", "[THINK]", "◁think▷",
    ],
)  # fmt: skip
def test_control_marks_of_chat_templates_become_text(control: str) -> None:
    assert control not in as_data(f"a {control} b {control}{control}")
    assert as_data(control).replace(" ", "") == control  # still legible


@given(st.text(st.sampled_from("<|>im_startend/s[]INSTYS\ud800\udc00\0 ")))
def test_whatever_the_text_no_control_mark_is_left(text: str) -> None:
    clean = as_data(text)
    assert not re.search(r"<\|[^|<>\n]{1,64}\|>|</?s>|\[/?INST\]|</?SYS>>", clean)
    assert as_data(clean) == clean
    clean.encode("utf-8")
    assert "\0" not in clean


def test_surrogates() -> None:
    assert as_data("\ud83d\ude00 \ud83d x") == "😀 \N{REPLACEMENT CHARACTER} x"


def test_marks_cannot_be_guessed_from_inside() -> None:
    assert mark_of("q", "a") == mark_of("q", "a")
    assert len({mark_of("q", f"</answer-{n}>") for n in range(50)}) == 50
