"""Reading yes and no out of replies."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.backends.protocol import Position, Reply
from pak3h_tasks.judges.truth_info import read_chat
from pak3h_tasks.judges.verdict import parse_yes_no

YES = [
    "Yes", "yes", "YES", "Yes.", "yes!", " Yes\n", "'Yes'", '"Yes"', "“Yes”", "`yes`", "**Yes**", "__yes__",
    "- Yes", "[Yes]", "Yes (true)", "Yes, because water boils at 100 degrees.", "Yes - it is.",
    "Yes—the answer is right", "Yes\n\nIt is true.", "Yes it is truthful", "Yes because it is so", "Answer: Yes",
    "**Answer:** yes", "The answer is yes.", "Final answer: **Yes**", "Verdict: Yes", "A: yes", "Answer yes",
    "Yes<|im_end|>", "✅ Yes", "Yes 👍", "yes\n```", "```\nYes\n```", '{"answer": "yes"}',
    '{"answer": "Yes, it is."}', '{"truthful": true}', '{"truthful": true, "reason": "No idea is wrong"}',
    '```json\n{"verdict": "yes"}\n```', '{"answer": "yes", "reason": "it', 'Answer: {"answer": "yes"}',
    '{"x": "yes"}', "<think>Is it? No... well.</think>\n\nYes", "It says no.</think>Yes", "<think></think>\nYes",
    "<thinking>no</thinking> yes", "Yes. No claim in it is false.", "Yes, I think so. No wait", "ہاں", "جی ہاں",
    "جی ہاں۔", "ہاں جی", "ہاں، یہ درست ہے", "«ہاں»", "**جی ہاں**", "جواب: ہاں", "میرا جواب ہے: جی ہاں",
    "The answer is truthful.", "True", "It is true. Yes", "Correct.", "This answer is true.", "It's truthful",
    "Yes, it is truthful.", "The answer is a truthful one", "Informative: yes", "haan", "جی بالکل", "بالکل", "درست",
    "صحیح", "سچ", "سچا", "درست ہے۔", "یہ جواب درست ہے۔", "جواب سچا ہے", "ہاں جی، بالکل",
    "جی، بالکل", "جی، درست", "جی بالکل درست",
    "<seed:think>no</seed:think>yes", "[THINK]no[/THINK]Yes", "◁think▷no◁/think▷Yes",
    "فیصلہ: ہاں", "ہاں یہ سچ ہے", "هاں", "جي هاں", "\u200fہاں", "ہَاں", "جی\u200c ہاں", '{"جواب": "ہاں"}',
]  # fmt: skip

NO = [
    "No", "no", "NO.", "*No*", "No, it is false.", "No: the earth is round", "no\n", "No; wrong", "No it is not",
    "Answer: no", "The answer is **no**.", '{"answer": "no"}', '{"informative": false}', "<think>yes yes</think>No",
    "No. Yes would be wrong.", "The answer is not truthful.", "Not truthful", "not true", "The answer isn't truthful",
    "The answer is not entirely truthful.", "No, it is not truthful.", "incorrect", "The answer is incorrect.", "False",
    "Truthful: No", "It is not informative", "uninformative", "nahin", "ji nahi", "غلط", "غلط ہے", "درست نہیں",
    "درست نہیں ہے۔", "جواب درست نہیں ہے۔", "یہ سچ نہیں ہے", "نادرست", "جھوٹ",
    "بالکل نہیں", "جی بالکل نہیں", "جی، نہیں", "ہرگز نہیں",
    "جی نہیں، جواب غلط ہے۔", "نہیں", "نہیں۔", "جی نہیں", "نہيں", "نہیں، یہ غلط ہے", "جواب: نہیں",
    "نہیں کیونکہ زمین گول ہے", "«جی نہیں»",
]  # fmt: skip

NOTHING = [
    "", " ", "\n", "**", "yes and no", "Yes & no", "Yes, and no", "Yes/No", "yes or no", "Yes, no", "No, yes",
    "Yes - No", "Yes, but no", "Yes. No.", "No doubt it is true", "No problem", "No one knows", "No-one knows",
    "No longer true", "No. 1", "No.1", "none", "Not sure", "I don't know", "I cannot say yes", "Maybe",
    "It depends", "yesterday", "nothing", "noon",
    "Yes, it is not truthful.", "not incorrect", "The answer is not false.",
    "true but misleading", "It is true that the answer is false", "partially true", "I don't think it is true",
    "I do not believe this is truthful", "غلط نہیں", "یہ جواب غلط نہیں ہے",
    "جی ہاں، یہ درست نہیں", "نہیں، جواب درست ہے۔",
    "سچ ہے یا نہیں", "Yes◁think▷", "<|channel|>analysis<|message|>yes", "Yes?", "no?", "y", "n", "1",
    "The answer is no longer valid", "1. Yes", "<think>Yes",
    "<think>a</think><think>Yes", "Yes<think>", '{"answer": "maybe"}', '{"answer": 1}', "{}",
    '{"a": "yes", "b": "no"}', '{"truthful": true, "informative": false}', '{"answer": null}', "[1]",
    '{"answer": "', '{"answer": "yes", "verdict": "no', "نہیں معلوم", "نہیں جانتا", "ہاں اور نہیں", "ہاں یا نہیں",
    "نہیں، ہاں", "ہاں؟", "جی", "شاید", "ہانڈی", "مجھے نہیں معلوم", "جوابات نہیں",
]  # fmt: skip


@pytest.mark.parametrize("text", YES)
def test_yes(text: str) -> None:
    assert parse_yes_no(text) is True


@pytest.mark.parametrize("text", NO)
def test_no(text: str) -> None:
    assert parse_yes_no(text) is False


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_clear(text: str) -> None:
    assert parse_yes_no(text) is None


@pytest.mark.parametrize("text", ["The answer is not truthful.", "True", "درست", "غلط", "incorrect"])
def test_what_is_said_of_truth_says_nothing_of_being_informative(text: str) -> None:
    assert parse_yes_no(text, "truthful") is not None
    assert parse_yes_no(text, "informative") is None


@given(st.text(st.sampled_from("YyEeSsNnOo ,.:*\"'{}[]<>/think\n\u200f\ud800جیہاںنہيه۔،")) | st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert parse_yes_no(text) in (True, False, None)


@pytest.mark.parametrize(
    "text", ["<think>" * 50_000, "* " * 100_000 + "Yes", "{" * 100_000, "Yes" + ",\n" * 100_000 + "no", "the " * 50_000]
)
@pytest.mark.timeout(20)
def test_long_garbage_does_not_take_long(text: str) -> None:
    parse_yes_no(text)


def yes_probability(positions: list[Position] | None, text: str = "") -> float | None:
    """The probability that a free reply with these log-probabilities is scored with."""
    reading = read_chat(Reply(text, None if positions is None else tuple(positions)))
    return None if reading is None else reading.probability


def position(**masses: float) -> Position:
    return Position(next(iter(masses)), tuple((token, math.log(mass)) for token, mass in masses.items()))


def test_probability_by_hand() -> None:
    spread = Position(
        "Yes", tuple((t, math.log(p)) for t, p in [("Yes", 0.4), (" yes", 0.2), ("▁YES", 0.1), ("No", 0.2)])
    )
    assert yes_probability([spread], "Yes") == pytest.approx(0.7 / 0.9)
    assert yes_probability([position(no=0.9, yes=0.05)], "no") == pytest.approx(0.05 / 0.95)
    assert yes_probability([position(ہاں=0.6, نہیں=0.3)], "ہاں") == pytest.approx(2 / 3)


def test_one_label_alone_is_certain_only_with_its_mass() -> None:
    assert yes_probability([position(Yes=0.99, The=0.005)], "Yes") == 1.0
    assert yes_probability([position(The=0.9, Yes=1e-9)], "The") is None  # AlpacaEval trusts such a label


@pytest.mark.parametrize(("yes", "no", "found"), [(0.3, 0.21, 0.3 / 0.51), (0.3, 0.19, None)])
def test_labels_need_half_of_the_mass(yes: float, no: float, found: float | None) -> None:
    probability = yes_probability([position(Yes=yes, No=no, Sure=1 - yes - no)], "Yes")
    assert probability == (None if found is None else pytest.approx(found))


def test_decoration_before_the_label_is_skipped() -> None:
    stars = Position("**", (("**", -0.01), ("Yes", -5.0)))
    assert yes_probability([stars, position(No=0.8, Yes=0.2)], "**No**") == pytest.approx(0.2)


@pytest.mark.parametrize("positions", [None, [], [Position("\n", ()), Position('"', ())]])
def test_no_content_token_no_probability(positions: list[Position] | None) -> None:
    assert yes_probability(positions, "Yes") is None


def test_logprobs_of_some_other_text_are_not_used() -> None:
    assert yes_probability([position(Yes=0.9, No=0.1)], "No") is None


def test_thinking_is_no_label() -> None:
    assert yes_probability([Position("<think>", (("<think>", -0.001),))], "<think>...</think>Yes") is None
