import unicodedata

import pytest
from hypothesis import given

from pak3h_tasks.schema import LANGS
from pak3h_tasks.text.normalise import LETTERS, NORMALISER, PUNCTUATION, normalise, replacement_table
from support.texts import HOSTILE, any_text

DO_CHASHMI_HE = "\N{ARABIC LETTER HEH DOACHASHMEE}"
SENTENCE = "آئندہ ۱۹۴۷ کی کہانی گھر میں ٹھیک نہیں، کیا؟"
NORMAL = "آئندہ 1947 کی کہانی گھر میں ٹھیک نہیں, کیا?"

ARABIC_LETTERS = str.maketrans({"ی": "ي", "ک": "ك", "ہ": "ه"})
VARIANTS = {
    "as it is": SENTENCE,
    "Arabic kaf, yeh, heh": SENTENCE.translate(ARABIC_LETTERS),
    "alef maksura": SENTENCE.replace("ی", "\N{ARABIC LETTER ALEF MAKSURA}"),
    "diacritics": SENTENCE.replace("ک", "کِ").replace("ن", "نّ").replace("د", "دَ"),
    "superscript alef": SENTENCE.replace("ی", "ی\N{ARABIC LETTER SUPERSCRIPT ALEF}"),
    "ZWNJ": SENTENCE.replace("گھر", "گھ\N{ZERO WIDTH NON-JOINER}ر"),
    "bidi marks": "\N{RIGHT-TO-LEFT EMBEDDING}" + SENTENCE + "\N{POP DIRECTIONAL FORMATTING}",
    "BOM": "\N{ZERO WIDTH NO-BREAK SPACE}" + SENTENCE,
    "NFD": unicodedata.normalize("NFD", SENTENCE),
    "kashida": SENTENCE.replace("ہانی", "ہـــانی"),
    "Arabic-Indic digits": SENTENCE.replace("۱۹۴۷", "١٩٤٧"),
    "ASCII digits": SENTENCE.replace("۱۹۴۷", "1947"),
    "ASCII punctuation": SENTENCE.replace("،", ",").replace("؟", "?"),
    "hamza kept apart by a joiner": SENTENCE.replace("ئ", "ي\N{ZERO WIDTH JOINER}\N{ARABIC HAMZA ABOVE}"),
    "Farsi yeh and hamza": SENTENCE.replace("ئ", "\N{ARABIC LETTER FARSI YEH}\N{ARABIC HAMZA ABOVE}"),
    "presentation forms": SENTENCE.replace("کی", "\ufb90\ufbfd"),
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("lang", ["ur", "urmt"])
def test_every_way_to_type_a_sentence_becomes_one(variant, lang):
    assert normalise(variant, lang) == NORMAL


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("ۀ", "ۂ"),
        ("ه\N{ARABIC HAMZA ABOVE}", "ۂ"),
        ("ة", "ۃ"),
        ("ہو\N{ARABIC LETTER YEH BARREE WITH HAMZA ABOVE}", "ہوئے"),
        ("ہو\N{ARABIC LETTER YEH BARREE}\N{ARABIC HAMZA ABOVE}", "ہوئے"),
        ("کرے\N{ZERO WIDTH SPACE}گا", "کرے گا"),
        ("٣٫٥٪", "3.5 فیصد"),
        ("\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}", "صلی اللہ علیہ وسلم"),
        ("\N{ARABIC LIGATURE ALLAH ISOLATED FORM}", "اللہ"),
    ],
)
def test_letters_and_signs(raw, normal):
    assert normalise(raw, "ur") == normal


def test_do_chashmi_he_stays_a_letter_of_its_own():
    assert ord(DO_CHASHMI_HE) == 0x06BE
    table = replacement_table()
    assert ord(DO_CHASHMI_HE) not in table
    assert DO_CHASHMI_HE not in table.values()
    assert normalise("بھارت", "ur") != normalise("بہارت", "ur")


def test_tables_hold_one_code_point_a_key_and_name_what_they_say():
    for written in (*LETTERS.items(), *PUNCTUATION.items()):
        assert [len(character) for character in written] == [1, 1]
    assert [f"{ord(key):04X}>{ord(value):04X}" for key, value in LETTERS.items()] == [
        "064A>06CC", "0649>06CC", "0643>06A9", "0647>06C1", "0629>06C3", "06C0>06C2",
        "06D5>06C1", "06AA>06A9", "0623>0627", "0625>0627", "0671>0627",
        "0672>0627", "0673>0627", "0675>0627", "0676>0624", "0677>0624", "0678>0626",
    ]  # fmt: skip


def test_only_marks_joiners_and_tatweel_are_deleted():
    deleted = [chr(code) for code, written in replacement_table().items() if not written]
    assert {unicodedata.category(character) for character in deleted} == {"Mn", "Cf", "Lm"}
    assert [character for character in deleted if unicodedata.category(character) == "Lm"] == ["\N{ARABIC TATWEEL}"]
    # The list of the reference report (truthfulqa.md 5.5), counted: 8 + 10 + 1 + 7 + 11 marks;
    # four of them are honorifics, which are spelled out.
    assert sum(unicodedata.category(character) == "Mn" for character in deleted) == 37 - 4


def test_every_digit_keeps_its_value():
    digits = {code: written for code, written in replacement_table().items() if written.isdigit()}
    assert len(digits) == 30
    assert all(unicodedata.digit(chr(code)) == int(written) for code, written in digits.items())


def test_english_gets_nfc_alone():
    assert normalise("cafe\N{COMBINING ACUTE ACCENT} ’\u200c’ ۔", "en") == "café ’\u200c’ ۔"


@given(any_text)
def test_normalising_twice_changes_nothing(text):
    for lang in LANGS:
        once = normalise(text, lang)
        assert normalise(once, lang) == once


def test_normalising_twice_changes_nothing_for_any_code_point():
    # All of Unicode in one text, each character apart from the next.
    everything = " ".join(map(chr, range(0x110000)))
    once = normalise(everything, "ur")
    assert normalise(once, "ur") == once


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts(text):
    assert all(isinstance(normalise(text, lang), str) for lang in LANGS)


def test_every_language_has_a_version_name():
    assert set(NORMALISER) == set(LANGS)
    assert NORMALISER["ur"] == "urdu-3"
