"""What to install is told in third-party names: nobody is sent to a name of ours that another could register."""

import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from pak3h_tasks import extras

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = [
    path
    for place in ("pak3h_tasks", "task_yaml", "utils", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
    for path in ([ROOT / place] if (ROOT / place).is_file() else (ROOT / place).rglob("*"))
    if path.is_file() and path.suffix not in {".png", ".pyc"}
]
INSTALLS = re.compile(
    r"\b(?:pip3?|pipx|uv|uvx|poetry|pdm|conda)\s+(?:pip\s+|tool\s+)?(?:install|add|run|pak3h)[^\n`|;&]*"
)
# as an index would be asked for it: not the name of a file, nor the last part of a path or URL
OUR_NAME = re.compile(r"(?<![\w/.-])pak3h(?:[-_.]tasks)?(?![\w/.-])")


def sent_to_an_index(text):
    return [found[0] for found in INSTALLS.finditer(text) if OUR_NAME.search(found[0])]


@pytest.mark.parametrize(
    ("text", "caught"),
    [
        ("pip install pak3h-tasks", True),
        ("pip install -U 'pak3h-tasks[hf,localise]'", True),
        ('python -m pip install "torch>=2" pak3h_tasks', True),
        ("uv pip install pak3h-tasks==0.3", True),
        ("pipx install pak3h", True),
        ("uv add pak3h-tasks", True),
        ('pip install ".[hf]"', False),
        ("pip install dist/pak3h_tasks-0.3.0-py3-none-any.whl", False),
        ("pip install git+https://example.org/somebody/pak3h-tasks", False),
        ("pip install 'torch>=2.6'; then pak3h doctor", False),
        ("not installed; pak3h doctor says more", False),
    ],
)
def test_the_search_finds_what_it_is_for(text, caught):
    assert bool(sent_to_an_index(text)) == caught


def test_nothing_that_ships_sends_people_to_a_name_that_is_not_ours():
    assert len(SHIPPED) > 300
    assert {str(path): found for path in SHIPPED if (found := sent_to_an_index(path.read_text("utf-8")))} == {}


@pytest.fixture
def without(monkeypatch):
    """Takes packages away, and the metadata of this one where it is named."""

    def hide(*names):
        real_version, real_requires = metadata.version, metadata.requires

        def version(name):
            if name in names:
                raise metadata.PackageNotFoundError(name)
            return real_version(name)

        def requires(name):
            if name in names:
                raise metadata.PackageNotFoundError(name)
            return real_requires(name)

        monkeypatch.setattr(metadata, "version", version)
        monkeypatch.setattr(metadata, "requires", requires)

    return hide


def test_only_what_is_missing_is_named(without):
    without("torch", "peft")
    # pyproject.toml's own lines
    assert extras.pip_install("hf") == 'pip install "peft>=0.11" "torch>=2.6"'


def test_a_version_that_is_too_old_counts_as_missing(monkeypatch):
    real = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "4.57.0" if name == "transformers" else real(name))
    assert '"transformers>=5"' in extras.pip_install("hf")


def test_every_extra_and_package_can_be_given_to_pip():
    declared = set(metadata.metadata(extras.DISTRIBUTION).get_all("Provides-Extra")) - {"test"}
    assert {"hf", "api", "figures", "localise"} <= declared
    for extra in declared:
        names = re.findall(r'"([^"]+)"', extras.pip_install(extra))
        assert names and all(Requirement(name).specifier for name in names)
    assert extras.pip_install("api") == 'pip install "lm-eval[api]<0.5,>=0.4.13"'
    assert extras.pip_install_package("lm_eval") == 'pip install "lm-eval<0.5,>=0.4.13"'
    assert extras.pip_install_package("six") == 'pip install "six"'


def test_from_a_source_folder_the_checkout_is_installed(without):
    without(extras.DISTRIBUTION)
    assert extras.pip_install("hf") == 'pip install ".[hf]" in the checkout'
