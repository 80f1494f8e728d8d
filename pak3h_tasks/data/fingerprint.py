"""What a set of items is called: sha256 over the items themselves, not over the file they came in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from pak3h_tasks.schema import Item


def fingerprint(items: Iterable[Item]) -> str:
    """Sha256 (64 hex digits) of the items in order.

    Each item is one line of JSON: keys sorted, no spaces, texts exactly as given (no normalisation), fields at their
    default left out. So key order, spaces, a byte-order mark, CRLF, compression and the spelling of a localization
    label do not matter, and a later optional field does not change old fingerprints; the order of the items does.
    """
    digest = hashlib.sha256()
    encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode
    for item in items:
        digest.update(encode(item.model_dump(exclude_defaults=True)).encode())
        digest.update(b"\n")
    return digest.hexdigest()
