"""The lm-eval evaluation under way: which of our tasks it runs, what the model said to them, and what is wanted of it.

lm-eval 0.4.13 (evaluator.py) has the model answer every request of every task, and then, task by task, applies the
filters, where judges are asked, and scores. A filter sees its own task alone. So our dataset function, which every task
of ours calls before anything is generated, wraps two methods of lm-eval's tasks: the one that builds requests says
which tasks there are, and the first one to apply filters finds all responses there, and spools them.
"""

from __future__ import annotations

import functools
import inspect
import logging
import weakref
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from pak3h_tasks.harness.spool import Row, spool
from pak3h_tasks.settings import Settings

log = logging.getLogger("lm_eval.pak3h")  # below lm-eval's own logger: its format, its level

_FILTERED: ContextVar[Any] = ContextVar("pak3h_filtered_task", default=None)
"""The task whose filters are being applied."""


class Evaluation:
    """Our tasks in one call of lm-eval's `evaluate`."""

    def __init__(self) -> None:
        self._tasks: list[weakref.ref[Any]] = []
        self._spooled: weakref.WeakSet[Any] = weakref.WeakSet()
        self._generating = True

    def runs(self, task: Any) -> None:
        """A task has built its requests."""
        if not self._generating:  # the next evaluation in the same process
            self._tasks, self._generating = [], True
        if is_our_task(task):
            self._tasks.append(weakref.ref(task))

    def generated(self) -> None:
        """All responses are there: put them on disk, once."""
        if not self._generating:
            return
        self._generating = False
        settings = Settings.from_environment()
        for task in filter(None, (reference() for reference in self._tasks)):
            rows = list(responses(task))
            if rows and spool(settings.cache_dir, rows[0][1]["task"], rows) is not None:
                self._spooled.add(task)

    def has_spooled(self, task: Any) -> bool:
        """Whether a task's responses are on disk."""
        return task is not None and task in self._spooled


@functools.cache
def evaluation() -> Evaluation:
    """The one of this process."""
    return Evaluation()


def filtered_task() -> Any:
    """The lm-eval task whose filters are being applied; None where nobody knows."""
    return _FILTERED.get()


def only_predictions(task: Any) -> bool:
    """Whether lm-eval runs a task with ``--predict_only``: no metric is wanted, and nobody is to be asked for one."""
    return "bypass" in (getattr(task, "_metric_fn_list", None) or {})


def predictions_alone_asked_for() -> bool:
    """The same while tasks are being made: before lm-eval has told them, only its own call knows."""
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_name == "simple_evaluate":
            return bool(frame.f_locals.get("predict_only"))
        frame = frame.f_back
    return False


def is_our_task(task: Any) -> bool:
    """Whether a task's documents come from `dataset.build`."""
    return "pak3h" in (getattr(getattr(task, "config", None), "dataset_kwargs", None) or {})


def responses(task: Any) -> Iterator[Row]:
    """What the model said to each document of a task, in order."""
    by_document: dict[int, list[Any]] = {}
    for instance in task.instances:
        by_document.setdefault(instance.doc_id, []).append(instance)
    for number, instances in sorted(by_document.items()):
        instances.sort(key=lambda instance: instance.idx)
        # a rank with fewer documents repeats its last request, to keep step with the others
        yield number, instances[0].doc, [instance.resps[: instance.repeats] for instance in instances]


def watch() -> None:
    """Wrap lm-eval's task class, once; where it is not as expected, one warning, and each filter spools its task."""
    try:
        from lm_eval.api.task import ConfigurableTask

        for name, wrapper in (("build_all_requests", _building), ("apply_filters", _filtering)):
            method = getattr(ConfigurableTask, name)
            if not hasattr(method, "pak3h"):
                wrapped = wrapper(method)
                wrapped.pak3h = True
                setattr(ConfigurableTask, name, wrapped)
    except Exception as error:  # noqa: BLE001 - whatever lm-eval has become, the run goes on
        _warn(error)


def _building(method: Any) -> Any:
    @functools.wraps(method)
    def build_all_requests(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_our_task(self) and only_predictions(self) and self.OUTPUT_TYPE == "multiple_choice":
            # lm-eval makes the one metric of --predict_only for answers in words alone: choices would have no row
            self.set_config("process_results", _predicted)
        built = method(self, *args, **kwargs)
        evaluation().runs(self)
        return built

    return build_all_requests


def _predicted(_doc: Any, _results: Any) -> dict[str, None]:
    return {"bypass": None}


def _filtering(method: Any) -> Any:
    @functools.wraps(method)
    def apply_filters(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            evaluation().generated()
        except Exception as error:  # noqa: BLE001
            _warn(error)
        token = _FILTERED.set(self)
        try:
            return method(self, *args, **kwargs)
        finally:
            _FILTERED.reset(token)

    return apply_filters


def _warn(error: Exception) -> None:
    log.warning(
        "Pak3H: cannot spool all responses before the first is judged (%s: %s); each task's are spooled when its turn "
        "comes",
        type(error).__name__,
        error,
    )
