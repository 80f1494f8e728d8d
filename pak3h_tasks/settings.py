"""Settings from PAK3H_* environment variables, read once, at the edge, into a frozen object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from pak3h_tasks.errors import SettingsError

BEAVER_DAM = "PKU-Alignment/beaver-dam-7b@3a5b70888869f04336d0d8344185ed74268ef896"


def _default_cache_dir() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("pak3h")


class Settings(BaseSettings):
    """Everything a run can be told through the environment (architecture: Settings).

    Attributes:
        data: Folder or ``hub:owner/name@revision``; None: the embedded sample.
        cache_dir: Where spools and the answer cache live.
        judge: Judge model name, ``none``, or ``auto`` (gpt-4o-mini when a key or base URL is set, else none).
        judge_base_url: OpenAI-compatible server of the judge.
        judge_api_key: Its key; never shown, logged or stored.
        judge_concurrency: Requests in flight at once.
        judge_timeout_s: Seconds until one request counts as failed.
        judge_both_orders: Judge every pair in both orders.
        ti_judge: Judge of truthful/informative; None: same as `judge`. ``hf:TRUTH_MODEL,INFO_MODEL`` for local ones.
        ti_references: Show the reference answers to the TI judge.
        classifier: Hub id@revision, path, ``vllm:URL``, ``none`` or ``auto``.
        classifier_device: Torch device of the classifier.
        autoload: Whether lm-eval sees the tasks by itself (read by `pak3h_tasks._autoload` before this class exists).
    """

    model_config = SettingsConfigDict(
        env_prefix="PAK3H_", frozen=True, extra="ignore", env_ignore_empty=True, populate_by_name=True
    )

    data: str | None = None
    cache_dir: Path = Field(default_factory=_default_cache_dir)
    judge: str = "auto"
    judge_base_url: str | None = Field(
        default=None, validation_alias=AliasChoices("PAK3H_JUDGE_BASE_URL", "OPENAI_BASE_URL")
    )
    judge_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("PAK3H_JUDGE_API_KEY", "OPENAI_API_KEY")
    )
    judge_concurrency: int = Field(default=32, ge=1, le=4096)
    judge_timeout_s: float = Field(default=60, gt=0)
    judge_both_orders: bool = False
    ti_judge: str | None = None
    ti_references: bool = False
    classifier: str = "auto"
    classifier_device: str | None = None
    autoload: bool = True

    @classmethod
    def from_environment(cls, **overrides: Any) -> Settings:
        """Read the environment; keyword arguments (command-line flags) that are not None win.

        Raises:
            SettingsError: A value makes no sense; one line names the variable and what is wrong.
        """
        given = {name: value for name, value in overrides.items() if value is not None}
        unknown = set(given) - set(cls.model_fields)
        if unknown:
            raise SettingsError(f"unknown settings: {', '.join(sorted(unknown))}")
        try:
            settings = cls()
            return cls.model_validate({**settings.model_dump(), **given}) if given else settings
        except ValidationError as error:
            faults = "; ".join(
                f"{_variable(fault['loc'])}: {fault['msg'].lower()} (got {fault['input']!r})"
                if "key" not in _variable(fault["loc"]).lower()
                else f"{_variable(fault['loc'])}: {fault['msg'].lower()}"
                for fault in error.errors()
            )
            raise SettingsError(faults) from None


def _variable(loc: tuple[int | str, ...]) -> str:
    name = str(loc[0]) if loc else "settings"
    return name if name.isupper() else f"PAK3H_{name.upper()}"
