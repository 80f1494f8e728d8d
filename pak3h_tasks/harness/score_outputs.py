"""Score answers that no lm-eval run made: match them to items, judge them, write what a run would have written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pak3h_tasks.backends.protocol import Missing
from pak3h_tasks.data.load import SAMPLE_NOTICE, LoadedSet, load
from pak3h_tasks.data.match_outputs import Matched, match
from pak3h_tasks.data.outputs import Outputs, read_outputs
from pak3h_tasks.data.prompts import asked, distinct_prompts
from pak3h_tasks.errors import DataError
from pak3h_tasks.files import unusable
from pak3h_tasks.harness.documents import documents, provenance
from pak3h_tasks.harness.judges import Judge
from pak3h_tasks.harness.names import task_name
from pak3h_tasks.harness.process import of_record
from pak3h_tasks.harness.records import clean_answer, judgeable, judged
from pak3h_tasks.harness.rescore import Rescored, add_task, note_judge, put_summary, unscored, write_results, write_rows
from pak3h_tasks.progress import watched
from pak3h_tasks.schema import Dataset, Item, Lang, Localization

_SHOWN = 10


@dataclass(frozen=True)
class OutputsJob:
    """Answers and the documents they belong to, ready to be judged.

    Attributes:
        task: Name of the task that would have made them.
        said: What the results file says of data and task (``dataset_kwargs.pak3h``).
        docs: (n,) documents.
        answers: (n,) answers; None: the file has none for the document, which then counts as unscored.
        reasons: (n,) why there is nothing to judge; "" where there is an answer.
        model: Name of whoever made the answers.
        remarks: Lines for the user, in groups: warnings of the data, rows without an item, repeated rows, items
            without a row.
    """

    task: str
    said: dict[str, Any]
    docs: list[dict[str, Any]]
    answers: list[str | None]
    reasons: list[str]
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
        model: str | None = None,
    ) -> OutputsJob:
        """Read the answers and the data.

        Args:
            path: The answers.
            dataset: Which dataset they answer.
            lang: In which language.
            localization: Only this split; rows for the others are no fault.
            data: Data source; None: the embedded sample.
            reference: alpaca: outputs of another model, to stand where the data's own outputs do.
            model: Who made the answers; None: as the file says, in its ``generator`` or by its name.

        Raises:
            DataError: Answers or data cannot be used, or no answer belongs to an item.
            SettingsError: No such data source.
        """
        loaded = load(dataset, lang, data)
        wanted: Sequence[Item] = asked(loaded.items, localization)
        outputs = read_outputs(path, dataset)
        matched = _matched(outputs, loaded)
        answers = matched.answers
        remarks = [
            (SAMPLE_NOTICE,) if loaded.is_sample else (),
            loaded.warnings,
            *_remarks(outputs, matched, wanted),
        ]
        reasons = ["" if item.id in answers else f"no answer in {path.name}" for item in wanted]
        against = None
        if reference is not None:
            other = read_outputs(reference, dataset)
            others = _matched(other, loaded)
            references = others.answers
            reasons = [
                why or ("" if item.id in references else f"no answer in {reference.name} to compare with")
                for why, item in zip(reasons, wanted, strict=True)
            ]
            wanted = _with_references(wanted, references, dataset, lang)
            remarks += _remarks(other, others, wanted)
            against = f"{other.generator or reference.stem}@{other.fingerprint}"
        if all(reasons):
            unmatched = "".join(f"\n{line}" for line in matched.unmatched[:3])
            raise DataError(
                f"{path.name}: none of its rows answers an item of {task_name(dataset, lang, 'gen', localization)} in "
                f"{loaded.source}{' that the reference answers too' if reference else ''}; check --data, --lang and "
                f"--split{unmatched}"
            )
        task = task_name(dataset, lang, "gen", localization)
        said = {
            "dataset": dataset, "lang": lang, "kind": "gen", "split": localization, **provenance(loaded, "gen"),
            "outputs": f"{path.name}@{outputs.fingerprint}", "reference": against,
        }  # fmt: skip
        return cls(
            task=task,
            said=said,
            docs=documents(wanted, lang, "gen", task, loaded.short),
            answers=[answers.get(item.id) for item in wanted],
            reasons=reasons,
            model=model or outputs.generator or _named_by(path, dataset, lang, localization),
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
        return self.task, len(self._judgeable[0]), judge.missing(*judgeable(self.said["dataset"], *self._judgeable))

    def score(self, judge: Judge | None, folder: Path, slug: str) -> Rescored:
        """Judge, and write results and sample log into `folder`; a document without an answer is a row without scores.

        Args:
            judge: None: only the metrics that need none.
            folder: Made when needed.
            slug: Names the files (`rescore.slug_of`).

        Raises:
            DataError: They cannot be written.
        """
        dataset = self.said["dataset"]
        found = iter(judged(dataset, *self._judgeable, judge))
        metrics: list[dict[str, Any]] = []
        answers = zip(self.docs, self.reasons, strict=True)
        for doc, why in watched(answers, f"scoring {self.task.removeprefix('pak3h_')}", len(self.docs), unit="answer"):
            if why:
                doc["pak3h"] = {"reason": why}
            unanswered = {} if judge is None else {"coverage": 0.0}
            metrics.append(unanswered if why else of_record(dataset, doc, next(found)))
        results: dict[str, Any] = {
            "results": {}, "configs": {}, "versions": {}, "n-shot": {}, "higher_is_better": {}, "group_subtasks": {},
            "n-samples": {self.task: {"original": len(self.docs), "effective": len(self.docs)}},
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
            raise DataError(f"--output-path {folder}: {unusable(error)}") from None
        rows = [{"doc_id": n, "resps": [] if a is None else [[a]]} for n, a in enumerate(self.answers)]
        write_rows(
            folder / f"samples_{self.task}_{stamp}_scored-{slug}.jsonl", zip(rows, self.docs, metrics, strict=True)
        )
        path = folder / f"results_{stamp}_scored-{slug}.json"
        write_results(path, results)
        answered = [m for m, why in zip(metrics, self.reasons, strict=True) if not why]
        return Rescored(results, path, ((self.task, unscored(answered), len(answered)),))

    @property
    def _judgeable(self) -> tuple[list[dict[str, Any]], list[str]]:
        """Documents and answers where there is something to judge."""
        rows = [
            (d, a) for d, a, why in zip(self.docs, self.answers, self.reasons, strict=True) if a is not None and not why
        ]
        return [doc for doc, _ in rows], [answer for _, answer in rows]


def _matched(outputs: Outputs, loaded: LoadedSet[Item]) -> Matched:
    """Answers by item id; a beavertails row may carry the id of any pair of its prompt."""
    same = {pair.id: prompt.item for prompt in distinct_prompts(loaded.items) for pair in prompt.pairs}
    return match(outputs, asked(loaded.items), loaded.dataset, loaded.lang, same)


def _named_by(path: Path, dataset: Dataset, lang: Lang, localization: Localization | None = None) -> str:
    """A model by its file's name, without the dataset, language and split it is of: files of one model get one name.

    Example:
        >>> names = ("gpt-4o.ur.jsonl", "alpaca_ur_gpt-4o.json", "gpt-4o/PakAlpaca-Urdu.json")
        >>> [_named_by(Path(name), "alpaca", "ur") for name in names]
        ['gpt-4o', 'gpt-4o', 'gpt-4o']
    """
    stem = path.name.removesuffix(path.suffix)
    words = {"en": "english", "ur": "urdu", "urmt": "mt"}
    marks = "|".join(filter(None, (dataset, f"pak{dataset}", lang, words[lang], localization)))
    found = re.sub(rf"(?i)(?<![^\W_])({marks})(?![^\W_])", "", stem).strip("-_. ")
    return re.sub(r"([-_. ])[-_. ]+", r"\1", found) or path.absolute().parent.name or stem


def _with_references(items: Sequence[Item], references: Mapping[str, str], dataset: Dataset, lang: Lang) -> list[Item]:
    """Items whose reference is another model's answer, cleaned like the answers themselves; "" where it has none."""
    return [
        item.model_copy(update={"output": clean_answer(references.get(item.id, ""), dataset, lang)}) for item in items
    ]


def _remarks(outputs: Outputs, matched: Matched, wanted: Sequence[Item]) -> list[tuple[str, ...]]:
    groups = [matched.unmatched, matched.duplicates, matched.doubtful]
    without = [item.id for item in wanted if item.id not in matched.answers]
    if without:
        shown = ", ".join(without[:5]) + (" ..." if len(without) > 5 else "")
        groups.append((f"{len(without)} of {len(wanted)} items have no answer and count as missing: {shown}",))
    return [tuple(f"{outputs.name}: {line}" for line in group) for group in groups]
