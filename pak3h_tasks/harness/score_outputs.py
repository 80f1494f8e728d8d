"""Score answers that no lm-eval run made: match them to the data's items, judge, write what a run would have written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pak3h_tasks import __version__
from pak3h_tasks.backends.exchange import Missing
from pak3h_tasks.data.load import LoadedSet, load, split
from pak3h_tasks.data.outputs import Matched, match, read_outputs
from pak3h_tasks.errors import DataError
from pak3h_tasks.harness import documents
from pak3h_tasks.harness.answers import clean_answer
from pak3h_tasks.harness.judging import Judge
from pak3h_tasks.harness.names import task_name
from pak3h_tasks.harness.rescore import PROCESS, Rescored, add_task, note_judge, put_summary, write_json, write_rows
from pak3h_tasks.harness.scoring import judged
from pak3h_tasks.schema import Dataset, HarmlessItem, Item, Lang, Localization


@dataclass(frozen=True)
class OutputsJob:
    """Answers and the documents they belong to, ready to be judged.

    Attributes:
        task: Name of the task that would have made them.
        said: What the results file says of data and task (``dataset_kwargs.pak3h``).
        docs: (n,) documents.
        answers: (n,) answers.
        model: Name of whoever made them.
        remarks: Lines for the user: rows without an item, items without a row, repeated rows, warnings of the data.
    """

    task: str
    said: dict[str, Any]
    docs: list[dict[str, Any]]
    answers: list[str]
    model: str
    remarks: tuple[str, ...]

    @classmethod
    def read(
        cls,
        path: Path,
        dataset: Dataset,
        lang: Lang,
        localization: Localization | None,
        data: str | None,
        reference: Path | None = None,
    ) -> OutputsJob:
        """Read the answers and the data.

        Args:
            path: The answers.
            dataset: Which dataset they answer.
            lang: In which language.
            localization: Only this split.
            data: Data source; None: the embedded sample.
            reference: alpaca: outputs of another model, to stand where the data's own outputs do.

        Raises:
            DataError: Answers or data cannot be used, or no answer belongs to an item.
            SettingsError: No such data source.
        """
        loaded = load(dataset, lang, data)
        items = _items(loaded, localization)
        matched = match(read_outputs(path), items, dataset)
        remarks = [*_remarks(path, matched), *loaded.warnings]
        kept, answers = list(matched.items), list(matched.answers)
        if reference is not None:
            kept, answers, more = _against(reference, kept, answers)
            remarks += more
        if not kept:
            raise DataError(
                f"{path}: none of its rows belongs to {dataset}/{lang} of {loaded.source}; check --data, --lang and ids"
            )
        name = task_name(dataset, lang, "gen", localization)
        make = documents.MAKERS[dataset, "gen"]
        docs = [{**make(item, lang, loaded.short), "task": name} for item in kept]
        said = {
            "dataset": dataset, "lang": lang, "kind": "gen", "split": localization, "data": loaded.short,
            "data_source": loaded.source, "data_fingerprint": loaded.fingerprint, "package": f"pak3h-tasks {__version__}",
            "reference": reference.name if reference else None,
        }  # fmt: skip
        return cls(name, said, docs, answers, matched.generator or path.stem, tuple(remarks))

    def missing(self, judge: Judge) -> tuple[str, int, Missing]:
        """(task, answers, what judging would still cost)."""
        dataset = self.said["dataset"]
        cleaned = [clean_answer(a, dataset, d["lang"]) for a, d in zip(self.answers, self.docs, strict=True)]
        return self.task, len(self.docs), judge.missing(self.docs, cleaned)

    def score(self, judge: Judge, folder: Path, slug: str) -> Rescored:
        """Judge, and write results and sample log into `folder`.

        Raises:
            DataError: They cannot be written.
        """
        dataset = self.said["dataset"]
        records = judged(dataset, self.docs, self.answers, judge)
        metrics = [PROCESS[dataset](doc, [record]) for doc, record in zip(self.docs, records, strict=True)]
        results: dict[str, Any] = {
            "results": {}, "configs": {}, "versions": {}, "n-shot": {}, "higher_is_better": {}, "group_subtasks": {},
            "n-samples": {self.task: {"original": len(self.docs), "effective": len(self.docs)}},
            "model_name": self.model, "config": {"model": self.model},
        }  # fmt: skip
        add_task(results, self.task, self.said)
        note_judge(results, self.task, dataset, judge)
        put_summary(results, self.task, metrics)
        stamp = datetime.now().isoformat().replace(":", "-")  # noqa: DTZ005 - lm-eval's own stamps are local time
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{folder}: cannot be made ({error.strerror}); give another --output-path") from None
        rows = [{"doc_id": n, "resps": [[answer]]} for n, answer in enumerate(self.answers)]
        write_rows(
            folder / f"samples_{self.task}_{stamp}_scored-{slug}.jsonl", zip(rows, self.docs, metrics, strict=True)
        )
        path = folder / f"results_{stamp}_scored-{slug}.json"
        write_json(path, results)
        return Rescored(results, path, ((self.task, sum(m.get("coverage") != 1.0 for m in metrics), len(metrics)),))


def _items(loaded: LoadedSet, localization: Localization | None) -> list[Item]:
    items = split(loaded.items, localization)
    if loaded.dataset == "beavertails":
        return list(documents.once_a_prompt(item for item in items if isinstance(item, HarmlessItem)))
    return list(items)


def _against(reference: Path, items: list[Item], answers: list[str]) -> tuple[list[Item], list[str], list[str]]:
    """Items whose reference is another model's answer; those without one are left out and named."""
    other = match(read_outputs(reference), items, "alpaca")
    outputs = {item.id: answer for item, answer in zip(other.items, other.answers, strict=True)}
    pairs = [(item, answer) for item, answer in zip(items, answers, strict=True) if item.id in outputs]
    kept = [item.model_copy(update={"output": outputs[item.id]}) for item, _ in pairs]
    return kept, [answer for _, answer in pairs], _remarks(reference, other)


def _remarks(path: Path, matched: Matched) -> list[str]:
    lines = [f"{path}: {line}" for line in (*matched.unmatched, *matched.duplicates)]
    if matched.without_answer:
        shown = ", ".join(matched.without_answer[:5]) + (" ..." if len(matched.without_answer) > 5 else "")
        lines.append(f"{path}: {len(matched.without_answer)} items have no answer and are left out: {shown}")
    return lines
