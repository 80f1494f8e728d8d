"""The child of `ProcessClassifier`: reads one JSON line a request from stdin, answers with JSON lines on stdout.

Requests: ``{"load": {...}}`` once, then ``{"rows": [[token ids]...]}``.
Answers: ``{"ready": {...}}`` or ``{"fault": [kind, text]}``; then, for each request of rows, any number of
``{"batch": [[index, probabilities or null, reason or null]...]}`` and at last ``{"done": true}``.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any, TextIO

from pak3h_tasks.backends.batching import BatchLimits, one_line
from pak3h_tasks.backends.hf_classifier import HFClassifier
from pak3h_tasks.backends.model_source import ModelSource
from pak3h_tasks.errors import MissingExtra, Pak3HError, SettingsError


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer requests until stdin closes."""

    def answer(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    classifier: HFClassifier | None = None
    for line in requests:
        request = json.loads(line)
        if (settings := request.get("load")) is not None:
            try:
                classifier = HFClassifier(
                    ModelSource(settings["name"], settings["revision"]),
                    device=settings["device"],
                    dtype=settings["dtype"],
                    label_map=settings["label_map"],
                    limits=BatchLimits(**settings["limits"]),
                )
                classifier.load()
            except Exception as error:  # noqa: BLE001 - the parent decides; a traceback on stderr helps nobody
                text = str(error) if isinstance(error, Pak3HError) else one_line(error)
                answer({"fault": [_kind(error), text]})
                return
            answer({"ready": {"pid": os.getpid()}})
        elif classifier is not None:
            for batch in classifier.classify(request["rows"]):
                answer({"batch": [[row.index, row.probabilities, row.reason] for row in batch]})
            answer({"done": True})


def _kind(error: BaseException) -> str:
    return next((kind.__name__ for kind in (MissingExtra, SettingsError) if isinstance(error, kind)), "BackendError")


if __name__ == "__main__":
    # Ctrl-C reaches the whole process group; the parent decides, by closing stdin or by force.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Libraries print to stdout at will; only our own lines may reach the parent there.
    own = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin, own)
