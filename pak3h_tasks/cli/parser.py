"""The shape of every command's argument parser: no abbreviations, and help that ends with an example."""

from __future__ import annotations

import argparse


def command_parser(prog: str, description: str, example: str) -> argparse.ArgumentParser:
    """An argument parser whose ``--help`` ends with an example.

    Args:
        prog: How the user calls it, such as ``pak3h data``.
        description: One sentence or a few.
        example: Command lines, one a line.
    """
    parser = argparse.ArgumentParser(prog=prog, allow_abbrev=False)
    return dress(parser, description, example)


def dress(parser: argparse.ArgumentParser, description: str, example: str) -> argparse.ArgumentParser:
    """Give a parser, such as one of `add_subparsers`, the description and the example."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = description
    parser.epilog = "example:\n" + "\n".join(f"  {line}" for line in example.strip().splitlines())
    return parser
