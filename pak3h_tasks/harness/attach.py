"""What of lm-eval behaves differently where our tasks are asked for.

Three wrappers; each goes on as before where none of our tasks is asked for, or where anything is not as expected.

* `TaskManager.load`: overlapping names (`pak3h,pak3h_ur`) run each task once, instead of a ValueError.
* `EvaluatorConfig.process_tasks` (the command line): mistakes are one line each, before a model is loaded.
* `lm_eval.utils.make_table`: the headline metrics of our tasks stand first.

lm-eval's command line imports its task manager before it does any of this, so `_autoload` attaches in time; `pak3h run`
calls `attach` itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from pak3h_tasks.harness.task_lists import is_ours, leaves, our_index, unknown, without_overlaps

_MARK = "pak3h"  # attribute of a wrapper: it is there


def attach(manager: Any) -> None:
    """Wrap the three, once a process.

    Args:
        manager: The module `lm_eval.tasks.manager`.
    """
    from lm_eval import utils
    from lm_eval.config.evaluate_config import EvaluatorConfig

    for owner, name, wrapper in (
        (manager.TaskManager, "load", _loading),
        (EvaluatorConfig, "process_tasks", _processing),
        (utils, "make_table", _printing),
    ):
        method = getattr(owner, name, None)
        if method is not None and not hasattr(method, _MARK):
            wrapped = functools.wraps(method)(wrapper(method))
            setattr(wrapped, _MARK, True)
            setattr(owner, name, wrapped)


def explain_from_now_on(argv: Sequence[str]) -> None:
    """Where a command asks for tasks of ours alone, what lm-eval raises before it looks at them is explained too.

    Args:
        argv: The words of the command.
    """
    words = iter(argv)
    names = [name for word in words if word in ("--tasks", "-t") for name in next(words, "").split(",")]
    if names and all(map(is_ours, names)):
        from pak3h_tasks.harness.lm_eval_failures import explain
        from pak3h_tasks.harness.one_line import end_in_one_line

        end_in_one_line(functools.partial(explain, command=None))


def _loading(method: Callable[..., Any]) -> Callable[..., Any]:
    def load(self: Any, task_list: Any, *args: Any, **kwargs: Any) -> Any:
        return method(self, _once_each(self, task_list), *args, **kwargs)

    return load


def _once_each(manager: Any, task_list: Any) -> Any:
    if not isinstance(task_list, list) or not any(map(is_ours, task_list)):
        return task_list
    try:
        return without_overlaps(task_list, manager.task_index)
    except Exception:  # noqa: BLE001 - lm-eval then says what it always says
        return task_list


def _processing(method: Callable[..., Any]) -> Callable[..., Any]:
    def process_tasks(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            manager = method(self, *args, **kwargs)
        except ValueError as error:
            _explain_names(str(error))
            raise
        if any(map(is_ours, self.tasks)):
            _check(self, manager)
        return manager

    return process_tasks


def _explain_names(message: str) -> None:
    from lm_eval import tasks

    from pak3h_tasks.errors import SettingsError
    from pak3h_tasks.harness.one_line import end_in_one_line

    start, found, names = message.partition("Tasks not found: ")
    if start or not found:
        return
    lines = unknown(names.split(", "), sorted(our_index()), only_ours=getattr(tasks.TaskManager, "only_ours", False))
    if lines:
        end_in_one_line()
        raise SettingsError("\n".join(lines)) from None


def _check(command: Any, manager: Any) -> None:
    from pak3h_tasks.errors import Pak3HError
    from pak3h_tasks.harness.lm_eval_failures import explain
    from pak3h_tasks.harness.lm_eval_mistakes import check, check_model
    from pak3h_tasks.harness.one_line import end_in_one_line

    try:
        end_in_one_line()
        check(command, leaves(command.tasks, manager.task_index))
        if all(map(is_ours, command.tasks)):  # else they are lm-eval's own, and said by it
            end_in_one_line(functools.partial(explain, command=command))
            check_model(command)
    except Pak3HError:
        raise
    except Exception:  # noqa: BLE001 - lm-eval then finds out by itself
        return


def _printing(method: Callable[..., Any]) -> Callable[..., Any]:
    def make_table(result_dict: Any, *args: Any, **kwargs: Any) -> Any:
        return method(_ordered(result_dict), *args, **kwargs)

    return make_table


def _ordered(results: Any) -> Any:
    try:
        if not any(map(is_ours, results["results"])):
            return results
        from pak3h_tasks.harness.summary import headline_first

        return headline_first(results)
    except Exception:  # noqa: BLE001 - a table in lm-eval's order is a table
        return results
