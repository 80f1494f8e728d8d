"""Run lm-eval's own command line with only the Pak3H tasks indexed: 5 seconds to start instead of 20-30."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from pak3h_tasks.errors import Pak3HError, SettingsError, did_you_mean
from pak3h_tasks.harness.one_line import explained
from pak3h_tasks.harness.task_lists import unknown
from pak3h_tasks.resources import task_dir

COMMANDS = ("run", "ls", "validate")  # lm-eval's own


def run_lm_eval(argv: Sequence[str]) -> None:
    """`lm_eval ARGV`, in this process; a task of the user's --include_path still wins over ours.

    lm-eval 0.4.13 parses the 14,000 YAML files of its own tasks at every start and has no switch against it,
    but its TaskManager takes `include_defaults=False`.

    Args:
        argv: lm_eval's arguments, with or without one of `COMMANDS` first.

    Raises:
        Pak3HError: A mistake that can be said in one line; whatever else goes wrong comes as lm-eval raises it.
    """
    from lm_eval import tasks
    from lm_eval._cli import HarnessCLI
    from lm_eval.tasks import manager
    from lm_eval.utils import setup_logging

    from pak3h_tasks.harness.attach import attach
    from pak3h_tasks.harness.lm_eval_failures import explain

    attach(manager)
    tasks.TaskManager = manager_of_ours(tasks.TaskManager)
    sys.argv = ["lm_eval", *(() if argv[0] in COMMANDS else ("run",)), *argv]
    arguments = None
    try:
        setup_logging()
        commands = HarnessCLI()
        _errors_in_one_line(commands)
        arguments = commands.parse_args()
        if arguments.command == "validate":
            arguments.tasks = _found(arguments.tasks.split(","), tasks.TaskManager(include_path=arguments.include_path))
        commands.execute(arguments)
    except Pak3HError:
        raise
    except Exception as error:
        said = explained(functools.partial(explain, command=arguments), error)
        if said is None:
            raise
        raise SettingsError(said) from None


def manager_of_ours(task_manager: type) -> type:
    """lm-eval's task manager, without its own tasks."""

    class PakTaskManager(task_manager):  # type: ignore[misc]
        only_ours = True

        def __init__(self, *args: Any, include_path: Any = None, **kwargs: Any) -> None:
            given = list(include_path) if isinstance(include_path, (list, tuple)) else [include_path]
            paths = [str(task_dir()), *(str(path) for path in given if path)]
            super().__init__(*args, include_path=paths, **{**kwargs, "include_defaults": False})
            self.include_path = include_path

    return PakTaskManager


def _found(names: list[str], manager: Any) -> str:
    # lm-eval's own check compares names as they are, so that it does not find those that a pattern matches
    missing = [name for name in names if not manager.match_tasks([name])]
    if missing:
        raise SettingsError("\n".join(unknown(missing, manager.all_tasks, only_ours=True)))
    return ",".join(manager.match_tasks(names))


def _errors_in_one_line(commands: Any) -> None:
    """lm-eval's parsers print their usage before an error, and know no near misses."""
    for parser in (commands._parser, *commands._subparsers.choices.values()):
        options = [
            option for action in commands._subparsers.choices["run"]._actions for option in action.option_strings
        ]
        parser.error = functools.partial(_say, options)


def _say(options: Sequence[str], message: str) -> NoReturn:
    start, _, rest = message.partition("unrecognized arguments: ")
    wrong = rest.split("=")[0].split()
    near = did_you_mean(wrong[0], options) if wrong and not start else ""
    readable = re.sub(r"invalid functools.* value: ", "invalid value: ", message)  # how argparse names --seed's type
    raise SettingsError(readable + (near or "; pak3h run --help says more"))
