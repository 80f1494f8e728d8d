"""What a board's YAML file may say."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, field_validator
from pydantic_core import ErrorDetails

from pak3h_tasks.board.secrets import secret_faults
from pak3h_tasks.board.yaml_file import Loc, YamlFile
from pak3h_tasks.errors import SettingsError, did_you_mean
from pak3h_tasks.settings import Settings
from pak3h_tasks.text.escape import quoted, visible

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]
_WINDOWS = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, protected_namespaces=())


def _shown_name(value: str) -> str:
    if "\n" in value or visible(value) != value:
        raise ValueError(f"holds a line break or a character that nobody sees ({visible(value)!r}); leave it out")
    return value


class BoardModel(_Strict):
    """One model of the board.

    Attributes:
        name: What it is called on every page.
        model: lm-eval's kind of model: hf, vllm, local-chat-completions...
        model_args: lm-eval's ``--model_args``, as a mapping or as it is written there.
        apply_chat_template: True, or the name of one of the model's templates.
        system_instruction: lm-eval's ``--system_instruction``.
        fewshot_as_multiturn: lm-eval's, where it is not its default.
        gen_kwargs: lm-eval's ``--gen_kwargs``.
        num_fewshot: lm-eval's ``--num_fewshot``.
        batch_size: lm-eval's ``--batch_size``; changes no answer, so that no run is made anew for it.
        device: lm-eval's ``--device``; likewise.
        tasks: Other tasks than the board's.
        id: ``developer/model``, under which it is published.
        url: Page about it.
        api_key_env: Environment variable with the key of its server, where it is not OPENAI_API_KEY.
    """

    name: Name
    model: Text = "hf"
    model_args: Text | dict[str, Any] = ""
    apply_chat_template: bool | Text = False
    system_instruction: Text | None = None
    fewshot_as_multiturn: bool | None = None
    gen_kwargs: Text | dict[str, Any] | None = None
    num_fewshot: Annotated[int, Field(ge=0)] | None = None
    batch_size: Annotated[int, Field(ge=1)] | Text | None = None
    device: Text | None = None
    tasks: Annotated[list[Text], Field(min_length=1)] | None = None
    id: Annotated[str, StringConstraints(pattern=r"^\w[\w.-]*/\w[\w.-]*$")] | None = None
    url: Annotated[str, StringConstraints(pattern=r"^https?://\S+$")] | None = None
    api_key_env: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*$")] | None = None

    _name = field_validator("name")(_shown_name)

    @property
    def has_loglikelihoods(self) -> bool:
        """Whether multiple-choice tasks can be asked of it: servers of chat completions give none."""
        return not self.model.endswith("chat-completions") and not self.model.startswith("anthropic-chat")

    def generation(self) -> dict[str, Any]:
        """What determines its answers, beside tasks and data: for the key of its runs."""
        names = ("model", "apply_chat_template", "system_instruction", "fewshot_as_multiturn", "num_fewshot")
        found = {name: getattr(self, name) for name in names}
        return {**found, "model_args": _arguments(self.model_args), "gen_kwargs": _arguments(self.gen_kwargs)}


def _arguments(given: str | dict[str, Any] | None) -> Any:
    """Arguments in one shape, whether written as a mapping or as ``a=1,b=2``."""
    if isinstance(given, str) and "=" in given and not re.search(r"[\[({\"']", given):
        parts = (part.partition("=") for part in given.split(",") if part.strip())
        return {name.strip(): value.strip() for name, _, value in parts}
    if isinstance(given, Mapping):
        return {name: value if isinstance(value, (dict, list)) else str(value) for name, value in given.items()}
    return given or {}


class Judge(_Strict):
    """Who judges, and how: the settings PAK3H_JUDGE and its like, under shorter names."""

    model: Text | None = None
    base_url: Text | None = None
    concurrency: int | None = None
    timeout_s: float | None = None
    max_tokens: int | None = None
    api_version: Text | None = None
    both_orders: bool | None = None
    pairwise_prompt: Text | None = None
    device: Text | None = None
    dtype: Dtype | None = None
    ti_judge: Text | None = None
    ti_references: bool | None = None
    ask_again: bool | None = None
    batch: bool = False


class Classifier(_Strict):
    """Beaver-Dam, or another: the settings PAK3H_CLASSIFIER and its like, under shorter names."""

    model: Text | None = None
    device: Text | None = None
    tokenizer: Text | None = None
    dtype: Dtype | None = None
    profile: Literal["default", "upstream"] | None = None
    max_length: int | None = None
    threshold: float | None = None


def _by_name(value: object) -> object:
    """``judge: gpt-4o-mini`` for ``judge: {model: gpt-4o-mini}``."""
    return {"model": value} if isinstance(value, str) else value


class Board(_Strict):
    """A board.

    Attributes:
        title: Its title.
        output: Folder that is served.
        runs: Folder of the answers.
        models: In any order.
        tasks: Tasks, groups, tags or patterns of all models.
        data: Folder, ``hub:owner/name@revision`` or ``sample``; None: PAK3H_DATA.
        judge: Who judges; None: as the environment says.
        classifier: Likewise.
        limit: Items a task; None: all.
    """

    title: Name = "Pak3H leaderboard"
    output: Text | None = None
    runs: Text | None = None
    models: Annotated[list[BoardModel], Field(min_length=1)]
    tasks: Annotated[list[Text], Field(min_length=1)] = ["pak3h_ur", "pak3h_en"]
    data: Text | None = None
    judge: Annotated[Judge, BeforeValidator(_by_name)] = Judge()
    classifier: Annotated[Classifier, BeforeValidator(_by_name)] = Classifier()
    limit: Annotated[int, Field(ge=1)] | None = None
    # no field of the file
    path: Annotated[Path, Field(exclude=True)] = Path("board.yaml")

    _title = field_validator("title")(_shown_name)

    @property
    def folder(self) -> Path:
        """Where relative paths begin."""
        return self.path.parent

    @property
    def site(self) -> Path:
        """Folder that is served."""
        return self.folder / Path(self.output or self.path.stem).expanduser()

    @property
    def runs_folder(self) -> Path:
        """Folder of the answers: not served, they hold every prompt and every log."""
        return self.folder / Path(self.runs or f"{self.site.name}_runs").expanduser()

    @property
    def data_source(self) -> str | None:
        """Data as `pak3h_tasks.data.load` takes it, from any folder."""
        if self.data is None or self.data.startswith("hub:") or self.data == "sample":
            return self.data
        return str(self.folder / Path(self.data).expanduser())

    def settings(self) -> Settings:
        """The environment's settings, with what the file says instead."""
        judge = {name if name.startswith(("ti_", "pairwise", "ask")) else f"judge_{name}": value
                 for name, value in self.judge if name not in ("model", "batch")}  # fmt: skip
        prompt = self.judge.pairwise_prompt
        if prompt not in (None, "alpaca-eval"):
            judge["pairwise_prompt"] = str(self.folder / Path(str(prompt)).expanduser())
        classifier = {f"classifier_{name}": value for name, value in self.classifier if name != "model"}
        return Settings.from_environment(
            judge=self.judge.model, classifier=self.classifier.model, data=self.data_source, **judge, **classifier
        )

    def slugs(self) -> dict[str, str]:
        """By model name, a name for its files: lower-case ASCII, safe on every system, each once."""
        found = {model.name: _slug(model.name) for model in self.models}
        counts = Counter(found.values())
        return {name: slug if slug and counts[slug] == 1 else f"{slug}-{_digest(name)}".strip("-")
                for name, slug in found.items()}  # fmt: skip


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9._]+", "-", plain).strip("-._")[:60].rstrip("-._")
    return "" if _WINDOWS.fullmatch(slug) else slug


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def read_board(path: Path) -> Board:
    """Read a board's file.

    Raises:
        SettingsError: One line a mistake: file, line, field, and what to do.
    """
    file = YamlFile(path)
    if not isinstance(file.data, dict):
        raise SettingsError(f"{file.name}: holds no board; it begins with models: and a list of them (docs/board.md)")
    faults = [file.at(loc, says) for loc, says in secret_faults(file.data)]
    if not faults:
        try:
            board = Board.model_validate({**file.data, "path": path.absolute()})
            faults = [file.at(loc, says) for loc, says in _twice(board)]
        except ValidationError as error:
            faults = list(_faults(file, error))
    if "path" in file.data:
        faults.append(file.at(("path",), "no such field; output: is the folder that is written"))
    if faults:
        raise SettingsError("\n".join(dict.fromkeys(faults)))
    return board


def _twice(board: Board) -> Iterator[tuple[Loc, str]]:
    names: dict[str, int] = {}
    runs: dict[str, int] = {}
    for number, model in enumerate(board.models):
        name = " ".join(unicodedata.normalize("NFKC", model.name).casefold().split())
        if name in names:
            says = f"{quoted(model.name)} is the name of models[{names[name] + 1}], too; give each its own"
            yield ("models", number, "name"), says
        names.setdefault(name, number)
        made = repr(sorted(model.generation().items(), key=str))
        if made in runs:
            yield ("models", number), f"is run just as models[{runs[made] + 1}] is; remove one, or change a setting"
        runs.setdefault(made, number)


def _faults(file: YamlFile, error: ValidationError) -> Iterator[str]:
    told: dict[Loc, str] = {}
    for fault in error.errors():
        # of a choice of types pydantic tells each branch: one line a field is enough
        loc = tuple(part for part in fault["loc"] if part not in _BRANCHES)
        told.setdefault(loc, _says(fault, loc))
    for loc, says in told.items():
        # a field that is missing under its name, and there under a name like it, is one mistake
        likely = f"did you mean {loc[-1]}?"
        if not any(other[:-1] == loc[:-1] and likely in said for other, said in told.items()):
            yield file.at(loc, says)


_BRANCHES = ("str", "bool", "int", "constrained-str", "constrained-int", "dict[str,any]")
_REMEDIES = {
    "missing": "is missing; give it",
    "string_type": "must be a text; put it in quotes",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number, without quotes",
    "list_type": "must be a list: [a, b], or one a line after -",
    "dict_type": "must be fields with values",
    "model_type": "must be fields with values",
    "string_too_short": "is empty; give it or leave the field out",
    "too_short": "is empty; give at least one",
}


def _says(fault: ErrorDetails, loc: Loc) -> str:
    if fault["type"] == "extra_forbidden":
        parts: dict[str, type[BaseModel]] = {"models": BoardModel, "judge": Judge, "classifier": Classifier}
        model = parts[str(loc[0])] if len(loc) > 1 else Board
        names = [name for name in model.model_fields if name != "path"]
        return "no such field" + (did_you_mean(str(loc[-1]), names) or f"; there are {', '.join(names)}")
    if fault["type"] == "string_pattern_mismatch":
        shapes = {"id": "developer/model", "url": "http://...", "api_key_env": "the NAME of an environment variable"}
        return f"must be {shapes.get(str(loc[-1]), 'a plain name without spaces')}"
    if fault["type"] in _REMEDIES:
        return _REMEDIES[fault["type"]]
    message = fault["msg"].removeprefix("Value error, ")
    return f"{message[:1].lower()}{message[1:]}"
