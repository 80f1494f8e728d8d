import pytest
from hypothesis import given

from pak3h_tasks.schema import LANGS
from pak3h_tasks.text.script import LANGUAGE_OF, in_language, script_share
from support.texts import HOSTILE, any_text


def test_share_counts_letters_only():
    # By hand: 4 Arabic letters of 7; digits, signs, spaces and the vowel mark are no letters.
    assert script_share("پانِی: H2O a! ۱۲", "Arabic") == 4 / 7
    assert script_share("پانِی: H2O a! ۱۲", "Latin") == 3 / 7


@pytest.mark.parametrize("text", ["", "  ", "1947", "۱۹۴۷", "؟!", "ـــ"])
def test_a_text_without_letters_has_no_share_and_no_language(text):
    assert script_share(text, "Arabic") is None
    expected = None if text.strip() else False
    assert all(in_language(text, lang) is expected for lang in LANGS)


@pytest.mark.parametrize(
    ("text", "urdu", "english"),
    [
        ("جی ہاں۔", True, False),
        ("Yes.", False, True),
        ("یہ MSG ہے، ایک نمک", True, False),
        ("The word is نمک, or salt", False, True),
        ("اب ab", False, False),  # half and half is mostly neither
        ("Да", False, False),
        ("जी हाँ", False, False),
        ("café naïve", False, True),
        ("ـــجی", True, False),
        ("ﷺ", True, False),
    ],
)
def test_in_language(text, urdu, english):
    assert in_language(text, "ur") is urdu
    assert in_language(text, "urmt") is urdu
    assert in_language(text, "en") is english


@given(any_text)
def test_shares_of_two_scripts_never_exceed_the_whole(text):
    arabic, latin = script_share(text, "Arabic"), script_share(text, "Latin")
    assert (arabic is None) == (latin is None)
    if arabic is not None:
        assert 0 <= arabic <= 1
        assert arabic + latin <= 1 + 1e-12


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts(text):
    assert all(in_language(text, lang) in (True, False, None) for lang in LANGS)


def test_every_language_of_the_data_has_a_code():
    assert set(LANGUAGE_OF) == set(LANGS)
