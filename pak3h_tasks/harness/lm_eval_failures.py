"""What a user can mend of the exceptions that lm-eval raises, each in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pak3h_tasks.errors import described, did_you_mean
from pak3h_tasks.harness.lm_eval_mistakes import model_argument


def explain(error: BaseException, command: Any) -> str | None:
    """What went wrong and its remedy; None: nothing that is known, so that its traceback is needed.

    Args:
        error: What lm-eval raised.
        command: Its ``EvaluatorConfig`` or parsed arguments; None where these could not be read.
    """
    if not isinstance(error, Exception):
        return None
    texts = [f"{type(each).__name__}: {each}" for each in _chain(error)]
    for pattern, remedy in _KNOWN.items():
        match = next(filter(None, (re.search(pattern, text) for text in texts)), None)
        if match is not None:
            return remedy.format(*match.groups(), **_words(command))
    places = _places(error)
    if places and places[-1].startswith(("lm_eval._cli", "lm_eval.config")):
        return str(error)  # lm-eval's own check of its command line
    if any(place.endswith((":create_from_arg_obj", ":create_from_arg_string", ":get_model")) for place in places):
        return (
            f"--model {_words(command)['lm']} could not be loaded ({described(error)}); check --model_args; "
            "LMEVAL_LOG_LEVEL=DEBUG shows the whole traceback"
        )
    return None


_NO_GPU = "--device: PyTorch sees no such GPU here; use --device cpu, or leave it out"
_MESSAGES = "--model {lm} takes chat messages: add --apply_chat_template"
_KNOWN = {
    r"__init__\(\) missing \d+ required .*argument.*?: '(\w+)'": "--model {lm} needs --model_args {0}=...",
    r"Attempted to load model": "--model {lm}: lm-eval has no such model{near}",
    r"couldn't connect to 'https?://hugging|not a valid model identifier|Repo id must be|not a local folder"
    r"|RepositoryNotFound|GatedRepo|LocalEntryNotFound|OfflineMode": (
        "--model_args {weights}: no folder here, and the Hugging Face Hub gave no such model; check the name, the "
        "connection (HF_HUB_OFFLINE) and, for a gated one, hf auth login"
    ),
    r"Unrecognized model in": "--model_args {weights}: holds no model (no config.json that says which)",
    r"not compiled with CUDA|No CUDA GPUs|Found no NVIDIA|invalid device ordinal": _NO_GPU,
    r"OutOfMemoryError|CUDA out of memory": (
        "the GPU's memory is full; give a smaller --batch_size, or --model_args dtype=bfloat16"
    ),
    r"Missing(?:Schema|Host)|Invalid(?:URL|Schema)": (
        "--model {lm}: {base_url} is no address of a server; --model_args base_url=http://HOST:PORT/v1/..., as a whole"
    ),
    r"ConnectionError|ClientConnect|ConnectError|Connection refused|NameResolution|ConnectTimeout": (
        "no server answers at {base_url}; start it, or correct base_url in --model_args"
    ),
    r"\b40[13]\b.*(?:Unauthorized|Forbidden)": "{base_url} refuses the key; set OPENAI_API_KEY to that of the server",
    r"\b404\b.*Not Found": (
        "the server at {base_url} knows no such address, or no model {model}; base_url is the whole address, such as "
        "http://HOST:PORT/v1/completions or http://HOST:PORT/v1/chat/completions"
    ),
    r"max tokens to generate \((\d+)\) must be less than .*?\((\d+)\)": (
        "the model's context has {1} tokens, and {0} were to be generated; give fewer: --gen_kwargs max_gen_toks=..."
    ),
    r"chat_template is not set|no chat template": "this model has no chat template; leave --apply_chat_template out",
    r"messages as list\[dict\]|require the --apply_chat_template": _MESSAGES,
    r"[Ll]oglikelihoods? .*(?:not supported|only supported)|No support for logits": (
        "--model {lm} gives no likelihoods; --tasks pak3h_generation_ur (or _en) needs none"
    ),
    r"Elements of --samples .* k=(\d+)": "--samples: the task has {0} items, numbered from 0",
    r"could not convert string to float: (.*)": "{0} is no number; check --gen_kwargs and --model_args",
    r"No module named '(\w+)'": "--model {lm}: the package {0} is not installed here",
    r"Specify --output_path": "--log_samples and --predict_only need a folder: add --output_path out",
    r"Need to specify task|No tasks specified": (
        "--tasks is missing, such as --tasks pak3h_ur; pak3h run ls tasks lists them all"
    ),
    r"(API key not found.*)": "{0}",
    r"(Invalid JSON: .*)": "{0}",
    r"(Config file not found: .*)": "{0}",
}
"""Pattern in the type and text of an exception or of its causes -> what to say; the first that matches."""


def _words(command: Any) -> dict[str, str]:
    from lm_eval.models import MODEL_MAPPING

    model = getattr(command, "model", None) or "hf"
    given = {name: model_argument(command, name) for name in ("pretrained", "tokenizer", "model", "base_url")}
    named = [f"{name}={given[name]}" for name in ("pretrained", "tokenizer", "model") if given[name]]
    return {
        "lm": model,
        "weights": named[0] if named else "names no pretrained=, tokenizer= or model=",
        "near": did_you_mean(model, MODEL_MAPPING) or "; some are hf, vllm, local-completions, local-chat-completions",
        "base_url": given["base_url"] or "the address",
        "model": given["model"],
    }


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        following = following.__cause__ or following.__context__


def _places(error: BaseException) -> list[str]:
    """``module:function`` of each frame, outermost first."""
    found, trace = [], error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        found.append(f"{frame.f_globals.get('__name__')}:{frame.f_code.co_name}")
        trace = trace.tb_next
    return found
