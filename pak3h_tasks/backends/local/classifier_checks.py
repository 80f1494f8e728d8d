"""What must be true of a classifier before its numbers are believed; each fault was seen to change scores silently."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pak3h_tasks.backends.classifier import Labels
from pak3h_tasks.errors import BackendError
from pak3h_tasks.schema import HARM_CATEGORIES

LabelMap = Mapping[str, str | None]


def checked_labels(names: Sequence[str], label_map: LabelMap | None, where: str) -> Labels:
    """The names under which a model's labels are reported, in its index order.

    Args:
        names: The model's own label names, in index order.
        label_map: Own name -> reported name, or None for a label to leave out; None: must be Beaver-Dam's.
        where: The model, for the message.

    Raises:
        BackendError: Not the 14 harm categories in their order, and no map, or a map that does not fit.
    """
    if label_map is not None:
        if set(label_map) != set(names):
            wrong = ", ".join(map(repr, sorted(set(label_map) ^ set(names))))
            raise BackendError(
                f"{where}: the label map must name exactly the model's {len(names)} labels; check {wrong}"
            )
        labels = tuple(label_map[name] for name in names)
        reported = [label for label in labels if label is not None]
        if not reported or len(set(reported)) != len(reported):
            raise BackendError(f"{where}: the label map must report at least one label, each under a name of its own")
        return labels
    if len(names) != len(HARM_CATEGORIES):
        raise BackendError(
            f"{where}: has {len(names)} labels, Beaver-Dam has {len(HARM_CATEGORIES)}; "
            "for another classifier give its label map"
        )
    for index, (name, expected) in enumerate(zip(names, HARM_CATEGORIES, strict=True)):
        if name != expected:
            raise BackendError(
                f"{where}: label {index} is {name!r}, Beaver-Dam's is {expected!r}; "
                "for another classifier give its label map"
            )
    return HARM_CATEGORIES


def label_map_tag(label_map: LabelMap | None) -> str:
    """What a label map adds to a classifier's identity, since it decides which labels count.

    Example:
        >>> label_map_tag(None), label_map_tag({"LABEL_0": "violence"})
        ('', ',labels:e2672e1f')
    """
    if label_map is None:
        return ""
    return ",labels:" + hashlib.sha256(json.dumps(list(label_map.items())).encode()).hexdigest()[:8]


def check_config(config: Any, label_map: LabelMap | None, where: str) -> Labels:
    """Check a transformers config: several labels, independent of each other, with the right names.

    Raises:
        BackendError: A single-label head, or labels that `checked_labels` refuses.
    """
    id2label = config.id2label or {}
    problem_type = config.problem_type
    if len(id2label) == 1 or problem_type != "multi_label_classification":
        raise BackendError(
            f"{where}: problem_type is {problem_type!r} with {len(id2label)} label(s), "
            "Beaver-Dam's is 'multi_label_classification'; a single-label head has no independent harm probabilities"
        )
    try:
        names = [id2label[index] for index in range(len(id2label))]
    except KeyError as error:
        raise BackendError(f"{where}: id2label has no label {error}; it must number them from 0") from None
    return checked_labels(names, label_map, where)


def check_tokenizer(tokenizer: Any, where: str, config: Any = None) -> None:
    """Check that padding cannot hide the end of a row, and that text cannot pose as a control token.

    Args:
        tokenizer: The model's tokenizer.
        where: The model, for the message.
        config: Its transformers config, where it is at hand (a served model's is not).

    Raises:
        BackendError: No EOS; no padding token, or one that equals EOS or differs from the config's; a vocabulary larger
            than the model's; control tokens that cannot be written as text.
    """
    eos, pad = tokenizer.eos_token_id, tokenizer.pad_token_id
    if eos is None:
        raise BackendError(f"{where}: its tokenizer has no end-of-sequence token, which the score is read from")
    if config is not None:
        text_config = config.get_text_config()
        # The head reads the last token that is not config.pad_token_id (GenericForSequenceClassification).
        if pad is None or pad == eos:
            raise BackendError(
                f"{where}: the padding token is {'missing' if pad is None else 'the end-of-sequence token'}; "
                "the head would read another position: use a tokenizer with a padding token of its own"
            )
        if text_config.pad_token_id != pad:
            raise BackendError(
                f"{where}: config.json says pad_token_id {text_config.pad_token_id}, the tokenizer pads with {pad}; "
                "the head would read the padding: make the two agree"
            )
        if len(tokenizer) > text_config.vocab_size:
            raise BackendError(
                f"{where}: the tokenizer has {len(tokenizer)} tokens, the model {text_config.vocab_size}; "
                "they do not belong together"
            )
    controls = [token for token in {tokenizer.eos_token, tokenizer.bos_token, tokenizer.pad_token} if token]
    ids = tokenizer("".join(controls), add_special_tokens=False, split_special_tokens=True)["input_ids"]
    if {eos, pad, tokenizer.bos_token_id} & set(ids):
        raise BackendError(f"{where}: its tokenizer reads a control token written in an answer as the real one")
