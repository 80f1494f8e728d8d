"""Which replies name an answer, and which do not: both in the ways judges really write, in Urdu and in English."""

import pytest
from hypothesis import given

from pak3h_tasks.judges.label_reply import parse_label
from support.texts import HOSTILE, any_text

READ = [
    "{}",
    " {}",
    "{}\n",
    "**{}**",
    "__{}__",
    "{}.",
    "`{}`",
    '"{}"',
    "({})",
    "[{}]",
    "“{}”",
    "«{}»",
    "- {}",
    "<answer>{}</answer>",
    "\u200f{}\u200f",
    "\ufeff{}",
    "```\n{}\n```",
    '{{"answer": "{}"}}',
    '```json\n{{"better": "{}"}}\n```',
    '{{"answer": "{}", "rea',
    "Answer: {}",
    "answer {}",
    "answer-{}",
    "Answer {} is better.",
    "**Answer:** {}",
    "**Better answer:** {}",
    "Answer: Answer {}",
    "The answer is: {}",
    "The better answer is {}.",
    "The answer that is better is {}.",
    'The answer that is better is "{}"',
    "The best answer is **{}**.",
    "The better answer is answer {}.",
    "Final answer: {}",
    "My verdict: {}",
    "I prefer {}.",
    "I would choose answer {}.",
    "I think {} is better.",
    "Therefore, {} is the better answer.",
    "جواب: {}",
    "**جواب:** {}",
    "جواب {}",
    "بہتر جواب: {}",
    "بہتر جواب {} ہے۔",
    "جواب {} بہتر ہے۔",
    "{} بہتر ہے",
    "{} زیادہ بہتر ہے",
    "میرے خیال میں {} بہتر ہے",
    "دونوں میں سے {} بہتر ہے۔",
    "فیصلہ: «{}»",
    "حتمی جواب: **{}**",
    "<think>M? no, m. No...</think>\n\n{}",
    "maybe M or m</think>{}",
]
UNREAD = [
    "",
    " ",
    "?",
    "m?",
    "mm",
    "MM",
    "me",
    "m or M",
    "m/M",
    "m, M",
    "M and m",
    "both m and M",
    "Answers m and M",
    "m > M",
    "m = M",
    "m+",
    "m&M",
    "m\nM",
    "Neither m nor M",
    "The better answer is not M.",
    "The answer that is better is m or M",
    "The worse answer is m",
    "M بہتر نہیں",
    "not m",
    "I'm not sure",
    "I cannot decide.",
    "5 m",
    "The tower is 5 m high.",
    "M:n",
    "m: this one is good, M: this one is bad",
    "m: good",
    "m:\nClear.\n\nM:\nUnclear.",
    "Answer m is worse.",
    "m is not better than M",
    "m is better in style, but M is right",
    "m is better than m",
    "Answer m is correct. Answer M is wrong.",
    "m’s answer",
    "m's is best",
    "The answer m is good and the answer M is too",
    "Yes",
    "Could you rephrase that?",
    '{"m": 1, "M": 2}',
    '{"m": "good", "M": "bad"}',
    '{"first": "m", "second": "M"}',
    "ایم",
    "ہاں",
    "دونوں برابر ہیں",
    "دونوں جواب اچھے ہیں",
    "m یا M",
    "m اور M",
    "<think>m",
    "<think>m\n\nm",
    "M is better.\n\nSo the answer is:\nm",
    "**m** is the worst",
    "*m* is not better",
    "**m** بہتر نہیں",
    "m, but on reflection M is better",
    "m\n\nActually, M is better.",
    "m.\nM wins.",
]


@pytest.mark.parametrize("label", ["m", "M"])
@pytest.mark.parametrize("reply", READ)
def test_read(reply, label):
    assert parse_label(reply.format(label)) == label


@pytest.mark.parametrize("reply", UNREAD)
def test_not_read(reply):
    assert parse_label(reply) is None
    assert parse_label(reply.swapcase() if reply.isascii() else reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        "M\n\nIt is clearer than m.",
        "M - more complete than m",
        "M, because it answers the question",
        "M because m is wrong",
        "M is better than m.",
        "M is better. m is wrong.",
        "Answer M is better than answer m because it is right.",
        "M. m is too short.",
        "M کیونکہ یہ مکمل ہے",
    ],
)
def test_a_reason_may_follow(reply):
    assert parse_label(reply) == "M"


def test_a_verdict_after_an_explanation_needs_a_line_of_its_own_and_a_whole_reply():
    reply = "Both answers explain it. Answer M is longer.\n\n**Answer: m**"
    assert parse_label(reply) == "m"
    assert parse_label(reply, whole=False) is None  # the heading of what comes next
    assert parse_label("Both explain it, so the answer is m") is None


@given(any_text)
def test_any_text_has_an_outcome(text):
    assert parse_label(text) in ("m", "M", None)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_no_verdicts_and_change_none(name):
    assert parse_label(HOSTILE[name]) is None
    assert parse_label(f"M\n\n{HOSTILE[name]}") == "M"
