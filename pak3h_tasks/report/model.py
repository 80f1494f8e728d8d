"""What a report shows, as plain frozen values: scores, gaps between languages, how everything was made."""

from __future__ import annotations

from dataclasses import dataclass, field

from pak3h_tasks.results import Interval, Score
from pak3h_tasks.stats.tests import Significance

ALL = "all"
"""Name of the "split" of all items."""
ARROW = "→"
"""Stands between generator and judge, as in the paper."""


@dataclass(frozen=True)
class Place:
    """Where a number belongs.

    Attributes:
        system: Label of the evaluated system (`System.label`), or of what else was measured.
        dataset: truthfulqa, alpaca or beavertails.
        lang: en, ur or urmt.
        kind: mc or gen; pairs: the dataset's own prompt-response pairs (`pak3h moderate`).
        split: all, dt, lc or li.
        category: A TruthfulQA topic; None: no such cut.
    """

    system: str
    dataset: str
    lang: str
    kind: str
    split: str = ALL
    category: str | None = None


@dataclass(frozen=True)
class Cell:
    """One reported number.

    Attributes:
        place: Where it belongs.
        score: Name, value in the metric's own unit (`metrics.METRICS`), n, scored, interval, signature.
        note: What else must be said of it, such as why there is no value.
        n_judged: Scored items whose verdicts came from a judge, not from a rule for equal or empty texts; None: nothing
            judges it, or it is not known.
        n_text: Of these, those with a verdict read from the judge's text, for want of log-probabilities.
    """

    place: Place
    score: Score
    note: str = ""
    n_judged: int | None = None
    n_text: int | None = None


@dataclass(frozen=True)
class Gap:
    """A paired difference, first minus second, over the items scored in both.

    Attributes:
        place: Where it belongs; its `lang` is the first language of a gap between languages.
        metric: Name of the metric.
        first: What comes first: a language or a system.
        second: What is subtracted.
        n: Items scored in both.
        first_value: Value of the first over these items.
        second_value: Value of the second over these items.
        difference: First minus second; None: no common item.
        interval: 95 %; None with fewer than two items.
        mcnemar: On yes/no labels (`metrics.Metric.label`), where the metric has them.
        z: Two-proportion z of the same two values, for rates.
        note: What else must be said of it.
        of_systems: Whether first and second are systems, else languages.
    """

    place: Place
    metric: str
    first: str
    second: str
    n: int
    first_value: float | None
    second_value: float | None
    difference: float | None
    interval: Interval | None
    mcnemar: Significance | None = None
    z: Significance | None = None
    note: str = ""
    of_systems: bool = False


@dataclass(frozen=True)
class TaskSource:
    """Where the numbers of one dataset, language and kind of a system come from.

    Attributes:
        dataset: As in `Place`.
        lang: As in `Place`.
        kind: As in `Place`.
        tasks: Names of the lm-eval tasks (several where only split tasks were run).
        files: Their sample logs, where they lie on this machine.
        names: The same without what is this machine's own, for pages and files that are passed on.
        date: lm-eval's date stamp of the newest.
        n: Items.
        n_total: Items the tasks have without --limit; None: not known.
        splits: Splits that were run, where not all of them.
        data: Short names of the data, with fingerprint.
        made_by: What made the judged numbers, by verdict name, without what only a server's reply tells.
        served: What servers said they are, by verdict name.
        settings: Few-shot examples, chat template and the like, by name.
        unscored: Reasons and how often, of verdicts that are missing.
    """

    dataset: str
    lang: str
    kind: str
    tasks: tuple[str, ...]
    files: tuple[str, ...]
    names: tuple[str, ...]
    date: str
    n: int
    n_total: int | None
    splits: tuple[str, ...]
    data: tuple[str, ...]
    made_by: dict[str, tuple[str, ...]] = field(default_factory=dict)
    served: dict[str, tuple[str, ...]] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    unscored: dict[str, int] = field(default_factory=dict)

    @property
    def is_partial(self) -> bool:
        """Whether items are missing: --limit, an ended run, or not every split."""
        return bool(self.splits) or (self.n_total is not None and self.n < self.n_total)


@dataclass(frozen=True)
class System:
    """One evaluated model (or one run of it).

    Attributes:
        label: What it is called in tables; unique in a report.
        model: The model's name, without what tells apart runs of it.
        sources: Where its numbers come from.
        generator: The label without the judge: systems of one generator are the same answers, judged differently.
    """

    label: str
    model: str
    sources: tuple[TaskSource, ...]
    generator: str


@dataclass(frozen=True)
class Labelling:
    """Agreement of the annotators of one dataset.

    Attributes:
        dataset: As in `Place`.
        items: Items that were labelled.
        agreement: Share of items with a majority, in [0, 1]; None: not known.
        pairwise: Mean share of annotator pairs that agree, in [0, 1]; None: not known.
        kappa: Fleiss' kappa; None: not known.
    """

    dataset: str
    items: int
    agreement: float | None
    pairwise: float | None
    kappa: float | None


@dataclass(frozen=True)
class Published:
    """One number from a paper, never mixed with measured ones.

    Attributes:
        system: As named there.
        dataset: As in `Place`.
        lang: As in `Place`.
        kind: As in `Place`.
        split: As in `Place`.
        metric: Name of the metric here that comes closest.
        value: In the unit of `metrics.METRICS`.
        judge: What judged it there; "" where nothing did, or the paper does not say.
        source: The paper, and where in it.
        note: How its definition differs from ours, and where the paper contradicts itself.
        where: Where in the paper: a table, a section.
        n: Items it is over.
        of_one: Whether the paper gives it from 0 to 1 (else in percent).
    """

    system: str
    dataset: str
    lang: str
    kind: str
    split: str
    metric: str
    value: float
    judge: str
    source: str
    note: str = ""
    where: str = ""
    n: int | None = None
    of_one: bool = False

    @property
    def row_name(self) -> str:
        """``generator → judge``, or the system alone."""
        return f"{self.system} {ARROW} {self.judge}" if self.judge and self.kind != "pairs" else self.system


@dataclass(frozen=True)
class Report:
    """Everything a report shows.

    Attributes:
        created: ISO time with offset.
        package: Name and version of this package.
        systems: In table order.
        cells: Every number.
        gaps: Every paired difference between languages.
        published: The paper's figures.
        notices: Lines the reader must know: what is partial, left out, mixed, missing.
        labelling: How far annotators agreed on the labels of the data.
    """

    created: str
    package: str
    systems: tuple[System, ...]
    cells: tuple[Cell, ...]
    gaps: tuple[Gap, ...]
    published: tuple[Published, ...]
    notices: tuple[str, ...]
    labelling: tuple[Labelling, ...] = ()
