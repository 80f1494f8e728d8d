"""Where a server is: its URL, the credentials and query in it, and the classic address of an Azure deployment."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from pak3h_tasks.errors import BackendError

OPENAI_URL = "https://api.openai.com/v1"
AZURE_API_VERSION = "2024-10-21"
"""The last general release of Azure's classic interface (Azure OpenAI REST API reference)."""

_AZURE = "azure:"
_ROUTES = ("/completions", "/chat", "/models")
"""What people copy along from a provider's page; requests add their own."""
_DEPLOYMENT = re.compile(r"(?P<root>.*?)/openai/deployments/(?P<name>[^/]+)(?:/chat/completions|/completions)?")


@dataclass(frozen=True)
class Address:
    """A server.

    Attributes:
        url: Base URL without credentials and query: for requests, cache keys, and to be shown.
        query: What every request's query holds.
        basic: Value of the Authorization header from the URL's user and password.
        secrets: Texts that must not be shown.
        deployment: Deployment at Azure's classic interface; None: any other server.
    """

    url: str
    query: dict[str, str] = field(default_factory=dict, repr=False)
    basic: str | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    deployment: str | None = None

    @classmethod
    def parse(cls, base_url: str | None, *, model: str = "", api_version: str | None = None) -> Address:
        """Read a base URL and a model's name.

        Args:
            base_url: None: OpenAI.
            model: ``azure:DEPLOYMENT``: at Azure, whose resource is `base_url`.
            api_version: Azure's; None: the one in the URL, or `AZURE_API_VERSION`.

        Raises:
            BackendError: No http URL, or an Azure deployment without its resource.

        Example:
            >>> Address.parse("http://me:secret@127.0.0.1:8000/v1/").url
            'http://127.0.0.1:8000/v1'
            >>> Address.parse("https://x.openai.azure.com", model="azure:judge").url
            'https://x.openai.azure.com/openai/deployments/judge'
        """
        if base_url is None and model.startswith(_AZURE):
            raise BackendError(
                f"judge {model}: set PAK3H_JUDGE_BASE_URL to its resource, https://NAME.openai.azure.com"
            )
        try:
            parts = urlsplit((base_url or OPENAI_URL).strip())
            user, password, _ = parts.username, parts.password, parts.port
        except ValueError:  # its text may hold a part of a password
            raise BackendError(
                "the server's URL makes no sense: check its port (PAK3H_JUDGE_BASE_URL, vllm:URL), and write marks "
                "in a password as %XX (/ is %2F)"
            ) from None
        basic, secrets = None, []
        if user is not None or password is not None:
            pair = f"{unquote(user or '')}:{unquote(password or '')}"
            basic = f"Basic {base64.b64encode(pair.encode()).decode()}"
            secrets = [parts.netloc.rpartition("@")[0], pair, basic.removeprefix("Basic ")]
            secrets += [text for text in (password, unquote(password or "")) if text]
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        secrets += [value for name, value in query.items() if name != "api-version" and value]
        host, path = parts.netloc.rpartition("@")[2], parts.path.rstrip("/")
        deployment = model.removeprefix(_AZURE) if model.startswith(_AZURE) else None
        if found := _DEPLOYMENT.fullmatch(path):
            path, deployment = found["root"], deployment or unquote(found["name"])
        for route in _ROUTES:
            path = path.removesuffix(route)
        if deployment is not None:
            path = f"{path.removesuffix('/v1').removesuffix('/openai')}/openai/deployments/{deployment}"
            query["api-version"] = api_version or query.get("api-version") or AZURE_API_VERSION
        url = urlunsplit((parts.scheme, host, path, "", ""))
        return cls(url, query, basic, tuple(dict.fromkeys(secrets)), deployment)


def urls_of(setting: str | None) -> list[str | None]:
    """The base URLs in a setting, one or several joined by commas.

    Example:
        >>> urls_of("http://a/v1,https://b/v1?x=1,2"), urls_of(None)
        (['http://a/v1', 'https://b/v1?x=1,2'], [None])
    """
    return [None] if setting is None else list(re.split(r"\s*,\s*(?=https?://)", setting.strip()))


def name_for(model: str) -> str:
    """What a model is called in a request's body.

    Example:
        >>> name_for("azure:judge"), name_for("gpt-4o-mini")
        ('judge', 'gpt-4o-mini')
    """
    return model.removeprefix(_AZURE)


def shown_url(base_url: str | None) -> str:
    """A base URL without user name, password and query, for logs and cache keys.

    Example:
        >>> shown_url("http://me:secret@127.0.0.1:8000/v1/?token=secret")
        'http://127.0.0.1:8000/v1'
    """
    parts = urlsplit(base_url or OPENAI_URL)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))


def shown_setting(setting: str) -> str:
    """A classifier setting without user name, password and query of its URL.

    Example:
        >>> shown_setting("vllm:http://me:secret@host:8000"), shown_setting("none")
        ('vllm:http://host:8000', 'none')
    """
    return f"vllm:{shown_url(setting.removeprefix('vllm:'))}" if setting.startswith("vllm:") else setting


def same_server(url: str, other: str) -> bool:
    """Whether two URLs are of one server: scheme, host and port; the way from http to its https counts.

    Example:
        >>> same_server("http://a/v1", "https://a/v1"), same_server("http://a/v1", "http://a:8001/v1")
        (True, False)
    """
    ports = {"http": 80, "https": 443}
    try:
        one, two = urlsplit(url), urlsplit(other)
        first, second = ((p.scheme, p.hostname, p.port or ports.get(p.scheme)) for p in (one, two))
    except ValueError:
        return False
    upgraded = ("https", first[1], 443)
    return first == second or (first[0] == "http" and first[2] == 80 and second == upgraded)
