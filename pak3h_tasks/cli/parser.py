"""The shape of every command's argument parser: no abbreviations, help that ends with an example, one-line errors."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from pak3h_tasks.errors import did_you_mean
from pak3h_tasks.text.escape import printable, quoted


class Parser(argparse.ArgumentParser):
    """An argparse parser whose errors are one line that says what to do, without the usage before it.

    argparse prints the whole usage, of which `pak3h score` has 18 lines, and the fault below it.
    """

    def error(self, message: str) -> NoReturn:
        """Say it and where help is, and leave with 2."""
        remedy = "" if ";" in message else f"; see {self.prog} --help"
        print(f"{self.prog}: error: {printable(message)}{remedy}", file=sys.stderr)
        self.exit(2)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse; where a shell asks for completions, those."""
        if _completing():
            import argcomplete

            # how many words of the line are this parser's name
            os.environ["_ARGCOMPLETE"] = str(len(self.prog.split()))
            argcomplete.autocomplete(self, always_complete_options="long")
        return super().parse_args(args, namespace)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse, but what is left over is an error of this very command, which knows its options."""
        if _completing():
            return super().parse_known_args(args, namespace)
        words = list(sys.argv[1:] if args is None else args)
        if not words and (commands := self._commands()):
            self.error(f"say what to do: {', '.join(commands)}")
        found, over = super().parse_known_args(words, namespace)
        if over:
            self.error(self._left_over(over))
        return found, over

    def _commands(self) -> Sequence[str]:
        found = (action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return list(next(found, {}))

    def _left_over(self, words: Sequence[str]) -> str:
        options = [word for word in words if word.startswith("-")]
        if not options:
            return f"{quoted(words[0])} is one argument too many"
        name = options[0].partition("=")[0]
        known = [option for action in self._actions for option in action.option_strings]
        return f"no option {name}{did_you_mean(name, known)}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            allowed = [str(choice) for choice in action.choices]
            said = f"{quoted(value)} is not one of {', '.join(allowed)}{did_you_mean(str(value), allowed)}"
            raise argparse.ArgumentError(action, said)


def _completing() -> bool:
    return "_ARGCOMPLETE" in os.environ


def command_parser(prog: str, description: str, example: str) -> Parser:
    """An argument parser whose ``--help`` ends with an example.

    Args:
        prog: How the user calls it, such as ``pak3h data``.
        description: One sentence or a few.
        example: Command lines, one a line.
    """
    return dress(Parser(prog=prog, allow_abbrev=False), description, example)


def dress(parser: Parser, description: str, example: str) -> Parser:
    """Give a parser, such as one of `add_subparsers`, the description and the example."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = description
    parser.epilog = "example:\n" + "\n".join(f"  {line}" for line in example.strip().splitlines())
    return parser


def positive(text: str) -> int:
    """A whole number from 1, as an argument's ``type``."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no whole number from 1")
    return int(text)
