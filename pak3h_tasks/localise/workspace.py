"""Where the steps keep their files: one folder a dataset, laid out as a data folder where it holds items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pak3h_tasks.errors import DataError
from pak3h_tasks.schema import Dataset


@dataclass(frozen=True)
class Workspace:
    """The files of one dataset under ``root/dataset``; each step reads what earlier ones wrote.

    sample -> items.jsonl, sample.json, annotate/NAME.csv|xlsx
    agree -> round2/NAME.csv|xlsx while items are conflicted, then labels.csv, agreement.json
    contextualise -> contextualise/lc|li|revise.csv|xlsx, then contextualised.jsonl, contextualisation.json
    translate -> segments.jsonl (its progress), en.jsonl, urmt.jsonl, translation.json, edit/draft.csv|xlsx
    check -> findings.csv|xlsx
    """

    root: Path
    dataset: Dataset

    @property
    def folder(self) -> Path:
        """Where everything of this dataset is."""
        return self.root / self.dataset

    def need(self, name: str, step: str) -> Path:
        """A file an earlier step wrote.

        Raises:
            DataError: It is not there; says which step writes it.
        """
        path = self.folder / name
        if not path.is_file():
            raise DataError(f"{path}: not there yet; run 'pak3h localise {step}' first")
        return path
