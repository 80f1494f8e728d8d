"""`publish`: the files that others' pages read, from finished runs; nothing leaves the machine (see `push`)."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pak3h_tasks.data.sample_log import model_name
from pak3h_tasks.errors import DataError
from pak3h_tasks.files import whole_file, write_text
from pak3h_tasks.publish.data_id import data_of
from pak3h_tasks.publish.eval_results import FOLDER, eval_result_files
from pak3h_tasks.publish.evaluated import Evaluated, evaluate
from pak3h_tasks.publish.every_eval_ever import COLLECTION, Evaluator, aggregate_record, record_id
from pak3h_tasks.publish.instances import instance_records
from pak3h_tasks.publish.model_card import model_card
from pak3h_tasks.publish.model_id import checked_id, checked_part, id_of_name
from pak3h_tasks.publish.schemas import AGGREGATE, INSTANCE, check_record
from pak3h_tasks.report.build import LoadedInputs, load
from pak3h_tasks.report.model_file import NAME as MODEL_FILE
from pak3h_tasks.report.model_file import model_file_of
from pak3h_tasks.report.run_choice import LoadedSystem

_REMEDY = "name another place with -o"
_MODELS = "models"
_CARD = "README.md"


class NotWholeError(DataError):
    """What a model has is not the benchmark: sample data, or items are missing.

    Attributes:
        caveat: What is not whole.
    """

    def __init__(self, label: str, caveats: Sequence[str]) -> None:
        self.caveat = caveats[0] + (f" (and {len(caveats) - 1} more)" if len(caveats) > 1 else "")
        super().__init__(
            f"{label}: {self.caveat}; run what is missing on the whole data, or publish it as it is with --force, "
            "and the files say so"
        )


@dataclass(frozen=True)
class Choices:
    """What is the user's choice.

    Attributes:
        model_id: ``developer/model`` of the one model; "": as its ``pak3h_model.json`` or lm-eval says.
        below_models: Whether even a single model's card goes below ``models/``, as those of several do.
        collection: Folder below ``data/`` of the Every Eval Ever files.
        dataset_id: ``owner/name`` of the benchmark on the hub, where the data came from a folder.
        evaluator: Who measured.
        with_harmful_texts: Whether samples hold the prompts of BeaverTails and the answers to them.
        force: Publish sample data and partial runs, too; the files say what they are.
    """

    model_id: str = ""
    below_models: bool = False
    collection: str = COLLECTION
    dataset_id: str = ""
    evaluator: Evaluator = field(default_factory=Evaluator)
    with_harmful_texts: bool = False
    force: bool = False


@dataclass(frozen=True)
class PublishedModel:
    """Files of one model.

    Attributes:
        model_id: ``developer/model``.
        card: Its model card.
        eval_results: Its `.eval_results` files.
        records: Its Every Eval Ever files.
        dataset_ids: What `.eval_results` call the data; without a slash it is no hub dataset.
        card_over: The card's text over that of a card which is there already.
    """

    model_id: str
    card: Path
    eval_results: tuple[Path, ...]
    records: tuple[Path, ...]
    dataset_ids: tuple[str, ...]
    card_over: Callable[[str], str] = field(repr=False)

    @property
    def files(self) -> tuple[Path, ...]:
        """All of them."""
        return (self.card, *self.eval_results, *self.records)


@dataclass(frozen=True)
class Published:
    """Everything that was written.

    Attributes:
        folder: Where.
        models: Files by model.
        notices: Lines the user must know.
    """

    folder: Path
    models: tuple[PublishedModel, ...]
    notices: tuple[str, ...]


def publish(
    paths: Sequence[Path | str],
    folder: Path,
    choices: Choices | None = None,
    *,
    inputs: LoadedInputs | None = None,
    tell: Callable[[str], None] | None = None,
) -> Published:
    """Write model cards, `.eval_results` and Every Eval Ever files; the same runs make the same bytes.

    Args:
        paths: Run folders, results files, sample logs.
        folder: Where to; `data/` for Every Eval Ever; the card and `.eval_results/` of a single model directly in it,
            of several under ``models/{developer}/{model}``.
        choices: What is the user's choice.
        inputs: What `report.build.load` read of the paths, where it was read already.
        tell: Told each file that was written.

    Raises:
        NotWholeError: A run is partial or of sample data; nothing is written.
        DataError: A path is unusable, or a model has no id; nothing is written.
    """
    choices = choices or Choices()
    inputs = inputs or load(paths)
    models = _models(inputs.systems, choices)
    told = tell or (lambda _: None)
    records = {id(model): aggregate_record(model, choices.evaluator, choices.dataset_id) for model in models}
    for model in models:
        check_record(records[id(model)], AGGREGATE, model.label)
    by_id: dict[str, list[Evaluated]] = {}
    for model in models:
        by_id.setdefault(model.model_id, []).append(model)
    found = []
    for model_id, variants in by_id.items():
        place = folder if len(by_id) == 1 and not choices.below_models else folder / _MODELS / model_id
        card_over = functools.partial(model_card, variants, choices.dataset_id, choices.evaluator.url)
        card, results = _write_for_hub(place, variants, choices, card_over)
        written = [path for model in variants for path in _write_record(folder, model, records[id(model)], choices)]
        ids = dict.fromkeys(name for model in variants for name in _dataset_ids(model, choices))
        found.append(PublishedModel(model_id, card, tuple(results), tuple(written), tuple(ids), card_over))
        for path in found[-1].files:
            told(str(path))
    return Published(folder, tuple(found), tuple(_notices(models, found, inputs.notices, choices)))


def _models(systems: Sequence[LoadedSystem], choices: Choices) -> list[Evaluated]:
    if not systems:
        raise DataError("nothing to publish: no runs of a model in these paths; give the folder that lm_eval wrote")
    given = checked_id(choices.model_id, "--model-id") if choices.model_id else ""
    if choices.dataset_id:
        checked_id(choices.dataset_id, "--dataset-id")
    checked_part(choices.collection, "collection")
    names = dict.fromkeys(found.system.model for found in systems)
    if given and len(names) > 1:
        raise DataError(
            f"--model-id is for one model, and here are {len(names)}; publish each by itself, or write its id into "
            f"{MODEL_FILE} beside its runs"
        )
    ids = {found.system.model: given or _id(found) for found in systems}
    models = [evaluate(found, ids[found.system.model], found.system.model) for found in systems]
    for model in models:
        if model.caveats and not choices.force:
            raise NotWholeError(model.label, model.caveats)
    return models


def _id(found: LoadedSystem) -> str:
    # a file that cannot be read was told when its runs were named
    files = (model_file_of(run, lambda _: None) for run in found.runs)
    if given := next((file.id for file in files if file is not None and file.id), None):
        return checked_id(given, f"{found.system.model}: id in {MODEL_FILE}")
    return id_of_name(next(filter(None, (model_name(run.results) for run in found.runs)), found.system.model))


def _dataset_ids(model: Evaluated, choices: Choices) -> Iterator[str]:
    for cell in model.cells:
        data = data_of(model, cell.place, choices.dataset_id)
        yield data.repo or data.name


def _write_for_hub(
    place: Path, variants: Sequence[Evaluated], choices: Choices, card_over: Callable[[str], str]
) -> tuple[Path, list[Path]]:
    card = place / _CARD
    existing = ""
    if card.exists():
        try:
            existing = card.read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            raise DataError(f"{card}: cannot be read ({error}); mend or move it") from None
    text = card_over(existing)
    files = eval_result_files(variants, choices.dataset_id, choices.evaluator.url)
    write_text(card, text, _REMEDY, make_folder=True)
    for name, content in files.items():
        write_text(place / FOLDER / name, content, _REMEDY, make_folder=True)
    return card, [place / FOLDER / name for name in files]


def _write_record(folder: Path, model: Evaluated, record: dict[str, Any], choices: Choices) -> Iterator[Path]:
    """Samples first, so that a record never points at a file that is not there."""
    name = record_id(model)
    place = Path("data") / choices.collection / model.model_id
    samples = place / f"{name}_samples.jsonl"
    if model.found.loaded:
        digest, n = _write_samples(folder / samples, model, choices)
        if n:
            record["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": samples.as_posix(),
                "hash_algorithm": "sha256",
                "checksum": digest,
                "total_rows": n,
            }
            yield folder / samples
    check_record(record, AGGREGATE, model.label)
    text = json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False)
    path = folder / place / f"{name}.json"
    write_text(path, text + "\n", _REMEDY, make_folder=True)
    yield path


def _write_samples(path: Path, model: Evaluated, choices: Choices) -> tuple[str, int]:
    """Checksum and number of rows; no file where there is no row."""
    digest, n = hashlib.sha256(), 0
    records = instance_records(model, with_harmful_texts=choices.with_harmful_texts)
    first = next(records, None)
    if first is None:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        return "", 0
    with whole_file(path, _REMEDY, make_folder=True) as part, part.open("wb") as file:
        for record in _and(first, records):
            check_record(record, INSTANCE, f"{model.label}: sample {record['sample_id']!r}")
            line = (json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n").encode()
            digest.update(line)
            file.write(line)
            n += 1
    return digest.hexdigest(), n


def _and(first: dict[str, Any], others: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield first
    yield from others


def _notices(
    models: Sequence[Evaluated], found: Sequence[PublishedModel], said: Sequence[str], choices: Choices
) -> Iterator[str]:
    yield from said
    if len(found) > 1:
        yield f"{len(found)} models: the card and {FOLDER} of each are in {_MODELS}/DEVELOPER/MODEL"
    if not choices.with_harmful_texts and any(key[0] == "beavertails" for m in models for key in m.found.loaded):
        yield "prompts of PakBeaverTails and the answers to them are left out of the samples (--with-harmful-texts)"
    if without := [model.label for model in models if not model.found.loaded]:
        yield f"no sample logs of {', '.join(without)}: numbers alone are published"
    names = dict.fromkeys(name for model in found for name in model.dataset_ids if "/" not in name)
    if names:
        yield f"{', '.join(names)}: no dataset on the hub; name it with --dataset-id OWNER/NAME before you push"
