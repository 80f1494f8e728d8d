"""Many commands in one process that has imported lm-eval once: each in a fork of its own, as if freshly started."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.environments import Environment, clean_environ, run

_DRIVER = """
import json, os, sys, tempfile
import lm_eval.evaluator, lm_eval.models.huggingface, lm_eval.models.openai_completions, transformers
(commands, environs), said = json.loads(sys.argv[1]), []

def words(command):
    sys.argv[:] = command
    if command[0] == "pak3h":
        from pak3h_tasks.cli.main import entry
        return entry()
    from lm_eval.__main__ import cli_evaluate  # imports its command line: the hook reads sys.argv
    return cli_evaluate()

for command, environ in zip(commands, environs, strict=True):
    files = [tempfile.TemporaryFile("w+") for _ in range(2)]
    child = os.fork()
    if child == 0:
        for number, file in enumerate(files, 1):
            os.dup2(file.fileno(), number)
        os.environ.update(environ)
        try:
            code = words(command) or 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else bool(stop.code)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            code = 1
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    texts = []
    for file in files:
        file.seek(0)
        texts.append(file.read())
    said.append([code, *texts])
print("SAID " + json.dumps(said))
"""


@dataclass(frozen=True)
class Said:
    """What one command printed."""

    code: int
    stdout: str
    stderr: str

    @property
    def errors(self) -> list[str]:
        return [line for line in self.stderr.splitlines() if line.startswith("pak3h: error: ")]


def say(environment: Environment, commands: Sequence[Sequence[str | Path]], **environ: str) -> list[Said]:
    """Run commands that start with ``pak3h`` or ``lm_eval``; what each said."""
    words = ["-c", _DRIVER, _listed([(command, {}) for command in commands])]
    return _read(environment.run(*words, PAK3H_JUDGE="none", PAK3H_CLASSIFIER="none", **environ).stdout)


def say_in(folder: Path, commands: Sequence[tuple[Sequence[str], Mapping[str, str]]], **environ: str) -> list[Said]:
    """The same with this interpreter, in a folder; each command with variables of its own."""
    words = [sys.executable, "-c", _DRIVER, _listed(commands)]
    return _read(run(words, cwd=folder, env=clean_environ(**environ)).stdout)


def _listed(commands: Sequence[tuple[Sequence[str | Path], Mapping[str, str]]]) -> str:
    return json.dumps([[[str(word) for word in words] for words, _ in commands], [dict(own) for _, own in commands]])


def _read(stdout: str) -> list[Said]:
    (answer,) = (text for text in stdout.splitlines() if text.startswith("SAID "))
    return [Said(*each) for each in json.loads(answer.removeprefix("SAID "))]
