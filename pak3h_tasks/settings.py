"""Settings from PAK3H_* environment variables, read once, at the edge, into a frozen object."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from pak3h_tasks.errors import SettingsError, closest

logger = logging.getLogger(__name__)

BEAVER_DAM = "PKU-Alignment/beaver-dam-7b@3a5b70888869f04336d0d8344185ed74268ef896"


def _default_cache_dir() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("pak3h")


class Settings(BaseSettings):
    """Everything a run can be told through the environment (README.md lists them).

    Attributes:
        data: Folder or ``hub:owner/name@revision``; None: the embedded sample.
        cache_dir: Where spools and the answer cache live.
        cache: Whether judges' answers are kept: ``on``; ``read``: those there are used, none is added; ``off``.
        ask_again: Ask once more what a judge refused, or answered so that it could not be read.
        judge: Judge model name; ``hf:MODEL`` for a local one; ``none``; or ``auto``, see `judge_model`.
        judge_base_url: OpenAI-compatible server of the judge.
        judge_api_key: Its key; never shown, logged or stored.
        judge_concurrency: Requests in flight at once.
        judge_timeout_s: Seconds until one request counts as failed.
        judge_max_tokens: Tokens a served judge's reply may have; None: a few, or 2,048 where it thinks first.
        judge_api_version: Version of Azure's classic interface; None: the URL's, or the last general release.
        judge_both_orders: Judge every pair in both orders.
        pairwise_prompt: File with another prompt for pairs, or ``alpaca-eval`` for that of the installed package.
        judge_device: Torch device of local judges.
        judge_dtype: Number format of local judges: auto, float32, bfloat16 or float16.
        ti_judge: Judge of truthful/informative; None: same as `judge`. ``hf:TRUTH_MODEL,INFO_MODEL`` for local ones.
        ti_references: Show the reference answers to the TI judge.
        classifier: Hub id@revision, path, ``vllm:URL``, ``none`` or ``auto``.
        classifier_device: Torch device of the classifier.
        classifier_tokenizer: Tokenizer of a served classifier, as owner/name@revision or a folder; None: Beaver-Dam's.
        classifier_dtype: Its number format: auto, float32, bfloat16 or float16.
        classifier_profile: ``default``, or ``upstream`` for Beaver-Dam's published encoding.
        classifier_max_length: Tokens a pair may have; None: the profile's own.
        classifier_threshold: Unsafe above this probability.
        openai_base_url: Where `judge_base_url` is not set.
        openai_api_key: Where `judge_api_key` is not set.
        autoload: Whether lm-eval sees the tasks by itself (read by `pak3h_tasks._autoload` before this class exists).
    """

    model_config = SettingsConfigDict(
        env_prefix="PAK3H_", frozen=True, extra="ignore", env_ignore_empty=True, populate_by_name=True
    )

    data: str | None = None
    cache_dir: Path = Field(default_factory=_default_cache_dir)
    cache: Literal["on", "read", "off"] = "on"
    ask_again: bool = False
    judge: str = "auto"
    judge_base_url: str | None = None
    judge_api_key: SecretStr | None = None
    judge_concurrency: int = Field(default=32, ge=1, le=1000)
    judge_timeout_s: float = Field(default=60, gt=0)
    judge_max_tokens: int | None = Field(default=None, ge=16)
    judge_api_version: str | None = None
    judge_both_orders: bool = False
    pairwise_prompt: str | None = None
    judge_device: str | None = None
    judge_dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    ti_judge: str | None = None
    ti_references: bool = False
    classifier: str = "auto"
    classifier_device: str | None = None
    classifier_tokenizer: str | None = None
    classifier_dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    classifier_profile: Literal["default", "upstream"] = "default"
    classifier_max_length: int | None = Field(default=None, ge=32)
    classifier_threshold: float = Field(default=0.5, ge=0, lt=1)
    openai_base_url: str | None = Field(default=None, validation_alias="OPENAI_BASE_URL")
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    autoload: bool = True

    @property
    def judge_url(self) -> str | None:
        """Base URL of the judge; None: OpenAI's own."""
        return self.judge_base_url or self.openai_base_url

    @property
    def judge_key(self) -> SecretStr | None:
        """Key of the judge."""
        return self.judge_api_key or self.openai_api_key

    @property
    def judge_model(self) -> str | None:
        """The judge; None: there is none. ``auto`` is gpt-4o-mini where a key or a base URL is set."""
        if self.judge == "auto":
            return "gpt-4o-mini" if self.judge_key or self.judge_url else None
        return None if self.judge == "none" else self.judge

    @property
    def ti_judge_model(self) -> str | None:
        """The judge of truthful and informative; None: there is none."""
        if self.ti_judge in (None, "auto"):
            return self.judge_model
        return None if self.ti_judge == "none" else self.ti_judge

    @property
    def judge_asked_for(self) -> bool:
        """Whether the user named a judge, so that one that cannot be used must stop the run before it costs anything.

        A key that merely lies about in OPENAI_API_KEY is no such wish.
        """
        named = self.judge not in ("auto", "none") or self.ti_judge not in (None, "auto", "none")
        return named or self.judge_base_url is not None or self.judge_api_key is not None

    @property
    def classifier_asked_for(self) -> bool:
        """Whether the user named a classifier."""
        return self.classifier not in ("auto", "none")

    @classmethod
    def from_environment(cls, **overrides: Any) -> Settings:
        """Read the environment; keyword arguments (command-line flags) win, unless they are None or empty.

        Raises:
            SettingsError: A value makes no sense; one line names the variable and what is wrong.
        """
        _refuse_misspelt(cls.model_fields)
        given = {name: value for name, value in overrides.items() if value not in (None, "")}
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


def _refuse_misspelt(known: Iterable[str]) -> None:
    """A misspelt variable is a judge not asked, or other data, which nobody sees in the table of scores.

    Raises:
        SettingsError: A variable is near one of ours; one that is near none is said once, as it may be of another use.
    """
    names = [name.upper() for name in known if not name.startswith("openai_")]
    for variable in sorted(os.environ):
        name = variable.upper().removeprefix("PAK3H_")
        if name == variable.upper() or name in names:
            continue
        if near := closest(name, names):
            raise SettingsError(f"{ascii(variable)[1:-1]} is no setting; did you mean PAK3H_{near}?")
        _say_unknown(variable)


@functools.cache
def _say_unknown(variable: str) -> None:
    logger.warning("pak3h: %s is no setting and is ignored; README.md lists them", ascii(variable)[1:-1])


def _variable(loc: tuple[int | str, ...]) -> str:
    name = str(loc[0]) if loc else "settings"
    return name if name.isupper() else f"PAK3H_{name.upper()}"
