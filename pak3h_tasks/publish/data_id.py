"""What the data is called elsewhere: a hub dataset, or a name and a fingerprint."""

from __future__ import annotations

from dataclasses import dataclass

from pak3h_tasks.publish.evaluated import Evaluated
from pak3h_tasks.report.model import Place


@dataclass(frozen=True)
class DataId:
    """The data behind a number.

    Attributes:
        repo: ``owner/name`` on the hub; "": it came from a folder.
        name: Its short name, without what follows the ``@``.
        short: Short names with fingerprints, as signatures have them.
        fingerprint: Sha256 of the items; "": the results file does not say.
    """

    repo: str
    name: str
    short: tuple[str, ...]
    fingerprint: str


def data_of(model: Evaluated, place: Place, dataset_id: str = "") -> DataId:
    """The data of one number.

    Args:
        model: The model.
        place: Where the number belongs.
        dataset_id: ``owner/name``, where the user says what a folder holds.
    """
    runs = model.task_runs(place)
    source = model.source(place)
    said = [name for run in runs if isinstance(name := run.said.get("data"), str)]
    short = tuple(dict.fromkeys(source.data if source is not None and source.data else said))
    name = short[0].partition("@")[0] if short else "unknown"
    fingerprints = [text for run in runs if isinstance(text := run.said.get("data_fingerprint"), str)]
    # a folder's own name has no slash, and one called sample goes by ./sample
    is_hub = "/" in name and not name.startswith(".")
    return DataId(
        repo=dataset_id or (name if is_hub else ""),
        name=name,
        short=short,
        fingerprint=fingerprints[0] if len(set(fingerprints)) == 1 else "",
    )
