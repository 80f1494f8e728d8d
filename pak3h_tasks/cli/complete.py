"""Completion of `pak3h` in bash, zsh and others, by argcomplete: commands, options, choices, task names, files.

The shell calls `pak3h` with the line typed so far in the environment (argcomplete's documentation, "Activating"). Only
the command that is being typed is imported, as when it is run; its parser completes itself (`parser.Parser`).
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from pak3h_tasks.cli.parser import command_parser
from pak3h_tasks.resources import task_dir


def complete(commands: Iterable[str], run: Callable[[list[str]], Any]) -> None:
    """Answer the shell; does not return where there is something to answer.

    Args:
        commands: Names of the commands.
        run: Runs a command line, whose parser then completes instead of parsing.
    """
    from argcomplete.lexers import split_line

    words = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))[3][1:]
    if not words:
        parser = command_parser("pak3h", "", "")
        parser.add_argument("command", choices=[*commands])
        parser.add_argument("--version", action="store_true")
        parser.parse_args([])
    elif words[0] == "run":
        _complete_run(words)
    else:
        run(words)


def _complete_run(words: list[str]) -> None:
    """`pak3h run`, whose parser is lm-eval's."""
    import argcomplete
    from lm_eval._cli.harness import HarnessCLI

    parser = HarnessCLI()._parser
    own = words[1:2] in (["ls"], ["validate"])  # `pak3h run ls` is `lm_eval ls`; any other is `lm_eval run`
    os.environ["_ARGCOMPLETE"] = "2" if own else "1"
    for action in _actions(parser):
        if action.dest == "tasks":
            action.completer = _task_names  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser, always_complete_options="long")


def _actions(parser: argparse.ArgumentParser) -> Iterable[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from one._actions
        yield action


def _task_names(prefix: str, **_: Any) -> list[str]:
    """Tasks, groups and tags; after a comma, the next of a list."""
    earlier = prefix.rpartition(",")
    names: set[str] = set()
    for path in task_dir().rglob("*.yaml"):
        for line in re.findall(r"^(?:task|group|tag): (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            names |= set(re.findall(r"pak3h\w*", line))
    return ["".join(earlier[:2]) + name for name in sorted(names)]
