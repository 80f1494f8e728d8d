"""Templates into one HTML file: autoescaped, under a content security policy that lets only our own code run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pak3h_tasks.text.escape import left_to_right, visible

_HERE = Path(__file__).parent


def render(template: str, context: Mapping[str, Any], scripts: Sequence[str]) -> str:
    """A whole page.

    Args:
        template: Name in ``templates/``; extends ``base.html.j2``.
        context: What it shows. Every text in it is untrusted: escaped, and made visible.
        scripts: Names in ``assets/``, in order.
    """
    style = _asset("style.css")
    script = "\n".join(_asset(name) for name in scripts)
    found = _environment().get_template(template)
    return found.render(**context, style=style, script=script, policy=_policy(style, script))


def render_svg(template: str, context: Mapping[str, Any], style: str) -> str:
    """A drawing as a file of its own.

    Args:
        template: Name in ``templates/``.
        context: What it shows, untrusted as in `render`.
        style: Name in ``assets/``.
    """
    return _environment().get_template(template).render(**context, style=_asset(style))


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["left_to_right"] = left_to_right
    return environment


def _asset(name: str) -> str:
    return (_HERE / "assets" / name).read_text(encoding="utf-8")


def _shown(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _policy(style: str, script: str) -> str:
    # no source but the two texts of this page, by their hashes; and no HTML from strings, not even by our own script
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
