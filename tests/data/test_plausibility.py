import pytest

from pak3h_tasks.data.plausibility import plausibility_warnings
from pak3h_tasks.schema import ITEM_TYPES
from support.data_files import harmless, helpful, honest


def warnings(dataset, lang, *rows):
    return list(plausibility_warnings(dataset, lang, [ITEM_TYPES[dataset].model_validate(row) for row in rows]))


def test_clean_items_raise_no_suspicion():
    assert warnings("truthfulqa", "ur", honest(1), honest(2)) == []
    assert warnings("alpaca", "urmt", helpful(1), helpful(2)) == []
    assert warnings("beavertails", "ur", harmless(1), harmless(2, unsafe=["self_harm"])) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"incorrect_answers": ["x", "دوسرا جواب۔ "]}, "an answer is both correct and incorrect"),
        ({"best_answer": "کوئی اور"}, "the best answer is not among the correct ones"),
        ({"correct_answers": ["پہلا جواب", "دوسرا", "پہلا جواب۔"]}, "an answer is repeated within its list"),
        ({"incorrect_answers": ["۔۔۔"]}, "an answer has no letter or digit"),
        ({"question": "کیا؟\x1b[2J"}, "there are control characters or marks that override text direction"),
        ({"question": "کیا\u202e؟"}, "there are control characters or marks that override text direction"),
    ],
)
def test_each_suspicion_counts_its_items(changes, message):
    found = warnings("truthfulqa", "ur", honest(1), honest(2, **changes), honest(3))
    assert found == [f"truthfulqa/ur: {message} in 1 item ('h2')"]


def test_arabic_letters_are_counted_one_by_one():
    found = warnings("alpaca", "ur", helpful(1), helpful(2, instruction="كيا يه على ہے؟ ي"))
    # by eye: yeh in kya, yeh and the last word; heh in yeh; alef maksura in ala; kaf in kya
    counts = "ي 3, ك 1, ه 1, ى 1"
    assert found == [f"alpaca/ur: there are Arabic letters ({counts}) where Urdu writes ی ک ہ in 1 item ('a2')"]


def test_latin_items_in_an_urdu_file():
    found = warnings("alpaca", "urmt", helpful(1, instruction="Say this in English.", output="بہت اچھا۔"), helpful(2))
    assert found == ["alpaca/urmt: most letters are Latin, though the file should be Urdu, in 1 item ('a1')"]


def test_counts_and_first_ids():
    rows = [helpful(n, output="...") for n in range(1, 1235)]
    assert warnings("alpaca", "en", *rows) == [
        "alpaca/en: the output has no letter or digit in 1,234 items ('a1', 'a2', 'a3', ...)"
    ]


def test_english_files_are_not_asked_for_urdu_letters():
    assert warnings("alpaca", "en", helpful(1, instruction="Say يہ", output="English words")) == []


def test_harm_labels_that_contradict_each_other_both_ways():
    rows = [harmless(1, is_safe=False), harmless(2, unsafe=["self_harm"], is_safe=True), harmless(3, category=None)]
    assert warnings("beavertails", "ur", *rows) == [
        "beavertails/ur: is_safe contradicts category in 2 items ('b1', 'b2')"
    ]


def test_empty_responses_and_repeated_pairs():
    assert warnings("beavertails", "ur", harmless(1, response=" "), harmless(2), harmless(3, response="جواب 2۔")) == [
        "beavertails/ur: the response is empty in 1 item ('b1')",
        "beavertails/ur: the content was there before under another id in 1 item ('b3')",
    ]


def test_prompts_whose_pairs_carry_different_labels_are_counted():
    labels = (("p", "dt"), ("p", "lc"), ("q", "li"), ("q", "li"), ("r", "lc"), ("r", "li"))
    rows = [harmless(n, prompt=prompt, localization=label) for n, (prompt, label) in enumerate(labels, 1)]
    (found,) = warnings("beavertails", "en", *rows)
    assert found.startswith("beavertails/en: pairs of one prompt carry different labels")
    assert found.endswith("in 2 prompts ('b1', 'b5')")


def test_text_that_went_through_a_wrong_code_page():
    """U13: Latin-1 and Windows-1256 readings of an Urdu file, and English with typographic marks."""
    latin = {name: "کچھ نہیں ہوتا".encode().decode("latin-1") for name in ("instruction", "output")}
    windows = {"instruction": "ع©ع†ع¾ ظ†غپغŒع؛", "output": "غپط§ع؛"}
    found = warnings("alpaca", "ur", helpful(1, **latin), helpful(2), helpful(3, **windows))
    expected = "alpaca/ur: the text looks like UTF-8 read with another code page (Ú©Ú†Ú¾ for کچھ); take the original or"
    assert [line for line in found if "control characters" not in line] == [
        f"{expected} save it again, in 2 items ('a1', 'a3')"
    ]
    (line,) = warnings("alpaca", "en", helpful(1, instruction="Donâ€™t.", output="Fine."))
    assert "UTF-8 read with another code page" in line


@pytest.mark.parametrize("text", ["???? ?? ????", "कुछ नहीं", "×× ××"])
def test_no_letter_of_the_arabic_script(text):
    changes = {"instruction": text, "output": text}
    (line,) = warnings("alpaca", "ur", helpful(1, **changes), helpful(2))[-1:]
    assert line == "alpaca/ur: no letter is of the Arabic script, though the file should be Urdu, in 1 item ('a1')"
    assert not any("Arabic script" in line for line in warnings("alpaca", "en", helpful(1, **changes)))


def test_presentation_forms():
    (line,) = warnings("alpaca", "ur", helpful(1, instruction="ﮐﭽﮭ ﷺ"), helpful(2, instruction="محمد ﷺ"))
    assert line == "alpaca/ur: there are presentation forms of letters, as a PDF has them, in 1 item ('a1')"
