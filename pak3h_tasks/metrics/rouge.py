"""ROUGE-1, ROUGE-2 and ROUGE-L of an answer: the highest over its references, 0-100 (Lin 2004; docs/scoring.md).

The values are rouge_score's. Its own `score_multi` counts the answer's n-grams again for every reference and aligns
every pair; here n-grams are counted once, and a pair is aligned only where that can still change the maximum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

Ngram = TypeVar("Ngram")


class Tokenizer(Protocol):
    """What rouge_score asks of a tokenizer."""

    def tokenize(self, text: str) -> list[str]:
        """Words of a text."""


class Rouge(NamedTuple):
    """F-measures, 0-100."""

    rouge1: float
    rouge2: float
    rougeL: float  # noqa: N815 - the field's name for it


class HighestRouge:
    """Scores answers against several references with one tokenizer.

    Example:
        >>> from pak3h_tasks.text.tokenise import WordTokenizer
        >>> HighestRouge(WordTokenizer()).score("نمک ہے", ["نمک اچھا ہے", "چینی"])
        Rouge(rouge1=80.0, rouge2=0.0, rougeL=80.0)
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        # Imported here: rouge_score brings nltk, two seconds of a command's start.
        from rouge_score.rouge_scorer import RougeScorer

        self._tokenizer = tokenizer
        self._aligner = RougeScorer(["rougeLsum"], tokenizer=tokenizer)

    def score(self, answer: str, references: Sequence[str]) -> Rouge:
        """The highest F-measure of each kind over at least one reference."""
        rouge1 = self._ngram_scores(answer, references, order=1)
        rouge2 = self._ngram_scores(answer, references, order=2)
        return Rouge(max(rouge1), max(rouge2), self._longest_subsequence(answer, references, at_most=rouge1))

    def rouge1(self, answer: str, references: Sequence[str]) -> float:
        """ROUGE-1 alone."""
        return max(self._ngram_scores(answer, references, order=1))

    def _ngram_scores(self, answer: str, references: Sequence[str], order: int) -> list[float]:
        from rouge_score.scoring import fmeasure

        said = self._ngrams(answer, order)
        scores = []
        for reference in references:
            expected = self._ngrams(reference, order)
            shared = shared_ngrams(said, expected)
            precision, recall = shared / max(said.total(), 1), shared / max(expected.total(), 1)
            scores.append(100.0 * fmeasure(precision, recall))
        return scores

    def _ngrams(self, text: str, order: int) -> Counter[tuple[str, ...]]:
        words = self._tokenizer.tokenize(text)
        return Counter(zip(*(words[start:] for start in range(order)), strict=False))

    def _longest_subsequence(self, answer: str, references: Sequence[str], at_most: Sequence[float]) -> float:
        """rougeLsum; a common subsequence has no more words than are shared, so ROUGE-1 bounds it."""
        highest = 0.0
        for bound, reference in sorted(zip(at_most, references, strict=True), reverse=True):
            if bound <= highest:
                break
            aligned = self._aligner.score(_by_sentence(reference), _by_sentence(answer))
            highest = max(highest, 100.0 * aligned["rougeLsum"].fmeasure)
        return highest


def shared_ngrams(said: Counter[Ngram], expected: Counter[Ngram]) -> int:
    """How many n-grams two texts share, repeated ones as often as in both."""
    return sum(min(said[ngram], expected[ngram]) for ngram in said.keys() & expected.keys())


def _by_sentence(text: str) -> str:
    """Text as TruthfulQA hands it to rougeLsum: a line for each sentence."""
    return text.replace(" . ", ".\n")
