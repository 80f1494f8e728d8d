"""Every Eval Ever's own JSON schemas, version 0.3.0 (MIT, see schemas/LICENSE), and records held against them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from pak3h_tasks.errors import DataError, MissingExtra
from pak3h_tasks.extras import pip_install_package
from pak3h_tasks.text.escape import one_line

SCHEMA_VERSION = "0.3.0"
AGGREGATE, INSTANCE = "eval.schema.json", "instance_level_eval.schema.json"


def check_record(record: Mapping[str, Any], schema: str, what: str) -> None:
    """Hold a record against a schema.

    Args:
        record: JSON values.
        schema: `AGGREGATE` or `INSTANCE`.
        what: What it is, for the message.

    Raises:
        DataError: It does not fit, or holds a NaN, which no schema finds; so it must not be written.
        MissingExtra: jsonschema is not installed.
    """
    try:
        json.dumps(record, allow_nan=False)
    except ValueError as fault:
        raise DataError(f"{what}: {one_line(str(fault))}; nothing of it is written; please report it") from None
    for error in _validator(schema).iter_errors(record):
        place = "/".join(map(str, error.absolute_path))
        raise DataError(
            f"{what}: {one_line(place)}: {one_line(error.message)} (Every Eval Ever {SCHEMA_VERSION}); "
            "nothing of it is written; please report it"
        )


@cache
def _validator(schema: str) -> Any:
    try:
        from jsonschema import Draft7Validator
    except ImportError:
        install = pip_install_package("jsonschema")
        raise MissingExtra(f"Every Eval Ever files are checked with jsonschema: {install}") from None
    text = files("pak3h_tasks.publish").joinpath("schemas", schema).read_text(encoding="utf-8")
    return Draft7Validator(json.loads(text))
