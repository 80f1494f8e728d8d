"""`pak3h`: finds the command, hands it the rest of the line, turns expected errors into a line and an exit code."""
# PYTHON_ARGCOMPLETE_OK: for shells with argcomplete's global completion

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from pak3h_tasks import __version__
from pak3h_tasks.errors import Pak3HError, did_you_mean
from pak3h_tasks.files import unusable
from pak3h_tasks.interrupt import terminate_as_interrupt
from pak3h_tasks.progress import end_bars
from pak3h_tasks.text.escape import printable, quoted

_OPTIONS = ("--help", "--version")
DONE, FAILED, USAGE, STOPPED, TERMINATED = 0, 1, 2, 130, 143


@dataclass(frozen=True)
class Command:
    """One command: its module has ``main(argv: Sequence[str]) -> int`` and is imported only when it is called.

    `steps` are its own commands, for who forgets the first word.
    """

    name: str
    summary: str
    module: str
    steps: tuple[str, ...] = ()


COMMANDS: tuple[Command, ...] = (
    Command("demo", "try everything: a tiny random model on the embedded sample", "pak3h_tasks.cli.demo"),
    Command("run", "run lm_eval with a fast start (lm_eval's own arguments)", "pak3h_tasks.cli.run"),
    Command("score", "judge the answers of a finished run, or answers made elsewhere", "pak3h_tasks.cli.score"),
    Command(
        "batch",
        "judge hours later: OpenAI's batches, or files for vllm run-batch",
        "pak3h_tasks.cli.batch",
        ("status", "collect", "cancel", "export", "import"),
    ),
    Command("moderate", "classify prompt-response pairs with Beaver-Dam", "pak3h_tasks.cli.moderate"),
    Command("data", "show, check and convert data files", "pak3h_tasks.cli.data", ("info", "validate", "convert")),
    Command(
        "localise",
        "make a localised dataset step by step",
        "pak3h_tasks.cli.localise",
        ("sample", "agree", "contextualise", "translate", "check", "build"),
    ),
    Command("cache", "show or clear the judges' answers on disk", "pak3h_tasks.cli.cache"),
    Command("report", "tables and a page from finished runs, with intervals", "pak3h_tasks.cli.report"),
    Command("leaderboard", "rank many models, Urdu and English", "pak3h_tasks.cli.leaderboard"),
    Command("board", "many models from one file: run, judge, and write a folder to serve", "pak3h_tasks.cli.board"),
    Command("publish", "files for the hub and Every Eval Ever from finished runs", "pak3h_tasks.cli.publish"),
    Command("compare", "paired differences of two models", "pak3h_tasks.cli.compare"),
    Command("agreement", "how far a judge or classifier agrees with humans", "pak3h_tasks.cli.agreement"),
    Command("metrics", "list every metric and how it is made", "pak3h_tasks.cli.metrics"),
    Command("doctor", "check Python, lm-eval, task visibility, data and optional parts", "pak3h_tasks.cli.doctor"),
    Command("tasks-dir", "print the folder of the task YAML", "pak3h_tasks.cli.tasks_dir"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``pak3h ARGV``; exit code 0: done, 1: failed, 2: wrong usage, 130: stopped by Ctrl-C, 143: by SIGTERM."""
    words = list(sys.argv[1:] if argv is None else argv)
    with terminate_as_interrupt() as terminated:
        return _main(words, terminated)


def _main(words: list[str], terminated: Callable[[], bool]) -> int:
    try:
        status = _dispatch(words)
        sys.stdout.flush()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else DONE if stop.code is None else FAILED
    except Pak3HError as error:
        end_bars()
        for line in str(error).splitlines():
            print(f"pak3h: error: {printable(line)}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        # The reader (`| head`) has what it wants; without this, the flush at exit complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:  # a full disk, a folder taken away: nobody's mistake that a command foresees
        where = f"{error.filename}: " if error.filename else ""
        print(f"pak3h: error: {printable(where + unusable(error))}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("pak3h: stopped", file=sys.stderr)
        return TERMINATED if terminated() else STOPPED
    return status


def entry() -> int:
    """The console script: `main` on a terminal that may not know every letter; or what a shell asks when TAB is hit."""
    if "_ARGCOMPLETE" in os.environ:
        from pak3h_tasks.cli.complete import complete

        complete((command.name for command in COMMANDS), main)
        return DONE
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
            # Windows gives files and pipes an old code page: a CSV of Urdu would be one of escapes
            if sys.platform == "win32" and not stream.isatty() and "PYTHONIOENCODING" not in os.environ:
                stream.reconfigure(encoding="utf-8")
    return main()


def _dispatch(words: list[str]) -> int:
    name = words[0] if words else "--help"
    if name in ("-h", "--help"):
        print(_help(), end="")
        return DONE if words else USAGE
    if name == "--version":
        print(f"pak3h {__version__}")
        return DONE
    for command in COMMANDS:
        if command.name == name:
            status: int = import_module(command.module).main(words[1:])
            return status
    whole = {step: f"{command.name} {step}" for command in COMMANDS for step in command.steps}
    near = did_you_mean(name, [*(command.name for command in COMMANDS), *_OPTIONS])
    remedy = f"; did you mean {whole[name]}?" if name in whole else near or "; see pak3h --help"
    print(f"pak3h: no command {quoted(name)}{remedy}", file=sys.stderr)
    return USAGE


def _help() -> str:
    width = max(len(command.name) for command in COMMANDS)
    listed = "\n".join(f"  {command.name:<{width}}  {command.summary}" for command in COMMANDS)
    return f"""usage: pak3h [-h] [--version] COMMAND ...

Pak3H for lm-evaluation-harness: how helpful, harmless and honest a language model is in Urdu.

commands:
{listed}

options:
  -h, --help  show this message; pak3h COMMAND --help says more
  --version   show the version

example:
  pak3h data info
"""
