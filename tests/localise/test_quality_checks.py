import unicodedata

import pytest
import regex

from pak3h_tasks.localise.quality_checks import (
    URDU_LETTERS,
    dictionary_of,
    foreign_letters,
    is_untranslated,
    kept_names,
    latin_words,
    length_ratio,
    lost_numbers,
    lost_placeholders,
    names_of,
    unknown_words,
)


def test_the_letters_are_one_arabic_code_point_each():
    assert all(len(letter) == 1 and regex.fullmatch(r"\p{Arabic}", letter) for letter in URDU_LETTERS)
    assert all(unicodedata.normalize("NFC", letter) == letter for letter in URDU_LETTERS)
    # The alphabet as schools teach it has 40 with alef madda, which is among the 7 composed ones; 3 ligatures.
    assert set("ابپتٹثجچحخدڈذرڑزژسشصضطظعغفقکگلمنںوہھءیے") < URDU_LETTERS
    assert len(URDU_LETTERS) == 39 + 7 + 3


@pytest.mark.parametrize(
    "text", ["میں نے دِل سے کہا، ۱۹۴۷ء ﷺ 42 OK.", "مئی، رائے، ہوۓ، مسٔلہ", "آآ", "می\u200cروم", "جرأت مؤثر"]
)
def test_urdu_has_no_foreign_letters(text):
    assert foreign_letters(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("كتاب", "ك ARABIC LETTER KAF"),
        ("علي", "ي ARABIC LETTER YEH"),
        ("ه", "ه ARABIC LETTER HEH"),
        ("हिंदी", "द DEVANAGARI LETTER DA"),
        ("٤", "٤ ARABIC-INDIC DIGIT FOUR"),
        ("ﻛ", "ﻛ ARABIC LETTER KAF INITIAL FORM"),
        ("ړ", "ړ ARABIC LETTER REH WITH RING"),
    ],
)
def test_letters_of_others_are_named(text, found):
    assert found in foreign_letters(text)


def test_latin_words():
    assert latin_words("Gum اور don't اور X اور https://a.example/b") == ["Gum", "don't"]
    assert latin_words("DNA dna", known=dictionary_of(["DNA"])) == []


@pytest.mark.parametrize(
    ("english", "urdu", "lost"),
    [
        ("In 1947, 2 of 3", "۱۹۴۷ میں ۳ میں سے 2", []),
        ("1,000,000 rupees", "10,00,000 روپے", []),
        ("1,000 rupees", "۱٬۰۰۰ روپے", []),
        ("3.5 km", "۳٫۵ کلومیٹر", []),
        ("3.5 km", "۳ کلومیٹر", ["3.5"]),
        ("7 and 7", "7", ["7"]),
        ("since 1947.", "1947۔", []),
        ("(555) 12", "", ["555", "12"]),
        ("no number", "5", []),
    ],
)
def test_numbers(english, urdu, lost):
    assert lost_numbers(english, urdu) == lost


@pytest.mark.parametrize(
    ("english", "urdu", "lost"),
    [
        ("Hi {name}, you owe %s", "{name} جی، %s", []),
        ("Hi {name}", "{نام} جی", ["{name}"]),
        ("Dear [name]", "محترم [نام]", []),
        ("Dear [name]", "محترم", ["[...]"]),
        ("Fill ____ and __", "بھریں ___", ["___"]),
        ("<b>x</b>", "<b>ش", ["</b>"]),
        ("a < b and c > d", "الف", []),
        ("see https://a.example/x?y=1", "دیکھیں", ["https://a.example/x?y=1"]),
        ("50% sure", "50 فیصد", []),
        ("mail a.b@c.example", "a.b@c.example", []),
    ],
)
def test_placeholders(english, urdu, lost):
    assert lost_placeholders(english, urdu) == lost


@pytest.mark.parametrize(
    ("english", "urdu", "answer"),
    [
        ("Yes.", "ہاں۔", False),
        ("Yes.", "Yes.", True),
        ("Yes.", "  ", True),
        ("Yes.", "...", True),
        ("", "", False),
        ("42", "42", False),
        ("42", "", True),
        ("Use DNA", "DNA استعمال", False),
    ],
)
def test_untranslated(english, urdu, answer):
    assert is_untranslated(english, urdu) is answer


def test_dictionary_ignores_diacritics_joiners_and_arabic_letters():
    known = dictionary_of(["کتاب", "علی اکبر", "\ufeff"])
    assert unknown_words("كِتاب علي نیا", known) == ["نیا"]
    assert unknown_words("1947 DNA 42", known) == []


def test_names_are_whole_words():
    assert kept_names("سمتھ اور Johnson", names_of(["John", "سمتھ", "Mary", " ", "-"])) == ["سمتھ"]
    assert kept_names("نیو یارک میں", names_of(["نیو یارک", "یار"])) == ["نیو یارک"]


def test_short_texts_have_no_length_ratio():
    assert length_ratio("Yes.", "جی ہاں، بالکل۔") is None
    assert length_ratio("x" * 20, "ش" * 10) == 0.5
