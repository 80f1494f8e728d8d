"""How a reported number was made, as one line; see `pak3h_tasks.results.Signature`."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pak3h_tasks import __version__
from pak3h_tasks.backends.protocol import name_without_folders
from pak3h_tasks.metrics.overlap import OVERLAP_METRICS, overlap_signature
from pak3h_tasks.metrics.registry import METRICS, Metric, Task, rule_versions
from pak3h_tasks.report.model import ARROW, System

# what only a server's reply tells: it changes within a run, and is no setting of the run
_OF_REPLY = ("served", "fp")


def _without_folders(part: str) -> str:
    name, colon, value = part.partition(":")
    return f"{name}{colon}{name_without_folders(value)}" if name in ("judge", "served") else part


@functools.lru_cache(maxsize=1024)  # the same few stand in every row
def split_signature(signature: str) -> tuple[str, tuple[str, ...]]:
    """A verdict's signature without what the server's reply told, and that; judges without the folders of a path.

    Example:
        >>> split_signature("truthful|judge:gpt-4o-mini|served:gpt-4o-mini-2024-07-18|fp:fp_1|refs:no|v:0.1.0")
        ('truthful|judge:gpt-4o-mini|refs:no|v:0.1.0', ('gpt-4o-mini-2024-07-18',))
    """
    parts = [_without_folders(part) for part in signature.split("|")]
    kept = [part for part in parts if part.partition(":")[0] not in _OF_REPLY]
    served = tuple(part.partition(":")[2] for part in parts if part.startswith("served:"))
    return "|".join(kept), served


def maker_name(signature: str) -> str:
    """The judge or classifier in a signature.

    Example:
        >>> maker_name("truthful|judge:gpt-4o-mini|prompt:1"), maker_name("beaver-dam|model:a/b@1"), maker_name("x|y:1")
        ('gpt-4o-mini', 'a/b@1', 'x')
    """
    parts = dict(part.partition(":")[::2] for part in signature.split("|"))
    return parts.get("judge") or parts.get("model") or signature.partition("|")[0]


def judges_of(system: System, task: Task) -> tuple[str, ...]:
    """Judges or classifiers of one dataset and kind of a system."""
    signatures = (
        signature
        for source in system.sources
        if (source.dataset, source.kind) == task
        for made_by in source.made_by.values()
        for signature in made_by
    )
    return tuple(dict.fromkeys(maker_name(signature) for signature in signatures))


def generator_judge(system: System, task: Task) -> str:
    """A system as a row of judged numbers, ``generator → judge``; its label where no judge is known.

    Args:
        system: The system.
        task: Dataset and kind: other datasets of a system may have other judges.
    """
    if system.label != system.generator:
        return system.label
    judges = judges_of(system, task)
    return f"{system.label} {ARROW} {' + '.join(judges)}" if judges else system.label


def score_signature(
    metric: str,
    lang: str,
    data: Sequence[str],
    made_by: Mapping[str, Sequence[str]],
    package: str,
    against: str = "",
    rules: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """How a score was made.

    Args:
        metric: Name of the metric.
        lang: Language of the texts.
        data: Short names of the data.
        made_by: Verdict name -> signatures (without a server's reply).
        package: Version of this package that made the run; "": not known.
        against: Whose answers it was compared with in a head-to-head run; "": the data's own outputs.
        rules: Rule -> version as the run's results say; runs of 0.1.0 say none.
    """
    if verdicts := METRICS[metric].verdicts:
        parts = [_several(made_by.get(name, ())) or f"{name}:?" for name in verdicts]
        parts = [" & ".join(dict.fromkeys(parts))]
        if not parts[0].startswith(metric):
            parts.insert(0, metric)
    elif metric in OVERLAP_METRICS and package == __version__ and _are_ours(rules, METRICS[metric], lang):
        # how another version, or 0.1.0 by other rules, called and made its parts cannot be known here
        parts = [overlap_signature(metric, lang).text]  # type: ignore[arg-type]
    else:
        parts = [metric, *(f"{rule}:{rules[rule]}" for rule in METRICS[metric].rules if rule in rules)]
    parts += [f"against:{against}"] if against else []
    parts += [f"data:{name}" for name in data]
    if not any(part.startswith("v:") for text in parts for part in text.split("|")):
        parts += [f"v:{package}"] if package else []
    return "|".join(parts)


def _are_ours(rules: Mapping[str, str], metric: Metric, lang: str) -> bool:
    """Whether the run's rules behind a metric are those of this version."""
    return all(rules.get(rule) == version for rule, version in rule_versions([metric], lang).items())  # type: ignore[arg-type]


def _several(signatures: Sequence[str], shown: int = 3) -> str:
    more = f" + {len(signatures) - shown} more" if len(signatures) > shown else ""
    return " + ".join(signatures[:shown]) + more
