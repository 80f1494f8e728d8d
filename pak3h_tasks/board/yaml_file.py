"""A YAML file with the line of every field, so that a mistake in it can be said where it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from pak3h_tasks.errors import SettingsError
from pak3h_tasks.text.escape import printable, quoted

Loc = tuple[str | int, ...]
_MOST_NODES = 100_000


class YamlFile:
    """What a YAML file holds.

    Args:
        path: The file, UTF-8.

    Attributes:
        data: Its content.

    Raises:
        SettingsError: It cannot be read, is no YAML, or has a field twice.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._lines: dict[Loc, int] = {}
        try:
            loader = yaml.SafeLoader(path.read_text(encoding="utf-8-sig"))
            node = loader.get_single_node()
            for count, (loc, line) in enumerate(self._walk(node, ())):
                if count > _MOST_NODES:
                    raise SettingsError(f"{self.name}: more than {_MOST_NODES:,} values; is it a board?")
                self._lines[loc] = line
            self.data: Any = None if node is None else loader.construct_document(node)
        except OSError as error:
            raise SettingsError(f"{path}: cannot be read ({error.strerror}); give a board's YAML file") from None
        except UnicodeDecodeError:
            raise SettingsError(f"{path}: is not UTF-8; save it as UTF-8") from None
        except RecursionError:
            raise SettingsError(f"{path}: an alias holds itself, or it is nested too deep") from None
        except yaml.YAMLError as error:
            raise SettingsError(self._said(error)) from None

    def at(self, loc: Loc, says: str) -> str:
        """A line that says where: ``board.yaml line 7: models[1].name: ...``; the nearest field that is there."""
        known = loc
        while known not in self._lines and known:
            known = known[:-1]
        where = f"{self.name} line {self._lines[known]}" if known in self._lines else self.name
        field = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in loc).removeprefix(".")
        return f"{where}: {printable(field)}: {says}" if field else f"{where}: {says}"

    def _walk(self, node: yaml.Node | None, loc: Loc) -> Iterator[tuple[Loc, int]]:
        if node is None:
            return
        yield loc, node.start_mark.line + 1
        if isinstance(node, yaml.SequenceNode):
            for number, child in enumerate(node.value):
                yield from self._walk(child, (*loc, number))
        elif isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, child in node.value:
                name, line = str(key.value), key.start_mark.line + 1
                if name in seen and name != "<<":
                    raise SettingsError(f"{self.name} line {line}: {quoted(name)} stands there twice; remove one")
                seen.add(name)
                yield from self._walk(child, (*loc, name))
                yield (*loc, name), line

    def _said(self, error: yaml.YAMLError) -> str:
        mark = getattr(error, "problem_mark", None)
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        where = f"{self.name} line {mark.line + 1}" if mark else self.name
        hint = "; a tab cannot indent, use spaces" if "\\t" in problem else ""
        return f"{where}: no YAML ({printable(problem)}){hint or '; check quotes, colons and indentation there'}"
