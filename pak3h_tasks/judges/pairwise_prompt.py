"""The pairwise judge's prompt: ours, a file, or AlpacaEval's own, read from an installed alpaca-eval."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from pak3h_tasks.errors import SettingsError
from pak3h_tasks.judges.prompt import Template, load_template, parse_template

ALPACA_EVAL = "alpaca-eval"
# Prompt of alpaca-eval's default annotator, weighted_alpaca_eval_gpt4_turbo; the answers are called m and M in it, too.
_OFFICIAL = Path("evaluators_configs", "alpaca_eval_clf_gpt4_turbo", "alpaca_eval_clf.txt")

# The answer shown first and second go under our names or AlpacaEval's.
FIELDS = frozenset({"mark", "instruction", "first", "second", "output_1", "output_2"})
_NEEDED = (("instruction",), ("output_1", "first"), ("output_2", "second"))


def pairwise_template(chosen: str | None) -> tuple[Template, str]:
    """A template and its name in a signature, which is never a path.

    The answer shown first must be called m in it, and the other one M: that is what is read.

    Args:
        chosen: A file, with ``[system]`` and ``[user]`` lines or ChatML marks; ``alpaca-eval``; None: ours.

    Raises:
        SettingsError: There is no such file or package, or its text is no template for two answers.
    """
    if chosen is None:
        ours = load_template("pairwise")
        return ours, ours.version
    where = f"PAK3H_PAIRWISE_PROMPT {chosen}"
    path = _installed() if chosen == ALPACA_EVAL else Path(chosen).expanduser()
    try:
        template = parse_template(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError(
            f"{where}: cannot be read ({error.strerror or error}); give a file, or {ALPACA_EVAL}"
        ) from None
    except ValueError as error:
        raise SettingsError(f"{where}: {error}") from None
    used = template.fields
    if unknown := sorted(used - FIELDS):
        raise SettingsError(
            f"{where}: unknown field {{{unknown[0]}}}; the fields are {{instruction}}, {{output_1}} and {{output_2}}"
        )
    for names in _NEEDED:
        if used.isdisjoint(names):
            raise SettingsError(f"{where}: the field {{{names[0]}}} is missing")
    return template, f"{ALPACA_EVAL if chosen == ALPACA_EVAL else path.stem}@{template.version}"


def _installed() -> Path:
    """The official prompt inside the installed package, which need not be importable here."""
    spec = find_spec("alpaca_eval")
    folders = (spec.submodule_search_locations if spec is not None else None) or []
    for folder in folders:
        if (path := Path(folder) / _OFFICIAL).is_file():
            return path
    raise SettingsError(f"PAK3H_PAIRWISE_PROMPT={ALPACA_EVAL} reads the prompt of alpaca-eval: pip install alpaca-eval")
