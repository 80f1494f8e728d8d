"""`pak3h board`: many models from one file, run, judged and written into a folder that can be served."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pak3h_tasks.cli.parser import command_parser
from pak3h_tasks.cli.step import here, say
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.text.escape import one_line, printable

if TYPE_CHECKING:
    from pak3h_tasks.board.config import Board
    from pak3h_tasks.board.stand import Stand

_CHECK = "check"


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pak3h board",
        "Runs what a board of models lacks, judges what has no verdict, and writes a folder that can be served:\n"
        "leaderboard, a page a model, CSV. The file names models, tasks, data and judge (docs/board.md). Killed\n"
        "anywhere, the same command goes on; a model's answers are made once, whatever its judge.\n"
        "`pak3h board check FILE` names what failed, is partial, outdated or unscored, and the command that mends it.",
        "pak3h board board.yaml --dry-run\npak3h board board.yaml\npak3h board check board.yaml",
    )
    parser.add_argument("words", nargs="+", metavar="[check] FILE", help="the board's YAML file")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be run and judged, and its cost")
    return parser


def main(argv: Sequence[str]) -> int:
    """Make the board, or say what it lacks."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    words: list[str] = arguments.words
    if is_check := words[0] == _CHECK and len(words) == 2:
        words = words[1:]
    if len(words) != 1:
        parser.error("give one FILE" if words[0] != _CHECK else "give the FILE to check")
    from pak3h_tasks.board.config import read_board

    board = read_board(Path(words[0]))
    if is_check:
        return _check(board)
    if arguments.dry_run:
        from pak3h_tasks.cli.board_cost import say_cost

        return say_cost(board)
    with _alone(board):
        return _make(board)


@contextmanager
def _alone(board: Board) -> Iterator[None]:
    """Keep a second board of the same file away.

    Raises:
        SettingsError: Another one is at work, or the folder cannot be written.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(board.runs_folder / ".lock")
    try:
        board.runs_folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise SettingsError(
            f"{board.path.name}: another pak3h board is at work on it; wait for it, or stop it"
        ) from None
    except (OSError, NotImplementedError) as error:
        raise SettingsError(
            f"{board.runs_folder}: cannot be written ({error}); name another folder for runs:"
        ) from None
    try:
        yield
    finally:
        lock.release()


def _check(board: Board) -> int:
    from pak3h_tasks.board.check import findings
    from pak3h_tasks.board.stand import stands_of
    from pak3h_tasks.board.wanted import Tasks
    from pak3h_tasks.cli.board_judge import board_judges

    settings = board.settings()
    stands = stands_of(board, Tasks(board, settings.data))
    judges, slug, _ = board_judges(settings)
    found = list(findings(stands, judges, slug, here(board.path)))
    if not found:
        say(f"{board.path.name}: all {len(stands)} models are complete")
        return 0
    for one in found:
        print(printable(f"{one.model}: {one.state}: {one.what}; to mend it: {one.remedy}"))
    return 1


def _make(board: Board) -> int:
    from pak3h_tasks.board.run import check_keys
    from pak3h_tasks.board.stand import stands_of, write_names
    from pak3h_tasks.board.wanted import Tasks
    from pak3h_tasks.board.write import BoardSite
    from pak3h_tasks.cli.board_judge import judge_runs
    from pak3h_tasks.data.load import SAMPLE_NOTICE

    settings = board.settings()
    tasks = Tasks(board, settings.data)
    site = BoardSite(board)
    stands = stands_of(board, tasks)  # before anything is run: a mistake in any model's tasks is said now
    check_keys(stands)
    if tasks.is_sample:
        say(f"note: {SAMPLE_NOTICE}")
    for warning in tasks.warnings:
        say(f"note: {warning}")
    for model in board.models:
        if left_out := tasks.left_out(model):
            say(f"{model.name}: {model.model} gives no log-likelihoods; without {', '.join(left_out)}")
    stands = [_generated(board, one) for one in stands]
    write_names(stands)
    failed = {one.model.name: one.failed.said for one in stands if one.failed is not None}
    shown, is_judged = judge_runs([run for one in stands for run in one.runs], settings, by_batch=board.judge.batch)
    runs = {one.model.name: [shown[id(run)] for run in one.runs] for one in stands}
    page = site.write(runs, failed)
    for why, names in site.unpublished.items():
        say(f"note: no files for publishing of {', '.join(names)}: {why}")
    say(f"written: {here(page)}, {sum(map(bool, runs.values()))} of {len(stands)} models")
    return 1 if failed or not is_judged else 0


def _generated(board: Board, before: Stand) -> Stand:
    """Run what a model lacks; a failure is one line, and the others go on."""
    from pak3h_tasks.board.run import generate, wait_for_another
    from pak3h_tasks.board.stand import stand
    from pak3h_tasks.progress import Progress

    name = before.model.name
    with Progress(name, None, unit="", leave=False) as bar:

        def progress(what: str, done: int, total: int) -> None:
            bar.follow(f"{one_line(name, 30)}: {what}", done, total)

        if wait_for_another(before, lambda: say(f"{name}: its lm_eval of before is still running; waiting"), progress):
            before = stand(before.model, before.folder, before.wanted)
        if not before.missing:
            return before
        names = [one.name for one in before.missing]
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        say(f"{name}: generating {before.n_missing:,} answers: {shown}")
        after = generate(board, before, progress)
    if after.failed is not None:
        say(f"{name}: failed: {after.failed.said} (log: {here(after.log)})")
    return after
