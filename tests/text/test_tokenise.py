from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer

from pak3h_tasks.text.tokenise import WordTokenizer, words
from support.texts import any_text


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_words_equal_those_of_rouge_score(text):
    assert WordTokenizer().tokenize(text) == DefaultTokenizer().tokenize(text)


def test_vowel_marks_do_not_split_a_word():
    assert words("مُحَمَّد نے کہا۔") == ["مُحَمَّد", "نے", "کہا"]


@given(any_text)
def test_no_letter_mark_or_number_is_lost(text):
    found = set("".join(words(text)))
    assert {character for character in text if character.isalpha() or character.isdecimal()} <= found
    assert not any(character.isspace() for character in found)


def test_rouge_score_takes_the_tokenizer():
    # By hand: 2 of 3 words shared, precision 2/2, recall 2/3, F = 2 * (2/3) / (5/3) = 0.8.
    score = RougeScorer(["rouge1"], tokenizer=WordTokenizer()).score("نمک اچھا ہے", "نمک ہے۔")
    assert score["rouge1"].fmeasure == 0.8


def test_case_is_folded():
    assert WordTokenizer().tokenize("MSG Straße") == ["msg", "strasse"]
