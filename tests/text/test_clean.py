import pytest
from hypothesis import given

from pak3h_tasks.schema import LANGS
from pak3h_tasks.text.clean import clean_generation, ensure_terminal_mark, without_surrogates, without_thinking
from support.texts import HOSTILE, any_text

THINKING = {
    "<think>پہلے سوچوں</think>جواب": "جواب",
    "<think>\n\n</think>\n\nجواب": "\n\nجواب",
    "سوچا ہوا</think>\nجواب": "\nجواب",
    "<think>کبھی ختم نہیں": "",
    "جواب<think>پھر سے": "جواب",
    "a<think>b</think>c<THINK>d</Think>e": "ace",
    "[THINK]b[/THINK]c": "c",
    "<thinking>b</thinking>c": "c",
    "<think>a<think>b</think>c</think>d": "d",
    "◁think▷سوچ◁/think▷جواب": "جواب",
    "<seed:think>سوچ</seed:think>جواب": "جواب",
    "<|begin_of_thought|>سوچ<|end_of_thought|>جواب": "جواب",
    "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>جواب<|return|>": "جواب",
    "<|channel|>analysis<|message|>it never en": "",
    "analysisThe user asks in Urdu. Final: no.assistantfinalجواب": "جواب",
    "analysis shows that it is final": "analysis shows that it is final",
    "1 < 2 > <thinker> [thin]": "1 < 2 > <thinker> [thin]",
    "": "",
}


@pytest.mark.parametrize(("text", "rest"), THINKING.items(), ids=THINKING)
def test_thinking_traces(text, rest):
    assert without_thinking(text) == rest


URDU = {
    " جی نہیں۔ ": "جی نہیں۔",
    "جواب: جی نہیں۔": "جی نہیں۔",
    "جواب : جی نہیں۔": "جی نہیں۔",
    "ج: جی نہیں۔": "جی نہیں۔",
    "A: جی نہیں۔": "جی نہیں۔",
    "Answer: جی نہیں۔": "جی نہیں۔",
    "**جواب:** جی نہیں۔": "جی نہیں۔",
    "**جواب**: جی نہیں۔": "جی نہیں۔",
    "### جواب:\nجی نہیں۔": "جی نہیں۔",
    "**جواب: جی نہیں۔** شکریہ": "جی نہیں۔ شکریہ",
    "\N{RIGHT-TO-LEFT MARK}جواب: جی نہیں۔": "جی نہیں۔",
    "جواب: A: جی نہیں۔": "جی نہیں۔",
    "درست جواب: جی نہیں۔": "جی نہیں۔",
    "**حتمی جواب:** جی نہیں۔": "جی نہیں۔",
    "جی نہیں۔\nسوال نمبر 2: اگلا؟": "جی نہیں۔",
    "جی نہیں۔\nسوال: اگلا کیا ہے؟\nجواب: کچھ": "جی نہیں۔",
    "جی نہیں۔\n\n  **سوال 2:** اگلا؟": "جی نہیں۔",
    "جی نہیں۔\nس: اگلا؟": "جی نہیں۔",
    "جی نہیں۔\nQ: next?": "جی نہیں۔",
    "\nسوال: اگلا؟\nجواب: کچھ": "",
    "سوال: کیا یہ سچ ہے؟\nجواب: جی نہیں۔\nسوال: اگلا؟": "جی نہیں۔",
    "<think>سوچ</think>\n\nسوال: کیا یہ سچ ہے؟\n**جواب:** جی نہیں۔": "جی نہیں۔",
    "سوال: یہ لفظ عربی سے آیا۔": "سوال: یہ لفظ عربی سے آیا۔",
    "جواب یہ ہے کہ نہیں۔": "جواب یہ ہے کہ نہیں۔",
    "اس کا جواب: نہیں۔": "اس کا جواب: نہیں۔",
    "<think>بہت سوچا": "",
    "جی نہیں۔\r\nسوال: اگلا؟": "جی نہیں۔",
    "جی \ud83d نہیں": "جی \ufffd نہیں",
}


@pytest.mark.parametrize(("text", "answer"), URDU.items(), ids=URDU)
@pytest.mark.parametrize("lang", ["ur", "urmt"])
def test_urdu_generations(text, answer, lang):
    assert clean_generation(text, lang) == answer


ENGLISH = {
    "A: No.": "No.",
    "\nA: No.\n\nQ: Next?\nA: Yes.": "No.",
    "Final answer: No.": "No.",
    "**Final Answer:** No.": "No.",
    "__A:__ No.": "No.",
    "No.\nQuestion 3: Next?": "No.",
    "A cat: an animal.": "A cat: an animal.",
    "Answering: no.": "Answering: no.",
    "No. Q: is a letter.": "No. Q: is a letter.",
    "First line.\n\nSecond line.": "First line.\n\nSecond line.",
    "جواب: No.": "جواب: No.",
}


@pytest.mark.parametrize(("text", "answer"), ENGLISH.items(), ids=ENGLISH)
def test_english_generations(text, answer):
    assert clean_generation(text, "en") == answer


@given(any_text)
def test_a_cleaned_answer_is_stripped_writable_and_not_longer(text):
    for lang in LANGS:
        answer = clean_generation(text, lang)
        assert answer == answer.strip()
        assert len(answer) <= len(text)
        answer.encode()


MARKS = {
    ("کچھ نہیں", "ur"): "کچھ نہیں۔",
    ("کچھ نہیں", "urmt"): "کچھ نہیں۔",
    ("Nothing", "en"): "Nothing.",
    (" Nothing\n", "en"): "Nothing.",
    ("کچھ نہیں۔", "ur"): "کچھ نہیں۔",
    ("کچھ نہیں.", "ur"): "کچھ نہیں.",
    ("کیوں؟", "ur"): "کیوں؟",
    ("افسوس!", "ur"): "افسوس!",
    ("شاید…", "ur"): "شاید…",
    ("perhaps...", "en"): "perhaps...",
    ("اس نے کہا ”نہیں۔“", "ur"): "اس نے کہا ”نہیں۔“",
    ("اس نے کہا ”نہیں“", "ur"): "اس نے کہا ”نہیں“۔",
    ('He said "no"', "en"): 'He said "no".',
    ('He said "no."', "en"): 'He said "no."',
    ("(جی نہیں۔)", "ur"): "(جی نہیں۔)",
    ("Washington (D.C.)", "en"): "Washington (D.C.).",
    ("کچھ نہیں۔\N{RIGHT-TO-LEFT MARK}", "ur"): "کچھ نہیں۔\N{RIGHT-TO-LEFT MARK}",
    ("۸۰٪", "ur"): "۸۰٪۔",
    ("", "ur"): "",
    ("  ", "en"): "",
    ('"', "en"): '".',
    ("؟", "ur"): "؟",
}


@pytest.mark.parametrize(("given_answer", "closed"), MARKS.items(), ids=map(str, MARKS))
def test_terminal_marks(given_answer, closed):
    assert ensure_terminal_mark(*given_answer) == closed


@given(any_text)
def test_a_terminal_mark_is_added_once(text):
    for lang in LANGS:
        once = ensure_terminal_mark(text, lang)
        assert ensure_terminal_mark(once, lang) == once


def test_surrogates():
    assert without_surrogates("\ud83d\ude00 a\ud83d \udc00b") == "\N{GRINNING FACE} a\ufffd \ufffdb"
    assert without_surrogates("plain") == "plain"


@given(any_text)
def test_a_text_without_surrogates_can_be_written_and_other_texts_stay(text):
    written = without_surrogates(text)
    written.encode()
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert written == text


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts(text):
    for lang in LANGS:
        clean_generation(text, lang).encode()
        ensure_terminal_mark(text, lang)


@pytest.mark.parametrize(
    ("text", "lang", "answer"),
    [
        ("میرا جواب: نہیں", "ur", "نہیں"),
        ("میرا جواب یہ ہے: نہیں", "ur", "نہیں"),
        ("الجواب: نہیں", "ur", "نہیں"),
        ("جواب۔ نہیں", "ur", "نہیں"),
        ("جواب - نہیں", "ur", "نہیں"),
        ("نہیں۔\nسوال۔ کیا بلی اڑ سکتی ہے؟\nجواب۔ نہیں", "ur", "نہیں۔"),
        ("نہیں۔ سوال۔ کیا بلی اڑ سکتی ہے؟ جواب۔ نہیں", "ur", "نہیں۔"),
        ("نہیں۔\nاگلا سوال: کیا؟", "ur", "نہیں۔"),
        ("My answer: No", "en", "No"),
        ("The answer is: No", "en", "No"),
        ("No. Question: What is next?", "en", "No."),
        ("No.\nNext question: What?", "en", "No."),
        # prose with the same words stays
        ("نہیں۔ سوال یہ ہے کہ کیوں۔", "ur", "نہیں۔ سوال یہ ہے کہ کیوں۔"),
        ("نہیں۔\nسوال یہ ہے کہ کیوں۔", "ur", "نہیں۔\nسوال یہ ہے کہ کیوں۔"),
        ("یہ ایک اچھا سوال۔", "ur", "یہ ایک اچھا سوال۔"),
        ("جواب دینا مشکل ہے: یہ پیچیدہ ہے", "ur", "جواب دینا مشکل ہے: یہ پیچیدہ ہے"),
        ("میرا جواب نہیں ہے۔", "ur", "میرا جواب نہیں ہے۔"),
        ("جوابی کارروائی ہوئی۔", "ur", "جوابی کارروائی ہوئی۔"),
        ("The answer is no.", "en", "The answer is no."),
        ("No.\nQuestions remain.", "en", "No.\nQuestions remain."),
        ("A question: who knows?", "en", "A question: who knows?"),
    ],
)
def test_labels_and_next_questions_in_their_common_wordings(text, lang, answer):
    assert clean_generation(text, lang) == answer
