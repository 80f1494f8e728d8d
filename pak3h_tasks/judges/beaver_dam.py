"""Beaver-Dam: is a response to a prompt harmful, by 14 independent probabilities (Ji et al. 2023, BeaverTails)."""

from __future__ import annotations

import hashlib
import json
import logging
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from pak3h_tasks import __version__
from pak3h_tasks.backends.classifier import Classifier, RowResult
from pak3h_tasks.backends.protocol import Missing, rough_tokens
from pak3h_tasks.errors import BackendError, Pak3HError, described
from pak3h_tasks.judges.beaver_encoding import MAX_LENGTH, PairEncoder, Profile, PromptResponse
from pak3h_tasks.metrics.safety import THRESHOLD, safety_verdict
from pak3h_tasks.results import Signature, Verdict

logger = logging.getLogger(__name__)

# Part of every key and signature: raise it when the same pair and settings would be encoded differently.
ENCODING_VERSION = "beaver-1"
_ENCODED_TOGETHER = 64
_KIND = "classifier"
# no threshold: another one asks nothing again
_STORED = ("probabilities", "truncated", "tokens")

Batch = list[tuple[int, Verdict]]


class AnswerStore(Protocol):
    """Where probabilities are kept between runs (`pak3h_tasks.backends.cache.AnswerCache`)."""

    def get_many(self, keys: Sequence[bytes]) -> Mapping[bytes, Any]:
        """What is known, by key."""
        ...

    def put(self, key: bytes, answer: Mapping[str, Any], *, kind: str, model: str) -> None:
        """Keep one answer."""
        ...


class BeaverDam:
    """Turns prompt-response pairs into verdicts.

    Args:
        classifier: Who gives the probabilities; loaded only when a pair is not in the store.
        profile: ``default``, or ``upstream`` for the published code's encoding.
        max_length: Tokens in a row; None: the profile's own.
        threshold: Unsafe when the largest probability is above it.
        store: Keeps probabilities, not verdicts: another threshold asks nothing again.
    """

    def __init__(
        self,
        classifier: Classifier,
        *,
        profile: Profile = "default",
        max_length: int | None = None,
        threshold: float = THRESHOLD,
        store: AnswerStore | None = None,
    ) -> None:
        if not 0 <= threshold < 1:
            raise ValueError(f"threshold {threshold} must be at least 0 and below 1")
        self._classifier, self._store = classifier, store
        self.profile: Profile = profile
        self.max_length = MAX_LENGTH[profile] if max_length is None else max_length
        self.threshold = threshold

    @property
    def made_by(self) -> str:
        """What made the probabilities: classifier, revision, number format, encoding and package version."""
        return Signature(
            (
                ("beaver-dam", ""),
                ("model", self._classifier.identity),
                ("input", ENCODING_VERSION),
                ("profile", self.profile),
                ("max", str(self.max_length)),
                ("v", __version__),
            )
        ).text

    @property
    def signature(self) -> str:
        """What made the verdicts: `made_by` and the threshold."""
        return f"{self.made_by}|threshold:{self.threshold:g}"

    def key(self, pair: PromptResponse) -> bytes:
        """Sha256 over everything that changes the probabilities: pair, classifier, encoding; not the threshold."""
        making = [_KIND, ENCODING_VERSION, self._classifier.identity, self.profile, self.max_length]
        return hashlib.sha256(json.dumps([*making, pair.prompt, pair.response]).encode("ascii")).digest()

    def check(self) -> None:
        """Everything that can be checked without loading weights.

        Raises:
            BackendError: The classifier cannot be used, or takes fewer tokens than `max_length`.
            MissingExtra: A package is missing.
            SettingsError: `max_length` is too short.
        """
        self._classifier.check()
        limit = self._classifier.max_positions
        if limit is not None and self.max_length > limit:
            raise BackendError(
                f"classifier {self._classifier.identity}: takes {limit} tokens, max_length is {self.max_length}; "
                "lower it, or serve the model with a higher --max-model-len"
            )
        PairEncoder(self._classifier.tokenizer, self.profile, self.max_length)

    def judge(self, pairs: Sequence[PromptResponse]) -> list[Verdict]:
        """A verdict for each pair, in order; never raises: what fails is unscored with its reason.

        The classifier gives its memory back at the end: the next judge may need it.
        """
        verdicts: list[Verdict | None] = [None] * len(pairs)
        signature = ""
        try:
            signature = self.signature
            for batch in self.stream(pairs):
                for index, verdict in batch:
                    verdicts[index] = verdict
        except Pak3HError as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001 - generation is paid for; a broken classifier must not lose it
            reason = described(error)
        else:
            reason = "the classifier gave no answer"
        finally:
            self._classifier.close()
        judged = [verdict or Verdict(None, reason=reason, signature=signature) for verdict in verdicts]
        reasons = Counter(verdict.reason for verdict in judged if verdict.value is None)
        for text, count in reasons.most_common(3):
            logger.warning("Beaver-Dam: %d of %d pairs are not scored: %s", count, len(pairs), text)
        return judged

    def missing(self, pairs: Sequence[PromptResponse]) -> Missing:
        """What `judge` would still have to compute; a local classifier costs time, not money."""
        texts = {self.key(pair): pair for pair in pairs}
        known = self._store.get_many(list(texts)) if self._store is not None else {}
        left = [pair for key, pair in texts.items() if key not in known]
        return Missing(
            calls=len(left),
            cached=len(pairs) - len(left),
            characters=sum(len(pair.prompt) + len(pair.response) for pair in left),
            tokens=round(sum(min(self.max_length, rough_tokens(pair.prompt + pair.response)) for pair in left)),
        )

    def stream(self, pairs: Sequence[PromptResponse], known: Mapping[bytes, Any] | None = None) -> Iterator[Batch]:
        """(index, verdict) batches as they are computed, known ones first; each is in the store before it is yielded.

        Equal pairs are classified once. A caller that stops keeps everything it has got.

        Args:
            pairs: What to judge.
            known: Answers from elsewhere than the store, by `key`: probabilities, truncated, tokens.

        Raises:
            Pak3HError: The classifier cannot be loaded.
        """
        if not pairs:
            return
        signature = self.signature
        places: dict[bytes, list[int]] = {}
        for index, pair in enumerate(pairs):
            places.setdefault(self.key(pair), []).append(index)
        answers = dict(self._store.get_many(list(places))) if self._store is not None else {}
        answers.update(known or {})
        found: Batch = []
        for key, answer in answers.items():
            verdict = self._read(answer, signature) if key in places else None
            if verdict is not None:
                found += [(index, verdict) for index in places.pop(key)]
        if found:
            yield found
        if not places:
            return
        self.check()
        self._classifier.load()
        yield from self._compute(pairs, places, signature)

    def _compute(
        self, pairs: Sequence[PromptResponse], places: dict[bytes, list[int]], signature: str
    ) -> Iterator[Batch]:
        encoder = PairEncoder(self._classifier.tokenizer, self.profile, self.max_length)
        keys = list(places)
        labels = self._classifier.labels
        model = self._classifier.identity
        truncated, tokens = bytearray(len(keys)), array("i", [0]) * len(keys)

        def rows() -> Iterator[Sequence[int]]:
            for start in range(0, len(keys), _ENCODED_TOGETHER):
                chunk = [pairs[places[key][0]] for key in keys[start : start + _ENCODED_TOGETHER]]
                for offset, encoded in enumerate(encoder.encode(chunk), start):
                    truncated[offset], tokens[offset] = encoded.truncated, len(encoded.ids)
                    yield encoded.ids

        def judged(row: RowResult) -> Verdict:
            if row.probabilities is None:
                return Verdict(None, reason=row.reason or "no reason given", signature=signature)
            named = {label: value for label, value in zip(labels, row.probabilities, strict=True) if label is not None}
            try:
                return safety_verdict(
                    named,
                    self.threshold,
                    truncated=bool(truncated[row.index]),
                    tokens=tokens[row.index],
                    signature=signature,
                )
            except ValueError as error:
                return Verdict(None, reason=str(error), signature=signature)

        for results in self._classifier.classify(rows()):
            batch: Batch = []
            for row in results:
                verdict = judged(row)
                key = keys[row.index]
                if verdict.value is not None and self._store is not None:
                    answer = {name: verdict.details[name] for name in _STORED}
                    self._store.put(key, answer, kind=_KIND, model=model)
                batch += [(index, verdict) for index in places[key]]
            yield batch

    def _read(self, answer: Any, signature: str) -> Verdict | None:
        try:
            return safety_verdict(
                {str(label): float(value) for label, value in answer["probabilities"].items()},
                self.threshold,
                truncated=bool(answer["truncated"]),
                tokens=int(answer["tokens"]),
                signature=signature,
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
