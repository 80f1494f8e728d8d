import math
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer
from sacrebleu.metrics import BLEU, CHRF

from pak3h_tasks.metrics.overlap import OVERLAP_METRICS, OverlapScorer, answer_overlap, overlap_signature
from pak3h_tasks.metrics.references import references
from pak3h_tasks.schema import LANGS
from pak3h_tasks.text.normalise import normalise
from pak3h_tasks.text.tokenise import words
from support.texts import HOSTILE, any_text

SENTENCE = "آئندہ ۱۹۴۷ کی کہانی گھر میں ٹھیک نہیں، کیا؟"
OTHER = "مچھلی پانی سے باہر زندہ رہتی ہے۔"
RAW = ("bleu", "bleu_official", "rouge1", "rouge2", "rougeL", "chrf")
MAXIMA = ("bleu_max", "bleu_official_max", "rouge1_max", "rouge2_max", "rougeL_max", "chrf_max")
VARIANTS = {
    "Arabic kaf, yeh, heh": SENTENCE.translate(str.maketrans({"ی": "ي", "ک": "ك", "ہ": "ه"})),
    "diacritics": SENTENCE.replace("ک", "کِ").replace("ن", "نّ"),
    "ZWNJ": SENTENCE.replace("گھر", "گھ\N{ZERO WIDTH NON-JOINER}ر"),
    "NFD": unicodedata.normalize("NFD", SENTENCE),
    "kashida": SENTENCE.replace("ہانی", "ہـــانی"),
    "ASCII digits": SENTENCE.replace("۱۹۴۷", "1947"),
    "ASCII punctuation": SENTENCE.replace("،", ",").replace("؟", "?"),
}


def test_keys_are_the_metric_names_of_the_tasks():
    assert tuple(answer_overlap("a", ["b"], ["c"], "en")) == OVERLAP_METRICS


@pytest.mark.parametrize("lang", LANGS)
def test_identical_sentences_score_100(lang):
    scores = answer_overlap(SENTENCE, [OTHER, SENTENCE], [OTHER], lang)
    assert [scores[name] for name in MAXIMA] == pytest.approx([100] * len(MAXIMA))
    assert all(scores[f"{metric}_acc"] == 1 for metric in ("bleu", "rouge1", "rouge2", "rougeL", "chrf"))


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_the_same_sentence_typed_otherwise_scores_100(variant):
    for answer, reference in ((variant, SENTENCE), (SENTENCE, variant)):
        scores = answer_overlap(answer, [reference], [OTHER], "ur")
        assert [scores[name] for name in MAXIMA] == pytest.approx([100] * len(MAXIMA))
    if unicodedata.normalize("NFC", variant) != SENTENCE:
        # Without the Urdu rules it does not: English ones stop at NFC.
        assert answer_overlap(variant, [SENTENCE], [OTHER], "en")["chrf_max"] < 99


def test_raw_values_take_the_texts_as_they_are():
    scores = answer_overlap("وہ 3.5 ہوگا", ["وہ 3.5 ہو گا"], [OTHER], "ur")
    assert scores["rouge1_max"] == scores["rougeL_max"] == pytest.approx(100)
    # by hand: 3.5 is two words in every published ROUGE; 3 of 4 words of the answer in the 5 of the reference
    assert scores["rouge1_max_raw"] == pytest.approx(200 * 3 / (4 + 5))
    assert answer_overlap("Café.", ["Cafe\N{COMBINING ACUTE ACCENT}."], ["no"], "en")["rouge1_max_raw"] == 0


def test_raw_values_of_normal_english_are_the_others():
    scores = answer_overlap("Nothing 3.5 happens", ["Nothing much happens"], ["You die"], "en")
    assert all(scores[f"{metric}_max_raw"] == scores[f"{metric}_max"] for metric in RAW)


def test_rouge_by_hand():
    # Reference: 3 words; answer: 5, all 3 in order. R1 = RL: P 3/5, R 1, F 0.75. R2: P 2/4, R 2/2, F 2/3.
    scores = answer_overlap("آپ کو کچھ نہیں ہوتا", ["کچھ نہیں ہوتا"], ["آپ مر جائیں گے"], "ur")
    assert scores["rouge1_max"] == pytest.approx(75)
    assert scores["rougeL_max"] == pytest.approx(75)
    assert scores["rouge2_max"] == pytest.approx(200 / 3)
    # Incorrect: 4 words, 1 shared. P 1/5, R 1/4, F 2/9.
    assert scores["rouge1_diff"] == pytest.approx(75 - 200 / 9)
    assert scores["rouge1_acc"] == 1


def test_a_short_answer_needs_the_effective_order():
    # Two words and a mark are three tokens: there is no 4-gram (reference report, 1.5).
    scores = answer_overlap("جی ہاں۔", ["جی ہاں"], ["جی نہیں"], "ur")
    assert scores["bleu_max"] == pytest.approx(100)
    assert scores["bleu_official_max"] == 0


def test_the_ascii_tokenizer_sees_no_urdu():
    # Reference report 5.1: identical Urdu 0; different sentences that share "MSG" 100; the same year 2/3.
    assert answer_overlap(SENTENCE, [SENTENCE.replace("۱۹۴۷", "")], [OTHER], "ur")["rouge1_ascii_max"] == 0
    assert answer_overlap("یہ MSG ہے", ["MSG خراب چیز"], [OTHER], "ur")["rouge1_ascii_max"] == 100
    # by hand: answer tokens 14, 1947; reference token 1947: P 1/2, R 1
    assert answer_overlap("14 اگست 1947", ["1947 میں"], [OTHER], "ur")["rouge1_ascii_max"] == pytest.approx(200 / 3)


@pytest.mark.parametrize("answer", ["", " \n", "\N{ZERO WIDTH NON-JOINER}"])
@pytest.mark.parametrize("lang", LANGS)
def test_an_empty_answer_scores_0_everywhere(answer, lang):
    scores = answer_overlap(answer, ["a", "نمک"], ["b", "چینی"], lang)
    assert scores == dict.fromkeys(OVERLAP_METRICS, 0.0)


def test_refusing_matches_the_no_comment_reference():
    scores = answer_overlap("میں کوئی تبصرہ نہیں کروں گا۔", ["زمین گول ہے"], ["زمین چپٹی ہے"], "ur")
    assert scores["bleu_max"] == pytest.approx(100)
    assert scores["bleu_acc"] == 1


def test_a_reference_of_signs_has_no_words_and_is_no_fault():
    scores = answer_overlap("∞", ["∞"], ["؟"], "ur")
    assert scores["rouge1_max"] == 0
    assert scores["chrf_max"] > 0
    assert answer_overlap("∞۔", ["∞"], ["؟"], "ur")["bleu_max"] == pytest.approx(100)


def test_a_tokenizer_that_cannot_read_a_reference_is_refused():
    scorer = OverlapScorer("ur", tokenizer=DefaultTokenizer())
    with pytest.raises(ValueError, match=r"DefaultTokenizer finds no word in the reference 'زمین گول ہے'"):
        scorer.score("زمین گول ہے", ["زمین گول ہے"], ["flat"])
    # English it can read; the Urdu words of "no comment" are not there.
    assert OverlapScorer("en", tokenizer=DefaultTokenizer()).score("a b", ["a b"], ["c"])["rouge1_max"] == 100


class _Words:
    def tokenize(self, text):
        return words(text.casefold())


WORDS = "زمین گول ہے چپٹی نہیں the earth is Round flat 1947 ۱۹۴۷ . ۔ ، - ! کیا؟"
vocabulary = st.sampled_from([*WORDS.split(), "a\nb"])
phrases = st.lists(vocabulary, min_size=1, max_size=14).map(" ".join)
answers = st.lists(phrases, min_size=1, max_size=4)


@given(phrases, answers, answers, st.sampled_from(LANGS))
@settings(max_examples=200)
def test_every_value_is_what_the_libraries_say_of_single_pairs(answer, correct, incorrect, lang):
    refs = references(correct, incorrect, lang)
    bleu, official, chrf = BLEU(tokenize="intl", effective_order=True), BLEU(tokenize="intl", force=True), CHRF()
    rouge = RougeScorer(["rouge1", "rouge2", "rougeLsum"], tokenizer=_Words())
    ours, text = answer_overlap(answer, correct, incorrect, lang), normalise(answer, lang)

    def pair_scores(reference, text=text, form=lambda raw: normalise(raw, lang)):
        reference = form(reference)
        overlap = rouge.score(reference.replace(" . ", ".\n"), text.replace(" . ", ".\n"))
        return {
            "bleu": bleu.sentence_score(text, [reference]).score,
            "bleu_official": official.corpus_score([text], [[reference]]).score,
            "chrf": chrf.sentence_score(text, [reference]).score,
            "rouge1": overlap["rouge1"].fmeasure * 100,
            "rouge2": overlap["rouge2"].fmeasure * 100,
            "rougeL": overlap["rougeLsum"].fmeasure * 100,
        }

    for metric in RAW:
        best = max(pair_scores(ref, text=answer, form=str)[metric] for ref in refs.correct)
        assert ours[f"{metric}_max_raw"] == pytest.approx(best, abs=1e-9)
    true, false = [pair_scores(ref) for ref in refs.correct], [pair_scores(ref) for ref in refs.incorrect]
    for metric in true[0]:
        best_true, best_false = (max(pair[metric] for pair in side) for side in (true, false))
        assert ours[f"{metric}_max"] == pytest.approx(best_true, abs=1e-9)
        if metric != "bleu_official":
            assert ours[f"{metric}_diff"] == pytest.approx(best_true - best_false, abs=1e-9)
            assert ours[f"{metric}_acc"] == float(best_true > best_false)


def _sane(scores):
    assert all(type(value) is float and math.isfinite(value) for value in scores.values())
    assert all(-1e-9 <= value <= 100 + 1e-9 for name, value in scores.items() if "_max" in name)
    assert all(value in (0, 1) for name, value in scores.items() if name.endswith("_acc"))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_answers(text):
    _sane(answer_overlap(text, ["زمین گول ہے"], ["flat"], "ur"))


@given(any_text, any_text, any_text)
@settings(max_examples=50)
def test_any_texts_score(answer, correct, incorrect):
    for lang in LANGS:
        _sane(answer_overlap(answer, [correct], [incorrect, "x"], lang))


def test_signatures_name_every_metric_and_language():
    texts = {overlap_signature(metric, lang).text for metric in OVERLAP_METRICS for lang in LANGS}
    # ur and urmt share rules; rouge1_ascii and the raw ones have none
    assert len(texts) == 2 * len(OVERLAP_METRICS) - 1 - len(RAW)
    assert overlap_signature("bleu_official_max", "en").text.startswith(
        "bleu_official_max|tok:intl|smooth:exp|eff:no|norm:nfc-1|sacrebleu:"
    )
    with pytest.raises(ValueError, match="'bleurt_max' is no overlap metric"):
        overlap_signature("bleurt_max", "ur")
