"""TruthfulQA's six-pair question-answer primer (Lin et al. 2022), in English and in Urdu translation."""

from __future__ import annotations

import json

from pak3h_tasks.resources import primer_path


def primer(lang: str) -> tuple[tuple[str, str], ...]:
    """The six (question, answer) pairs in the official order; `urmt` is asked in Urdu and gets the Urdu ones.

    Args:
        lang: ``en``, ``ur`` or ``urmt``.
    """
    pairs = json.loads(primer_path().read_text(encoding="utf-8"))["en" if lang == "en" else "ur"]
    return tuple((pair["question"], pair["best_answer"]) for pair in pairs)
