"""The classifying part of `pak3h moderate`: what is missing in the output is computed and appended batch by batch."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pak3h_tasks.backends.classifier import Classifier
from pak3h_tasks.backends.local.batching import BatchLimits
from pak3h_tasks.backends.local.classifier_checks import LabelMap
from pak3h_tasks.backends.local.ranks import ALONE, Ranks
from pak3h_tasks.backends.open_classifier import open_classifier
from pak3h_tasks.data.moderation_file import (
    ModerationRecord,
    ModerationWriter,
    join_parts,
    part_of,
    prompt_hash,
    read_moderation,
)
from pak3h_tasks.data.moderation_pairs import PairItem
from pak3h_tasks.errors import BackendError, DataError, SettingsError
from pak3h_tasks.files import unusable
from pak3h_tasks.interrupt import says_what_is_kept
from pak3h_tasks.judges.beaver_dam import BeaverDam
from pak3h_tasks.judges.beaver_encoding import PromptResponse
from pak3h_tasks.progress import Progress
from pak3h_tasks.results import Verdict
from pak3h_tasks.settings import BEAVER_DAM, Settings


def classify_pairs(
    items: Sequence[PairItem], settings: Settings, args: argparse.Namespace, *, ranks: Ranks = ALONE
) -> list[ModerationRecord]:
    """A record for each item, in order; only what the output file lacks is computed.

    Under torchrun or accelerate each process classifies its part with its own weights and writes it beside the output;
    the first process puts the parts together, and those that a lost process left in the next run.

    Args:
        items: The pairs.
        settings: The classifier.
        args: Further options of the command line.
        ranks: Which of how many processes this is.

    Returns:
        The records; [] in all processes but the first.

    Raises:
        BackendError: There is no classifier, or it cannot be used.
        DataError: The output file is something else, cannot be written, or another run is writing it.
    """
    output = Path(args.output)
    if ranks.rank == 0:
        join_parts(output)
    ranks.wait()
    earlier = read_moderation(output)
    ranks.wait()  # before anybody writes: all must see the same
    classifier = _classifier(settings, args)
    judge = BeaverDam(classifier, profile=settings.classifier_profile, max_length=settings.classifier_max_length)
    pairs = [PromptResponse(item.prompt, item.response) for item in items]
    keys = [judge.key(pair) for pair in pairs]
    whole, whole_keys, made_by = items, keys, judge.made_by
    written = {record.place: record for record in earlier}
    known = {
        bytes.fromhex(record.key): {name: getattr(record, name) for name in ("probabilities", "truncated", "tokens")}
        for record in earlier
        if record.probabilities is not None
    }
    if ranks.size > 1:
        mine = ranks.share(keys, set(known), [len(pair.prompt) + len(pair.response) for pair in pairs])
        items, pairs, keys = [items[i] for i in mine], [pairs[i] for i in mine], [keys[i] for i in mine]
        output = part_of(output, ranks.rank)
    missing = len(set(keys) - set(known))
    print(
        f"pak3h: {len(items):,} pairs, {missing:,} to classify with {classifier.identity}; results go to {output}",
        file=sys.stderr,
    )
    if missing:
        judge.check()
    found: dict[int, ModerationRecord] = {}
    try:
        # Before the weights: a file that cannot be written should not cost the minutes they take to load.
        with says_what_is_kept(lambda: _kept(keys, output)), ModerationWriter(output) as writer:
            if missing:
                classifier.load()
            with Progress("classifying" if missing else "reading", len(items), unit="pair") as bar:
                for batch in judge.stream(pairs, known):
                    fresh = []
                    for index, verdict in batch:
                        record = _record(items[index], keys[index].hex(), verdict, made_by)
                        found[index] = record
                        if written.get(record.place) != record:
                            fresh.append(record)
                    writer.write(fresh)
                    bar.add(len(batch))
    finally:
        classifier.close()
    records = [found[index] for index in range(len(items))]
    ranks.wait()
    if ranks.rank:
        return []
    if ranks.size > 1:
        joined = {record.place: record for record in join_parts(Path(args.output))}
        records = [joined[item.lang, item.id, key.hex()] for item, key in zip(whole, whole_keys, strict=True)]
    _say_unscored(records)
    return records


def _kept(keys: Sequence[bytes], output: Path) -> str:
    there = {record.key for record in read_moderation(output) if record.probabilities is not None}
    n = sum(key.hex() in there for key in keys)
    return f"pak3h: {n:,} of {len(keys):,} pairs are in {output}; the same command again computes only the rest"


def _record(item: PairItem, key: str, verdict: Verdict, made_by: str) -> ModerationRecord:
    details = verdict.details
    return ModerationRecord(
        key=key,
        lang=item.lang,
        id=item.id,
        localization=item.localization,
        prompt=prompt_hash(item.prompt),
        is_safe=item.is_safe,
        probabilities=details.get("probabilities"),
        truncated=details.get("truncated"),
        tokens=details.get("tokens"),
        reason=verdict.reason,
        made_by=made_by,
        data=item.data,
    )


def _classifier(settings: Settings, args: argparse.Namespace) -> Classifier:
    limits = None
    if args.batch_tokens is not None:
        limits = BatchLimits(tokens=args.batch_tokens)
    classifier = open_classifier(
        settings.classifier,
        device=settings.classifier_device,
        dtype=settings.classifier_dtype,
        label_map=_label_map(args.label_map),
        tokenizer=settings.classifier_tokenizer,
        limits=limits,
    )
    if classifier is None and settings.classifier == "none":
        raise SettingsError("the classifier is none; give --classifier MODEL, or --scored FILE for results you have")
    if classifier is None:
        raise BackendError(
            "no classifier: there is no GPU with room for Beaver-Dam-7B (15 GB); serve it and give "
            f"--classifier vllm:http://HOST:8000, or run it here with --classifier {BEAVER_DAM} "
            "--classifier-device cpu (days for the paper's pairs)"
        )
    return classifier


def _label_map(path: str | None) -> LabelMap | None:
    if path is None:
        return None
    try:
        mapping = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"{path}: {unusable(error)}") from None
    except ValueError as error:
        raise DataError(f'{path}: is not JSON ({error}); write {{"their label": "reported name" or null}}') from None
    if not isinstance(mapping, dict) or not all(value is None or isinstance(value, str) for value in mapping.values()):
        raise DataError(f"{path}: must be one object of label -> reported name or null")
    return mapping


def _say_unscored(records: Sequence[ModerationRecord]) -> None:
    reasons: dict[str, int] = {}
    for record in records:
        if record.probabilities is None:
            reasons[record.reason or "no reason given"] = reasons.get(record.reason or "no reason given", 0) + 1
    for reason, count in sorted(reasons.items(), key=lambda entry: -entry[1])[:5]:
        print(
            f"pak3h: warning: {count:,} pairs not scored: {reason}; run the same command again for them",
            file=sys.stderr,
        )
