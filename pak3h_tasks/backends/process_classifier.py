"""A local classifier in a process of its own: closing it gives its memory back; its death costs rows, not the run."""

from __future__ import annotations

import dataclasses
import itertools
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pak3h_tasks.backends.batching import BatchLimits
from pak3h_tasks.backends.classifier import Closing, Labels, RowResult
from pak3h_tasks.backends.classifier_checks import LabelMap
from pak3h_tasks.backends.hf_classifier import HFClassifier
from pak3h_tasks.backends.model_source import ModelSource
from pak3h_tasks.errors import BackendError, MissingExtra, Pak3HError, SettingsError

_FAULTS: dict[str, type[Pak3HError]] = {kind.__name__: kind for kind in (BackendError, MissingExtra, SettingsError)}
_GRACE_S = 20


class ProcessClassifier(Closing):
    """`HFClassifier` in a child process; the same checks, numbers and arguments.

    The tokenizer lives in this process (no torch, no weights); token ids go through pipes. A child that dies is not
    started again: what it had not answered is unscored, with its exit code as the reason.
    """

    def __init__(
        self,
        source: ModelSource,
        *,
        device: str | None = None,
        dtype: str = "auto",
        label_map: LabelMap | None = None,
        limits: BatchLimits | None = None,
    ) -> None:
        self._limits = limits or BatchLimits()
        self._source, self._label_map = source, label_map
        self._here = HFClassifier(source, device=device, dtype=dtype, label_map=label_map)
        self._child: subprocess.Popen[str] | None = None
        self._death: str | None = None
        self._busy = False

    @property
    def identity(self) -> str:
        """As `HFClassifier.identity`: the numbers are the same."""
        return self._here.identity

    @property
    def labels(self) -> Labels:
        """Reported label names in index order."""
        return self._here.labels

    @property
    def max_positions(self) -> int | None:
        """The model's position limit in tokens."""
        return self._here.max_positions

    @property
    def tokenizer(self) -> Any:
        """The model's tokenizer, in this process."""
        return self._here.tokenizer

    @property
    def pid(self) -> int | None:
        """Process id of the child, once loaded."""
        return self._child.pid if self._child else None

    def check(self) -> None:
        """See `HFClassifier.check`; starts no process."""
        self._here.check()

    def load(self) -> None:
        """Start the child and load the weights there.

        Raises:
            BackendError: They cannot be loaded, or the child died.
            MissingExtra: See `check`.
        """
        if self._child is not None:
            return
        self.check()
        self._child = subprocess.Popen(
            [sys.executable, "-m", "pak3h_tasks.backends.classifier_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        settings = {
            "name": self._source.name,
            "revision": self._source.revision,
            "device": self._here.device,
            "dtype": self._here.dtype,
            "label_map": dict(self._label_map) if self._label_map is not None else None,
            "limits": dataclasses.asdict(self._limits),
        }
        try:
            self._send({"load": settings})
            answer = self._receive()
        except _DiedError as death:
            self.close()
            raise BackendError(f"classifier {self._source.identity}: {death} while loading") from None
        if fault := answer.get("fault"):
            self.close()
            raise _FAULTS[fault[0]](fault[1])

    def classify(self, rows: Iterable[Sequence[int]]) -> Iterator[list[RowResult]]:
        """See `Classifier.classify`."""
        self.load()
        iterator, start = iter(rows), 0
        while window := list(itertools.islice(iterator, self._limits.window)):
            yield from self._classify_window(window, start)
            start += len(window)

    def close(self) -> None:
        """End the child: by request when it is idle, else by force."""
        child, self._child = self._child, None
        busy, self._busy, self._death = self._busy, False, None
        if child is None:
            return
        try:
            if busy:
                child.kill()
            if child.stdin:
                child.stdin.close()
            child.wait(timeout=_GRACE_S)
        except (OSError, subprocess.TimeoutExpired):
            child.kill()
            child.wait()
        finally:
            if child.stdout:
                child.stdout.close()

    def _classify_window(self, window: list[Sequence[int]], start: int) -> Iterator[list[RowResult]]:
        waiting = set(range(len(window)))
        try:
            if self._death is not None:
                raise _DiedError(self._death)
            self._busy = True
            self._send({"rows": [list(row) for row in window]})
            while "batch" in (answer := self._receive()):
                batch = []
                for index, probabilities, reason in answer["batch"]:
                    waiting.discard(index)
                    values = None if probabilities is None else tuple(probabilities)
                    batch.append(RowResult(start + index, values, reason))
                yield batch
            self._busy = False
        except _DiedError as death:
            self._death = str(death)
        except GeneratorExit:
            # The answers still in the pipe belong to rows nobody waits for: start afresh next time.
            self.close()
            raise
        if waiting:
            reason = self._death or "the classifier process gave no answer"
            yield [RowResult(start + index, None, reason) for index in sorted(waiting)]

    def _send(self, message: dict[str, Any]) -> None:
        child = self._child
        assert child is not None  # noqa: S101 - load() comes first
        assert child.stdin is not None  # noqa: S101
        try:
            child.stdin.write(json.dumps(message) + "\n")
            child.stdin.flush()
        except OSError:
            raise self._died() from None

    def _receive(self) -> dict[str, Any]:
        child = self._child
        assert child is not None  # noqa: S101
        assert child.stdout is not None  # noqa: S101
        line = child.stdout.readline()
        try:
            answer: dict[str, Any] = json.loads(line)
        except json.JSONDecodeError:
            raise self._died() from None
        return answer

    def _died(self) -> _DiedError:
        child = self._child
        assert child is not None  # noqa: S101
        try:
            code = child.wait(timeout=_GRACE_S)
        except subprocess.TimeoutExpired:
            child.kill()
            code = child.wait()
        return _DiedError(f"the classifier process ended with exit code {code}")


class _DiedError(Exception):
    """The child is gone."""
