"""Generate a model's missing answers: lm_eval in a process of its own, its output in a file, its progress in a bar."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from pak3h_tasks import __version__
from pak3h_tasks.board.config import Board, BoardModel
from pak3h_tasks.board.lm_eval_process import BUSY
from pak3h_tasks.board.stand import LOCK, LOG, OUT, Attempt, AttemptTask, Stand, stand
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.text.escape import one_line

Progress = Callable[[str, int, int], None]
"""Told what is under way, how many of it are done, and of how many."""

_BAR = re.compile(r"(?P<what>[^\r\n|%]{1,60}?):\s+\d+%\|[^\r\n|]*\|\s*(?P<done>\d+)/(?P<total>\d+)")
_FAULT = re.compile(r"(?:pak3h: error: |lm.eval.*?: error: )(?P<said>.+)|(?P<error>[\w.]*(?:Error|Exception|Exit)\b.*)")
_TAIL = 65_536


def lm_eval_arguments(board: Board, model: BoardModel, tasks: list[str], output: Path) -> list[str]:
    """Arguments of `lm_eval run`, as a list for a process: no shell reads them."""
    found = [f"--model={model.model}", f"--tasks={','.join(tasks)}", f"--output_path={output}", "--log_samples"]
    for name, value in (("model_args", model.model_args), ("gen_kwargs", model.gen_kwargs)):
        if value:
            found.append(f"--{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
    for name in ("system_instruction", "num_fewshot", "batch_size", "device"):
        if (value := getattr(model, name)) is not None:
            found.append(f"--{name}={value}")
    if model.apply_chat_template:
        template = model.apply_chat_template
        found.append("--apply_chat_template" + (f"={template}" if isinstance(template, str) else ""))
    if model.fewshot_as_multiturn is not None:
        found.append(f"--fewshot_as_multiturn={model.fewshot_as_multiturn}")
    if board.limit is not None:
        found.append(f"--limit={board.limit}")
    return found


def check_keys(stands: Sequence[Stand]) -> None:
    """Before anything is run, look for the keys of the models that are to be run.

    Raises:
        SettingsError: One is not in the environment.
    """
    for one in stands:
        name = one.model.api_key_env
        if one.missing and name is not None and not os.environ.get(name):
            raise SettingsError(f"{one.model.name}: api_key_env: {name} is not set; export it, or name another one")


def wait_for_another(before: Stand, says: Callable[[], None], progress: Progress) -> bool:
    """Wait until the lm_eval that a killed board has left behind is done; whether there was one."""
    lock = FileLock(before.folder / LOCK)
    waited = False
    while (before.folder / LOCK).exists():
        try:
            lock.acquire(timeout=0)
            lock.release()
            return waited
        except Timeout:
            if not waited:
                says()
            waited = True
            if before.log is not None:
                progress(*_under_way(before.log))
            time.sleep(0.5)
    return waited


def generate(board: Board, before: Stand, progress: Progress) -> Stand:
    """Run lm_eval on what is missing, and wait for it.

    Args:
        board: The board.
        before: The model, and what is missing.
        progress: Told how far it is.

    Returns:
        What there is afterwards; `Stand.failed` where tasks are missing still.
    """
    began = datetime.now(timezone.utc)
    folder = before.folder / began.strftime("%Y-%m-%dT%H-%M-%S.%f")
    environment = _environment(board, before.model, folder)
    attempt = Attempt(
        tasks={one.name: AttemptTask.of(one) for one in before.missing},
        began=began.isoformat(timespec="seconds"),
        package=__version__,
        arguments=lm_eval_arguments(board, before.model, [one.name for one in before.missing], folder / OUT),
    )
    attempt.save(folder)
    attempt.exit_code = _run(board, before, attempt, folder, environment, progress)
    attempt.said = _why(attempt.exit_code, folder / LOG, environment) if attempt.exit_code else ""
    after = stand(before.model, before.folder, before.wanted)
    if not after.missing:
        shutil.rmtree(folder / "spool", ignore_errors=True)  # the sample logs have it all
    elif not attempt.exit_code:
        attempt.exit_code = 1
        attempt.said = f"lm_eval ended without the answers to {', '.join(one.name for one in after.missing)}"
    attempt.save(folder)
    return stand(before.model, before.folder, before.wanted)


def _run(
    board: Board, before: Stand, attempt: Attempt, folder: Path, environment: Mapping[str, str], progress: Progress
) -> int:
    lock = str(before.folder / LOCK)
    words = [sys.executable, "-m", "pak3h_tasks.board.lm_eval_process", lock, *attempt.arguments]
    with (folder / LOG).open("wb") as log:
        log.write(f"pak3h run {shlex.join(attempt.arguments)}\n".encode("utf-8", "backslashreplace"))
        log.flush()
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                   cwd=board.folder, env=environment)  # fmt: skip
        try:
            while (code := process.poll()) is None:
                progress(*_under_way(folder / LOG))
                time.sleep(0.2)
        except BaseException:
            _end(process)
            raise
    return code


def _environment(board: Board, model: BoardModel, folder: Path) -> dict[str, str]:
    # nothing is judged while the model is in memory, and the judge's key is none of lm_eval's business
    found = {name: value for name, value in os.environ.items() if not name.startswith("PAK3H_")}
    found |= {name: os.environ[name] for name in ("PAK3H_DATA",) if name in os.environ}
    found |= {"PAK3H_JUDGE": "none", "PAK3H_TI_JUDGE": "none", "PAK3H_CLASSIFIER": "none",
              "PAK3H_CACHE_DIR": str(folder), "PYTHONUNBUFFERED": "1", "TQDM_MININTERVAL": "1"}  # fmt: skip
    if board.data_source is not None:
        found["PAK3H_DATA"] = board.data_source
    if model.api_key_env is not None:
        found["OPENAI_API_KEY"] = os.environ[model.api_key_env]
    return found


def _end(process: subprocess.Popen[Any]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def _under_way(log: Path) -> tuple[str, int, int]:
    found = None
    for found in _BAR.finditer(_tail(log)[-4096:]):  # noqa: B007 - the last one
        pass
    return (found["what"].strip(), int(found["done"]), int(found["total"])) if found else ("starting", 0, 0)


def _why(code: int, log: Path, environment: Mapping[str, str]) -> str:
    """The last meaningful line of a log."""
    if code == BUSY:
        return "another lm_eval of this model is still running"
    lines = [line.strip() for line in re.split(r"[\r\n]+", _tail(log)) if line.strip()]
    lines = [line for line in lines if not _BAR.search(line)]
    said = lines[-1] if len(lines) > 1 else "it said nothing"
    for line in reversed(lines):
        if match := _FAULT.search(line):
            said = match["said"] or match["error"]
            break
    if code < 0:
        name = signal.Signals(-code).name if -code in {int(one) for one in signal.Signals} else str(-code)
        said = f"ended by {name}{', perhaps out of memory' if name == 'SIGKILL' else ''}"
    for name, value in environment.items():
        if len(value) >= 8 and re.search(r"KEY|TOKEN|SECRET|PASSWORD", name):
            said = said.replace(value, "[key]")
    return one_line(said, 200)
