"""Score answers that no lm-eval run made: match them to items, judge them, write what a run would have written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pak3h_tasks.backends.exchange import Missing
from pak3h_tasks.data.load import SAMPLE_NOTICE, LoadedSet, load, split
from pak3h_tasks.data.match_outputs import Matched, match
from pak3h_tasks.data.outputs import Outputs, read_outputs
from pak3h_tasks.errors import DataError
from pak3h_tasks.harness.answers import clean_answer
from pak3h_tasks.harness.documents import asked, documents, provenance
from pak3h_tasks.harness.judging import Judge
from pak3h_tasks.harness.names import task_name
from pak3h_tasks.harness.rescore import PROCESS, Rescored, add_task, note_judge, put_summary, write_json, write_rows
from pak3h_tasks.harness.scoring import judged
from pak3h_tasks.schema import Dataset, HarmlessItem, Item, Lang, Localization

_SHOWN = 10


@dataclass(frozen=True)
class OutputsJob:
    """Answers and the documents they belong to, ready to be judged.

    Attributes:
        task: Name of the task that would have made them.
        said: What the results file says of data and task (``dataset_kwargs.pak3h``).
        docs: (n,) documents.
        answers: (n,) answers.
        n_items: Items there are, answered or not.
        model: Name of whoever made the answers.
        remarks: Lines for the user, in groups: warnings of the data, rows without an item, repeated rows, items
            without a row.
    """

    task: str
    said: dict[str, Any]
    docs: list[dict[str, Any]]
    answers: list[str]
    n_items: int
    model: str
    remarks: tuple[tuple[str, ...], ...]

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
            localization: Only this split; rows for the others are no fault.
            data: Data source; None: the embedded sample.
            reference: alpaca: outputs of another model, to stand where the data's own outputs do.

        Raises:
            DataError: Answers or data cannot be used, or no answer belongs to an item.
            SettingsError: No such data source.
        """
        loaded = load(dataset, lang, data)
        wanted = asked(split(loaded.items, localization))
        outputs = read_outputs(path, dataset)
        matched, answers = _matched(outputs, loaded)
        remarks = [
            (SAMPLE_NOTICE,) if loaded.is_sample else (),
            loaded.warnings,
            *_remarks(outputs, matched, answers, wanted),
        ]
        kept: Sequence[Item] = [item for item in wanted if item.id in answers]
        against = None
        if reference is not None:
            other = read_outputs(reference, dataset)
            others, references = _matched(other, loaded)
            kept = _with_references(kept, references, dataset, lang)
            remarks += _remarks(other, others, references, wanted)
            against = f"{other.generator or reference.stem}@{other.fingerprint}"
        if not kept:
            reasons = "".join(f"\n{line}" for line in matched.unmatched[:3])
            raise DataError(
                f"{path.name}: none of its rows answers an item of {task_name(dataset, lang, 'gen', localization)} in "
                f"{loaded.source}{' that the reference answers too' if reference else ''}; check --data, --lang and "
                f"--split{reasons}"
            )
        task = task_name(dataset, lang, "gen", localization)
        said = {
            "dataset": dataset, "lang": lang, "kind": "gen", "split": localization, **provenance(loaded),
            "outputs": f"{path.name}@{outputs.fingerprint}", "reference": against,
        }  # fmt: skip
        return cls(
            task=task,
            said=said,
            docs=documents(kept, lang, "gen", task, loaded.short),
            answers=[answers[item.id] for item in kept],
            n_items=len(wanted),
            model=outputs.generator or path.name.partition(".")[0],
            remarks=tuple(group for group in remarks if group),
        )

    @property
    def shown(self) -> list[str]:
        """The remarks, at most a screenful: the results file has them all."""
        lines: list[str] = []
        for group in self.remarks:
            lines += group[:_SHOWN]
            if len(group) > _SHOWN:
                lines.append(f"... and {len(group) - _SHOWN} more like the last (all are in the results file)")
        return lines

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
            "n-samples": {self.task: {"original": self.n_items, "effective": len(self.docs)}},
            "model_name": self.model, "config": {"model": self.model},
            "pak3h_remarks": [line for group in self.remarks for line in group],
        }  # fmt: skip
        add_task(results, self.task, self.said)
        note_judge(results, self.task, dataset, judge)
        put_summary(results, self.task, metrics)
        stamp = datetime.now().isoformat().replace(":", "-")  # local time, as lm-eval's own stamps
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


def _matched(outputs: Outputs, loaded: LoadedSet[Item]) -> tuple[Matched, Mapping[str, str]]:
    """The match, and the answer by item id; an answer to a beavertails prompt is one to every pair of it."""
    once = asked(loaded.items)
    by_prompt = {item.prompt: item for item in once if isinstance(item, HarmlessItem)}
    same = {item.id: by_prompt[item.prompt] for item in loaded.items if isinstance(item, HarmlessItem)}
    matched = match(outputs, once, loaded.dataset, loaded.lang, same)
    if not same:
        return matched, matched.answers
    return matched, {name: matched.answers[item.id] for name, item in same.items() if item.id in matched.answers}


def _with_references(items: Sequence[Item], references: Mapping[str, str], dataset: Dataset, lang: Lang) -> list[Item]:
    """Items whose reference is another model's answer, cleaned like the answers themselves; the others are left out."""
    return [
        item.model_copy(update={"output": clean_answer(references[item.id], dataset, lang)})
        for item in items
        if item.id in references
    ]


def _remarks(
    outputs: Outputs, matched: Matched, answers: Mapping[str, str], wanted: Sequence[Item]
) -> list[tuple[str, ...]]:
    groups = [matched.unmatched, matched.duplicates, matched.doubtful]
    without = [item.id for item in wanted if item.id not in answers]
    if without:
        shown = ", ".join(without[:5]) + (" ..." if len(without) > 5 else "")
        groups.append((f"{len(without)} of {len(wanted)} items have no answer and are not scored: {shown}",))
    return [tuple(f"{outputs.name}: {line}" for line in group) for group in groups]
