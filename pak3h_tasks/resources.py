"""Where the files that ship with the package are: the task YAML, the embedded sample and the primers."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def task_dir() -> Path:
    """Folder of the lm-eval task YAML: inside an installed wheel, or at the top of a source checkout."""
    installed = _PACKAGE / "task_yaml"
    return installed if installed.is_dir() else _PACKAGE.parent / "task_yaml"


def sample_dir() -> Path:
    """Folder of the embedded sample, laid out as any data folder: ``{dataset}/{lang}.jsonl``."""
    return _PACKAGE / "data" / "sample"


def primer_path() -> Path:
    """JSON file of TruthfulQA's six-pair primer in English and Urdu."""
    return _PACKAGE / "data" / "primer.json"
