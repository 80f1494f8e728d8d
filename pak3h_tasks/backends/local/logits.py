"""What a local causal model says next: probabilities of given continuations, short greedy replies with their logits.

Rows are padded on the left here, whatever the tokenizer would do, with positions counted from the first real token: the
last position of every row is then its own last token, and only that one has to go through the output layer.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

_TOP = 5
_POSITIONS = 4


class Continuations(NamedTuple):
    """A prompt and continuations of it.

    Attributes:
        prompt: Token ids.
        labels: Token ids of each continuation, at least one each; those of more than one token come one a row.
    """

    prompt: tuple[int, ...]
    labels: tuple[tuple[int, ...], ...]

    @property
    def input_ids(self) -> tuple[int, ...]:
        """What goes into the model: the prompt and all but the last token of the continuation."""
        return self.prompt + self.labels[0][:-1]


class Generated(NamedTuple):
    """A greedy reply.

    Attributes:
        ids: New token ids, end of sequence included where it came.
        top: For the first positions: (token id, natural log-probability) of the most probable tokens.
    """

    ids: tuple[int, ...]
    top: tuple[tuple[tuple[int, float], ...], ...]


def rows_for(prompt: tuple[int, ...], labels: Sequence[tuple[int, ...]]) -> list[tuple[Continuations, tuple[int, ...]]]:
    """Rows that score all labels, each with the indices of its labels; single-token labels share one row."""
    single = tuple(index for index, label in enumerate(labels) if len(label) == 1)
    rows = [(Continuations(prompt, tuple(labels[index] for index in single)), single)] if single else []
    rows += [(Continuations(prompt, (label,)), (index,)) for index, label in enumerate(labels) if len(label) > 1]
    return rows


def continuation_logprobs(model: Any, batch: Sequence[Continuations], pad_id: int) -> list[tuple[float, ...]]:
    """Natural log-probability of each continuation: the sum over its tokens, each given those before it.

    Args:
        model: A transformers causal language model in eval mode.
        batch: Rows, of any lengths.
        pad_id: Any valid id; padding is masked.

    Returns:
        One tuple a row, one value a continuation.
    """
    import torch

    keep = max(len(row.labels[0]) for row in batch)
    ids, mask = _left_padded([row.input_ids for row in batch], pad_id, model.device)
    with torch.inference_mode():
        logits = model(**_inputs(model, ids, mask, keep)).logits[:, -keep:].float()
        logprobs = logits.log_softmax(-1)
    values: list[tuple[float, ...]] = []
    for number, row in enumerate(batch):
        places = range(keep - len(row.labels[0]), keep)
        values.append(
            tuple(
                sum(float(logprobs[number, place, token]) for place, token in zip(places, label, strict=True))
                for label in row.labels
            )
        )
    return values


def greedy_replies(
    model: Any, prompts: Sequence[Sequence[int]], pad_id: int, end_ids: frozenset[int], max_new_tokens: int
) -> list[Generated]:
    """Greedy continuations with the raw log-probabilities of their first positions."""
    import torch

    ids, mask = _left_padded(prompts, pad_id, model.device)
    with torch.inference_mode():
        made = model.generate(
            input_ids=ids,
            attention_mask=mask,
            do_sample=False,
            max_new_tokens=max_new_tokens,
            output_logits=True,
            return_dict_in_generate=True,
        )
        best = [logits.float().log_softmax(-1).topk(_TOP) for logits in made.logits[:_POSITIONS]]
    replies = []
    for row, new in enumerate(made.sequences[:, ids.shape[1] :].tolist()):
        length = next((place + 1 for place, token in enumerate(new) if token in end_ids), len(new))
        top = tuple(
            tuple(zip(position.indices[row].tolist(), position.values[row].tolist(), strict=True))
            for position in best[:length]
        )
        replies.append(Generated(tuple(new[:length]), top))
    return replies


def _left_padded(rows: Sequence[Sequence[int]], pad_id: int, device: Any) -> tuple[Any, Any]:
    import torch

    width = max(len(row) for row in rows)
    ids = torch.full((len(rows), width), pad_id, dtype=torch.long)
    mask = torch.zeros((len(rows), width), dtype=torch.long)
    for number, row in enumerate(rows):
        if row:
            ids[number, -len(row) :] = torch.tensor(list(row), dtype=torch.long)
            mask[number, -len(row) :] = 1
    return ids.to(device), mask.to(device)


def _inputs(model: Any, ids: Any, mask: Any, keep: int) -> dict[str, Any]:
    takes = inspect.signature(model.forward).parameters
    inputs = {"input_ids": ids, "attention_mask": mask, "use_cache": False}
    if "position_ids" in takes:
        inputs["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)
    if "logits_to_keep" in takes:
        inputs["logits_to_keep"] = keep
    return inputs
