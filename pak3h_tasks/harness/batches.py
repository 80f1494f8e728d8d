"""Batches of the harness: which judges a batch can ask, where its records are, and one step of each kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from pak3h_tasks.backends.batches.api import BatchApi
from pak3h_tasks.backends.batches.ledger import FINAL, Ledger, Record, batches_path
from pak3h_tasks.backends.batches.outputs import Taken, take
from pak3h_tasks.backends.batches.unsent import Note, Unsent
from pak3h_tasks.backends.cache import AnswerCache, cache_path
from pak3h_tasks.backends.protocol import Backend, rough_tokens
from pak3h_tasks.backends.servers.address import Address, urls_of
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.backends.servers.client import checked_key
from pak3h_tasks.backends.servers.constrain import Form
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.harness.judges import OpenChat, chat_backend
from pak3h_tasks.settings import Settings


def ledger_of(settings: Settings) -> Ledger:
    """The records beside the answer cache."""
    return Ledger(batches_path(settings.cache_dir))


def unsent(note: Note | None = None, tokens_of: Callable[[str], Callable[[str], float]] | None = None) -> OpenChat:
    """Opens judges that ask nobody; local ones, which cost nothing, stay what they are.

    Args:
        note: See `Unsent`.
        tokens_of: Makes a counter of tokens of a judge's name.
    """

    def opened(model: str, settings: Settings) -> Backend:
        judge = chat_backend(model, settings)
        counter = rough_tokens if tokens_of is None else tokens_of(model)
        return Unsent(judge, note, counter) if isinstance(judge, OpenAIChat) else judge

    return opened


def noting(note: Note, *, form: Form | None = None, without: Iterable[str] = (), known: bool = False) -> OpenChat:
    """Opens judges whose questions go into files; local ones answer when scores are made.

    Args:
        note: Takes the questions.
        form: How replies are held to the labels, where the server is not asked.
        without: Parameters that questions are put without.
        known: Whether `form` and `without` say what the server takes.
    """

    def opened(model: str, settings: Settings) -> Backend:
        judge = chat_backend(model, settings)
        if not isinstance(judge, OpenAIChat):
            return judge
        if known:
            dialect = dataclasses.replace(judge.dialect, form=form, refused=frozenset(without), seek_form=False)
            judge.served.dialect = dialect
        return Unsent(judge, note)

    return opened


def server_url(model: str, settings: Settings) -> str:
    """Base URL of a judge, without credentials, as records have it."""
    return _address(model, settings).url


def api_of(record: Record, settings: Settings) -> BatchApi:
    """The provider that a record's batch is at: that of the settings."""
    return BatchApi(
        _address(record.model, settings), _key(settings), ledger_of(settings), timeout_s=settings.judge_timeout_s
    )


def collect(record: Record, settings: Settings) -> Taken | None:
    """Put what has come back of a batch into the cache, if nothing more will come; None: it is still running."""
    ledger, api = ledger_of(settings), api_of(record, settings)
    if record.batch_id is None:
        api.submit(record)
    if not ledger.path(record).exists() and record.file_id is not None:
        api.download(record.file_id, ledger.path(record))  # replies are told by their questions
    files = api.refresh(record)
    if record.status not in FINAL:
        return None
    paths = []
    for kind, name in files.items():
        path = ledger.path(record, f"{kind}.jsonl")
        api.download(name, path)
        paths.append(path)
    cache = open_cache(settings)
    taken = take(ledger, [record], paths, cache, _key(settings))
    cache.close()
    if cache.fault:
        raise SettingsError(f"answer cache {cache.path} cannot be written ({cache.fault}); nothing is lost: try again")
    record.taken = True
    ledger.save(record)
    ledger.forget_replies(record)
    return taken


def open_cache(settings: Settings) -> AnswerCache:
    """The answer cache, which answers of batches need.

    Raises:
        SettingsError: The user wants none.
        BackendError: It cannot be written.
    """
    if settings.cache != "on":
        raise SettingsError(f"PAK3H_CACHE={settings.cache}: answers of a batch have no other place; unset it")
    cache = AnswerCache(cache_path(settings.cache_dir))
    cache.require()
    return cache


def saved(settings: Settings) -> dict[str, Any]:
    """The settings that a job needs later on; no key, no URL."""
    names = ["ti_references", "judge_both_orders", "pairwise_prompt", "judge_max_tokens", "judge_api_version", "data",
             "classifier_device", "classifier_dtype", "classifier_tokenizer", "classifier_profile",
             "classifier_max_length", "classifier_threshold"]  # fmt: skip
    if "://" not in settings.classifier:  # an address may hold a password
        names.append("classifier")
    return {"judge": settings.judge_model or "none", "ti_judge": settings.ti_judge_model or "none"} | {
        name: value for name in names if (value := getattr(settings, name)) not in (None, False)
    }


def _address(model: str, settings: Settings) -> Address:
    return Address.parse(urls_of(settings.judge_url)[0], model=model, api_version=settings.judge_api_version)


def _key(settings: Settings) -> str | None:
    key = settings.judge_key
    return checked_key(key.get_secret_value() if key else None)
