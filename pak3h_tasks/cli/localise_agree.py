"""`pak3h localise agree`: labels by majority, a second round for conflicted items, and how far annotators agree."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pak3h_tasks.cli.localise_sample import pseudonyms
from pak3h_tasks.cli.table import table
from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.agree import Decision, LabelAgreement, agreement, decide
from pak3h_tasks.localise.labels import read_english, write_labels
from pak3h_tasks.localise.outputs import refuse_existing, write_json
from pak3h_tasks.localise.pseudonyms import same_person
from pak3h_tasks.localise.ratings import Ratings, read_ratings
from pak3h_tasks.localise.sample import write_annotation_sheets
from pak3h_tasks.localise.workspace import Workspace
from pak3h_tasks.schema import SPLITS, Dataset, Item
from pak3h_tasks.text.escape import printable, quoted

FRESH = ("fresh1", "fresh2", "fresh3")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``pak3h localise agree``, but the shared ones."""
    parser.add_argument("sheets", nargs="+", type=Path, metavar="SHEET", help="filled-in sheets, each annotator's once")
    parser.add_argument("--round2", nargs="+", type=Path, default=[], metavar="SHEET", help="second-round sheets")
    parser.add_argument(
        "--fresh", nargs="+", default=FRESH, metavar="NAME", help="second-round annotators; default: fresh1 to fresh3"
    )
    parser.add_argument(
        "--discard", action="store_true", help="discard conflicted items at once, without a second round"
    )
    parser.add_argument("--partial", action="store_true", help="annotators were given different items")


def run(args: argparse.Namespace) -> int:
    """Print the figures; with a work folder, write the second round's sheets or the final labels."""
    fresh = pseudonyms("--fresh", args.fresh)
    first = read_ratings(args.sheets, partial=args.partial)
    second = read_ratings(args.round2, partial=args.partial) if args.round2 else {}
    if unknown := sorted(set(second) - set(first)):
        raise DataError(f"--round2 has sheets of {', '.join(unknown)}, which round 1 has not; give those too")
    decisions = {dataset: decide(ratings, second.get(dataset)) for dataset, ratings in first.items()}
    figures = [agreement(first[name], 1) for name in first] + [agreement(second[name], 2) for name in second]
    if args.format == "json":
        print(json.dumps({"agreement": [one.to_json() for one in figures], "labels": _counts(decisions)}, indent=2))
    else:
        _print_tables(figures, _counts(decisions))
    if any(one.unequal for one in figures):
        _note("items have different numbers of labels: kappa is Gwet's generalisation of Fleiss'")
    for dataset, ratings in first.items():
        if args.work:
            rounds = [one for one in figures if one.dataset == dataset]
            _write(args, Workspace(args.work, dataset), ratings, decisions[dataset], rounds, fresh)
    return 0


def _write(
    args: argparse.Namespace,
    workspace: Workspace,
    ratings: Ratings,
    decisions: Mapping[str, Decision],
    rounds: Sequence[LabelAgreement],
    fresh: Sequence[str],
) -> None:
    dataset, folder = workspace.dataset, workspace.folder
    _refuse_other_items(read_english(workspace.need("items.jsonl", "sample"), dataset), ratings, partial=args.partial)
    if not any(label for given in ratings.labels.values() for label in given.values()):
        raise DataError(f"{dataset}: no item has a label; fill in the column 'label' of the sheets with DT, LC or LI")
    conflicted = [item_id for item_id, decision in decisions.items() if decision.label is None]
    if conflicted and len(rounds) == 1 and not args.discard:
        if again := [name for name in fresh if any(same_person(name, other) for other in ratings.annotators)]:
            raise DataError(f"--fresh {', '.join(map(quoted, again))}: labelled in round 1; name others")
        sheets = [folder / "round2" / f"{name}.{suffix}" for name in fresh for suffix in args.formats]
        refuse_existing(sheets, force=args.force)
        write_annotation_sheets(sheets, dataset, [ratings.rows[item_id] for item_id in conflicted], force=args.force)
        _note(
            f"{dataset}: conflicted items: {len(conflicted):,}, in {folder / 'round2'}; have them labelled by fresh "
            "annotators, then run this again with --round2 (or --discard)"
        )
        return
    discarded = [{"id": item_id, "reason": f"discarded: {decisions[item_id].reason}"} for item_id in conflicted]
    labels, figures = folder / "labels.csv", folder / "agreement.json"
    refuse_existing([labels, figures], force=args.force)
    write_labels(labels, dataset, decisions, force=args.force)
    write_json(figures, {"rounds": [one.to_json() for one in rounds], "discarded": discarded}, force=args.force)
    _note(f"{dataset}: labels are in {labels}; items discarded: {len(discarded):,}")


def _refuse_other_items(drawn: Iterable[Item], ratings: Ratings, *, partial: bool) -> None:
    ids = {item.id for item in drawn}
    strange, missing = set(ratings.labels) - ids, ids - set(ratings.labels)
    if strange:
        raise DataError(
            f"{ratings.dataset}: {len(strange):,} labelled items were not drawn, such as {quoted(min(strange))}; "
            "give the work folder of these sheets"
        )
    if missing and not partial:
        raise DataError(
            f"{ratings.dataset}: {len(missing):,} drawn items are in none of the sheets, such as "
            f"{quoted(min(missing))}; give all sheets, or pass --partial to go on without them"
        )


def _counts(decisions: Mapping[Dataset, Mapping[str, Decision]]) -> list[dict[str, int | str]]:
    rows: list[dict[str, int | str]] = []
    for dataset, decided in decisions.items():
        tally = Counter(decision.label for decision in decided.values())
        labelled = {label.upper(): tally[label] for label in SPLITS}
        rows.append({"dataset": dataset, **labelled, "total": sum(labelled.values()), "no majority": tally[None]})
    return rows


def _print_tables(figures: Sequence[LabelAgreement], counts: Sequence[Mapping[str, int | str]]) -> None:
    from pak3h_tasks.report.published import published_data  # every metric comes with it

    print(table(list(counts[0]), [list(row.values()) for row in counts]), end="\n\n")
    header = ["dataset", "round", "items", "annotators", "labels", "skipped"]
    header += ["kappa", "majority", "pairwise", "most disputed"]
    rows = [
        [one.dataset, one.round, one.items, len(one.annotators), one.labels, one.skipped]
        + [_three_digits(value) for value in (one.kappa, one.majority, one.pairwise)]
        + [one.most_disputed]
        for one in figures
    ]
    print(table(header, rows), end="\n\n")
    print("published (Pak3H, arXiv 2608.30065, Tables 1 and 6; not measured here)")
    paper = [[one.dataset, one.total, f"{one.kappa:.3f}", f"{one.agreement:.3f}"] for one in published_data()]
    print(table(["dataset", "items", "kappa", "majority"], paper), end="\n\n")
    pairs = list(figures[0].boundaries)
    print("pairs of annotators by the two labels they gave an item")
    crossed = [[one.dataset, one.round, *one.boundaries.values()] for one in figures]
    print(table(["dataset", "round", *pairs], crossed), end="\n\n")
    people = [
        [f.dataset, f.round, name, *(_three_digits(v) if key == "with_majority" else v for key, v in record.items())]
        for f in figures
        for name, record in f.annotators.items()
    ]
    print(table(["dataset", "round", "annotator", "labelled", "skipped", "DT", "LC", "LI", "with majority"], people))


def _three_digits(value: float | int | None) -> str | None:
    return None if value is None else f"{value:.3f}"


def _note(text: str) -> None:
    print(f"pak3h: note: {printable(text)}", file=sys.stderr)
