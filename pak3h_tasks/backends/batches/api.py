"""OpenAI's Batch API, over the openai package's own client: nothing is uploaded or paid for twice.

After a kill or a lost connection nobody knows whether a request arrived. So before anything is sent for the second time
the provider is asked what it has: a batch with the record's id in its metadata, a file of its name and size.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pak3h_tasks.backends.batches.ledger import FINAL, Ledger, Record
from pak3h_tasks.backends.servers.address import Address
from pak3h_tasks.backends.servers.client import OpenAIClient, quiet_http_logs
from pak3h_tasks.backends.servers.event_loop import run_coroutine
from pak3h_tasks.backends.servers.failures import Failure, Fate, as_reason
from pak3h_tasks.backends.servers.retry import Patience, RetryPolicy
from pak3h_tasks.errors import BackendError
from pak3h_tasks.files import whole_file

T = TypeVar("T")

METADATA = "pak3h"
_TRANSFER_S = 1800.0
_MOST_BYTES = 4 * 2**30
_PAGE = 100
_MOST_PAGES = 20
_CLOCKS_DIFFER_S = 86_400.0
_NO_SUCH_ROUTE = (404, 405, 501)


class BatchApi:
    """The files and batches of one account.

    Args:
        address: The server, as for online judging.
        api_key: Its key.
        ledger: Where what was done is written down, before the next step.
        timeout_s: Seconds until a request counts as failed; up and downloads have half an hour.
        retry: Patience.
    """

    def __init__(
        self,
        address: Address,
        api_key: str | None,
        ledger: Ledger,
        *,
        timeout_s: float = 60.0,
        retry: RetryPolicy | None = None,
    ) -> None:
        # at Azure's classic interface, files and batches are the resource's, not the deployment's
        self._address = (
            replace(address, url=address.url.partition("/deployments/")[0]) if address.deployment else address
        )
        self._key, self._ledger, self._timeout_s = api_key, ledger, timeout_s
        self._retry = retry if retry is not None else RetryPolicy()

    def submit(self, record: Record) -> None:
        """Upload a record's questions and create its batch, as far as that has not been done.

        Raises:
            BackendError: It cannot be done now; the record says how far it got, and `submit` goes on from there.
        """
        self._run(lambda client: self._submit(client, record))

    def refresh(self, record: Record) -> dict[str, str]:
        """Ask how far a batch is; ids of the files that came back, by kind (``output``, ``errors``)."""
        batch = self._run(lambda client: self._get(client, record))
        _note(record, batch)
        self._ledger.save(record)
        files = {"output": getattr(batch, "output_file_id", None), "errors": getattr(batch, "error_file_id", None)}
        return {kind: name for kind, name in files.items() if name}

    def download(self, file_id: str, path: Path) -> None:
        """Fetch a file, whole or not at all; one that is there is not fetched again."""
        if path.exists():
            return

        async def content(api: Any) -> None:
            with whole_file(path) as part:
                async with api.files.with_streaming_response.content(file_id) as response:
                    with part.open("wb") as stream:
                        async for chunk in response.iter_bytes():
                            stream.write(chunk)

        self._run(
            lambda client: self._of_id(f"fetch file {file_id}", lambda: client.call(content, timeout_s=_TRANSFER_S))
        )

    def find(self, record: Record) -> bool:
        """Whether the provider has a batch of this record, be it one whose creation was interrupted."""
        if record.batch_id is None:
            self._run(lambda client: self._adopt(client, record))
        return record.batch_id is not None

    def cancel(self, record: Record) -> None:
        """Ask for no more answers; those there are still come."""
        batch = self._run(
            lambda client: self._of_id(
                f"cancel batch {record.batch_id}", lambda: client.call(lambda api: api.batches.cancel(record.batch_id))
            )
        )
        _note(record, batch)
        self._ledger.save(record)

    def _run(self, work: Callable[[OpenAIClient], Coroutine[Any, Any, T]]) -> T:
        async def with_client() -> T:
            client = OpenAIClient(self._address, self._key, self._timeout_s, most_bytes=_MOST_BYTES)
            try:
                return await work(client)
            finally:
                await client.close()

        with quiet_http_logs():
            return run_coroutine(with_client)

    async def _get(self, client: OpenAIClient, record: Record) -> Any:
        return await self._of_id(
            f"look at batch {record.batch_id}", lambda: client.call(lambda api: api.batches.retrieve(record.batch_id))
        )

    async def _of_id(self, what: str, call: Callable[[], Awaitable[T | Failure]]) -> T | Failure:
        outcome = await self._persist(what, call, unless=(404,))
        if isinstance(outcome, Failure):
            raise BackendError(
                f"{self._address.url}: cannot {what}: the server knows none of that name (HTTP 404): deleted, or "
                "of the account of another key. pak3h batch cancel --forget gives a batch up"
            )
        return outcome

    async def _submit(self, client: OpenAIClient, record: Record) -> None:
        path = self._ledger.path(record)
        if record.batch_id is None and record.file_id is None:
            await self._adopt(client, record)  # what a process that was killed may have sent
        if record.file_id is None and record.batch_id is None:
            await self._persist(
                "upload the questions",
                lambda: client.call(lambda api: _upload(api, path, record), timeout_s=_TRANSFER_S),
                self._retrace(client, record),
            )
            self._ledger.save(record)
        if record.batch_id is None:
            await self._adopt(client, record)
        if record.batch_id is None:
            await self._persist("create the batch", lambda: self._create(client, record), self._retrace(client, record))
        self._ledger.save(record)

    async def _create(self, client: OpenAIClient, record: Record) -> Any:
        record.creating = True
        self._ledger.save(record)
        outcome = await client.call(lambda api: _create(api, record))
        refused = isinstance(outcome, Failure) and outcome.status is not None and outcome.status < 500
        if refused or not isinstance(outcome, Failure):
            record.creating = False
            self._ledger.save(record)
        return outcome

    def _retrace(self, client: OpenAIClient, record: Record) -> Callable[[], Awaitable[bool]]:
        """After a failure in the middle: whether the provider has it after all."""

        async def there() -> bool:
            before = (record.file_id, record.batch_id)
            await self._adopt(client, record)
            return (record.file_id, record.batch_id) != before

        return there

    async def _adopt(self, client: OpenAIClient, record: Record) -> None:
        """Take over the batch, or else the file, that an earlier try has left at the provider.

        Raises:
            BackendError: A batch may be there, and the provider does not say.
        """

        def ours(batch: Any) -> bool:
            metadata = getattr(batch, "metadata", None)
            return isinstance(metadata, dict) and metadata.get(METADATA) == record.id

        batch = await self._find(client, lambda api: api.batches, ours, record)
        if isinstance(batch, Failure):
            if record.creating:
                raise BackendError(
                    f"{self._address.url}: the connection broke while batch {record.id} was being created, and this "
                    "server lists no batches, so submitting it again might pay twice. Look for it on the provider's "
                    f"pages: pak3h batch import takes its output; pak3h batch cancel --forget {record.id} gives it up"
                )
            batch = None
        if batch is not None:
            record.creating = False
            record.batch_id, record.file_id = str(batch.id), str(batch.input_file_id)
            _note(record, batch)
        elif record.file_id is None:
            file = await self._find(
                client,
                lambda api: api.files,
                lambda file: getattr(file, "filename", None) == _filename(record) and file.bytes == record.bytes,
                record,
            )
            record.file_id = None if file is None or isinstance(file, Failure) else str(file.id)
        self._ledger.save(record)

    async def _find(
        self, client: OpenAIClient, which: Callable[[Any], Any], ours: Callable[[Any], bool], record: Record
    ) -> Any:
        """The newest entry of a list that is ours; None: there is none. A `Failure`: the provider has no such list."""
        last = None
        for _ in range(_MOST_PAGES):
            after: dict[str, str] = {} if last is None else {"after": last}
            page = await self._persist(
                "see what is there already",
                lambda after=after: client.call(lambda api: _page(which(api), after)),  # type: ignore[misc]
                unless=_NO_SUCH_ROUTE,
            )
            if isinstance(page, Failure):
                return page
            entries = list(getattr(page, "data", None) or [])
            for entry in entries:
                if ours(entry):
                    return entry
            oldest = min((getattr(entry, "created_at", 0) or 0 for entry in entries), default=0)
            if len(entries) < _PAGE or oldest < record.began - _CLOCKS_DIFFER_S or entries[-1].id == last:
                break
            last = entries[-1].id
        return None

    async def _persist(
        self,
        what: str,
        call: Callable[[], Awaitable[T | Failure]],
        done: Callable[[], Awaitable[bool]] | None = None,
        *,
        unless: tuple[int, ...] = (),
    ) -> T | Failure:
        """What a call gives, after retries.

        Args:
            what: It does, for the error.
            call: Makes the call.
            done: Asked after a failure that may have been a success: whether it is done.
            unless: Statuses that are handed back.

        Raises:
            BackendError: It failed for good.
        """
        patience, tries = Patience(self._retry), 0
        while True:
            outcome = await call()
            if not isinstance(outcome, Failure) or outcome.status in unless:
                return outcome
            tries += 1
            then = patience.after(outcome, tries)
            if then.delay_s is None:
                raise BackendError(f"{self._address.url}: cannot {what}: {then.reason}")
            await asyncio.sleep(then.delay_s)
            if done is not None and outcome.fate is Fate.RETRY and await done():
                return outcome


async def _upload(api: Any, path: Path, record: Record) -> Any:
    with path.open("rb") as stream:
        file = await api.files.create(file=(_filename(record), stream, "application/jsonl"), purpose="batch")
    size = getattr(file, "bytes", None)
    if isinstance(size, int) and size != record.bytes:
        return Failure(Fate.RETRY, f"{size:,} of {record.bytes:,} bytes have arrived")
    record.file_id = str(file.id)
    return file


async def _create(api: Any, record: Record) -> Any:
    batch = await api.batches.create(
        input_file_id=record.file_id,
        endpoint=record.endpoint,
        completion_window="24h",
        metadata={METADATA: record.id},
    )
    record.batch_id = str(batch.id)
    _note(record, batch)
    return batch


async def _page(resource: Any, after: dict[str, str]) -> Any:
    # the first page only, where iterating the paginator would fetch them all
    return await resource.list(limit=_PAGE, **after)


def _filename(record: Record) -> str:
    return f"pak3h-{record.id}.jsonl"


def _note(record: Record, batch: Any) -> None:
    """What the provider says of a batch, into its record."""
    record.status = str(getattr(batch, "status", None) or "unknown")
    counts = getattr(batch, "request_counts", None)
    record.done = int(getattr(counts, "completed", 0) or 0)
    record.failed = int(getattr(counts, "failed", 0) or 0)
    faults = getattr(getattr(batch, "errors", None), "data", None) or []
    said = "; ".join(str(getattr(fault, "message", fault)) for fault in faults[:3])
    record.said = as_reason(said) if record.status in FINAL and said else ""
