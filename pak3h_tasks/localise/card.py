"""The data card: what is in the dataset, how it was made, by whom (pseudonyms) and under which licences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.build import Built
from pak3h_tasks.localise.sheets import read_sheet
from pak3h_tasks.schema import SPLITS, Dataset
from pak3h_tasks.text.escape import markdown


def card(
    dataset: Dataset,
    built: Built,
    *,
    licences: Mapping[str, str],
    sample: Mapping[str, Any],
    agreement: Mapping[str, Any],
    translation: Mapping[str, Any],
    versions: Mapping[str, str],
    contextualisation: Mapping[str, Any] | None = None,
    profile: Mapping[str, Mapping[str, int]] | None = None,
) -> dict[str, Any]:
    """Everything about the dataset as JSON values.

    Args:
        dataset: Which dataset.
        built: What `build` wrote.
        licences: Fields ``licence``, ``source``, ``source_licence``.
        sample: What the sample step noted.
        agreement: What the agree step noted.
        translation: What the translate step noted.
        versions: Tool -> version, of the build step.
        contextualisation: What the contextualise step noted; None: translation came first.
        profile: From `read_profile`.
    """
    local = contextualisation or {"dropped": {}}
    labels = Counter(item.localization for item in built.sets["ur"].items)
    return {
        "dataset": dataset,
        **licences,
        "counts": {
            **{label.upper(): labels[label] for label in SPLITS},
            "total": sum(labels.values()),
            "drawn": sample["items"],
            "discarded_in_annotation": len(agreement["discarded"]),
            **({"dropped_in_contextualising": len(local["dropped"])} if contextualisation else {}),
            "dropped_in_editing": len(built.dropped),
        },
        "fingerprints": {lang: loaded.fingerprint for lang, loaded in built.sets.items()},
        "people": {role: dict(names) for role, names in built.people.items()},
        **({"profile": {name: dict(counts) for name, counts in profile.items()}} if profile else {}),
        **({"contextualisation": dict(contextualisation)} if contextualisation else {}),
        "agreement": agreement["rounds"],
        "excluded": [
            *agreement["discarded"],
            *(
                {"id": item_id, "reason": f"dropped: {reason}"}
                for item_id, reason in {**local["dropped"], **built.dropped}.items()
            ),
        ],
        "sample": dict(sample),
        "translation": dict(translation),
        "versions": dict(versions),
        "warnings": list(built.warnings),
    }


def read_profile(path: Path) -> dict[str, dict[str, int]]:
    """Who annotated and edited, as counts: no names, and no row of anybody.

    Args:
        path: A sheet with a row a person and any of the columns gender, region, languages (several separated by ``;``).

    Returns:
        ``people`` -> their number; column -> value -> number of people.

    Raises:
        DataError: It cannot be read, or has none of the columns.
    """
    rows = read_sheet(path)
    found: dict[str, dict[str, int]] = {"people": {"total": len(rows)}}
    for name in ("gender", "region", "languages"):
        values = Counter(value.strip() for row in rows for value in row[name].split(";") if value.strip())
        found |= {name: dict(sorted(values.items()))} if values else {}
    if len(found) == 1:
        raise DataError(
            f"{path.name}: has no gender, region or languages; give a row a person with any of these columns"
        )
    return found


def card_markdown(values: Mapping[str, Any]) -> str:
    """The card to read; its front matter is what dataset hubs look for."""
    import jinja2

    # Markdown, not HTML; people's own words go through `inline`.
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    environment.filters |= {"digits": _digits, "inline": markdown}
    template = (Path(__file__).parent / "card.md.j2").read_text(encoding="utf-8")
    return environment.from_string(template).render(values)


def _digits(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"
