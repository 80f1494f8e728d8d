"""Wheel and sdist of a release hold what is tracked; what is not ready is refused, a line for each reason."""

import subprocess
import sys
from pathlib import Path

import pytest
import release
import release_contents as contents
import release_install
import release_ready

ROOT = Path(__file__).resolve().parents[2]
needs_git = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no git checkout")
INIT, CHANGELOG = "pak3h_tasks/__init__.py", "CHANGELOG.md"
URLS = {"Homepage": "https://pak3h.example.org/tasks"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The tree of the last commit as the settings change it, and the wheel and sdist built from it."""
    folder = tmp_path_factory.mktemp("release")
    release.unpack(folder / "tree")
    release.apply_settings(folder / "tree", URLS, "https://pak3h.example.org/tasks/blob/v1")
    wheel, sdist = release.build(folder / "tree", folder / "built")
    return folder / "tree", wheel, sdist


@needs_git
def test_the_last_commit_makes_a_whole_wheel_and_sdist(built):
    tree, wheel, sdist = built
    assert "twine check --strict passes" in release.check(tree, wheel, sdist, release_ready.version_of(tree), URLS)
    # git's own list, not the archive that the files were built from
    tracked = set(release_ready.git("ls-tree", "-r", "--name-only", "HEAD").decode().splitlines())
    in_sdist = contents.files_of_archive(sdist).keys()
    assert tracked - in_sdist == {name for name in tracked if name.startswith(contents.EXCLUDED)}
    assert in_sdist - tracked == {"PKG-INFO"}
    in_wheel = contents.files_of_archive(wheel).keys()
    shipped = [name for name in tracked if name.startswith(("pak3h_tasks/", "task_yaml/"))]
    assert {Path(name).suffix for name in shipped} >= {
        ".yaml",
        ".j2",
        ".js",
        ".css",
        ".json",
        ".jsonl",
        ".py",
        ".typed",
    }
    assert {name.replace("task_yaml/", "pak3h_tasks/task_yaml/", 1) for name in shipped} <= in_wheel
    assert "pak3h_autoload.pth" in in_wheel


@needs_git
def test_settings_are_what_an_index_shows(built):
    _, wheel, _ = built
    files = contents.files_of_archive(wheel)
    (metadata,) = (data.decode() for name, data in files.items() if name.endswith("/METADATA"))
    assert "Project-URL: Homepage, https://pak3h.example.org/tasks\n" in metadata
    assert "](https://pak3h.example.org/tasks/blob/v1/docs/" in metadata and "](docs/" not in metadata
    assert "](https://pak3h.example.org/tasks/raw/v1/docs/report.png)" in metadata  # a picture, not the page about it


@needs_git
def test_other_metadata_than_the_settings_are_a_fault(built):
    _, wheel, sdist = built
    files = contents.files_of_archive(wheel), contents.files_of_archive(sdist)
    said = list(contents.metadata_faults(*files, "9.9", {}))
    assert len(said) == 2 and "the release 9.9" in said[0] and "Project-URL" in said[1]


def test_without_settings_nothing_is_written_and_the_links_are_counted(tmp_path, capsys):
    (tmp_path / "README.md").write_text("[a](pages/a.md) ![b](b.png) [c](https://c.example.org) [d](#d)")
    release.apply_settings(tmp_path, {}, None)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    assert "2 links" in capsys.readouterr().out


def test_a_file_too_few_too_many_or_changed_is_named():
    tree = {
        "pak3h_tasks/a.py": b"a",
        "task_yaml/b.yaml": b"b",
        "pak3h_autoload.pth": b"c",
        ".ci/run": b"",
        "x.md": b"x",
    }
    expected = contents.expected_wheel(tree)
    assert expected.keys() == {"pak3h_tasks/a.py", "pak3h_tasks/task_yaml/b.yaml", "pak3h_autoload.pth"}
    assert contents.expected_sdist(tree).keys() == tree.keys() - {".ci/run"}
    assert list(contents.differences("wheel", {**expected, "p-1.dist-info/METADATA": b""}, expected)) == []
    wrong = {"pak3h_tasks/a.py": b"other", "pak3h_autoload.pth": b"c", "pak3h_tasks/.env": b""}
    assert list(contents.differences("wheel", wrong, expected)) == [
        "the wheel lacks pak3h_tasks/task_yaml/b.yaml",
        "the wheel holds what is not tracked: pak3h_tasks/.env",
        "the wheel has other bytes in pak3h_tasks/a.py",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "see /home/" + "alice/data.csv",
        "C:\\\\Users\\\\" + "Alice\\\\data",
        "/root/" + ".cache/pak3h",
        "in /srv/build/here/x",
        "sk-" + "proj-" + "a1B2" * 12,
        "hf_" + "aB3d" * 8 + "xY",
        "ghp_" + "a1B2" * 9,
        "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    ],
)
def test_paths_of_a_machine_and_keys_are_found(text):
    (said,) = contents.private_parts("wheel", {"a/b.py": text.encode()}, [Path("/srv/build/here"), Path("/root")])
    assert "a/b.py" in said


def test_a_key_is_not_printed_whole():
    key = "sk-" + "a1B2" * 12
    (said,) = contents.private_parts("sdist", {"a.py": key.encode()}, [])
    assert "a key in a.py: sk-a1B2a..." in said and key not in said


def test_examples_are_neither_paths_nor_keys():
    text = b"/home/me/models, C:\\Users\\me, sk-test-0123456789abcdef, the /root of it, /srv"
    assert list(contents.private_parts("wheel", {"a.py": text}, [Path("/srv")])) == []


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout that is ready to be released, with one commit."""
    for name, text in (
        (INIT, '__version__ = "1.2.0"\n'),
        (
            CHANGELOG,
            "# Changelog\n\n## 1.2.0 (2026-12-04)\n\n- One thing,\n  on two lines.\n- Another.\n\n## 1.1.0\n\n- Old.\n",
        ),
        ("CITATION.cff", "title: x\nversion: 1.2.0\n"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(release_ready, "ROOT", tmp_path)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    commit(tmp_path)
    return tmp_path


def commit(folder):
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, "commit", "-q", "--no-verify", "-m", "x"], cwd=folder, check=True)


def refused(folder, urls=URLS, without_urls=False):
    return list(release_ready.refusals(folder, release_ready.version_of(folder), urls, without_urls))


def test_what_is_ready_is_not_refused(checkout):
    assert refused(checkout) == []
    assert refused(checkout, urls={}, without_urls=True) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        (INIT, "1.2.0", "1.3.0", "CHANGELOG.md says nothing under '## 1.3.0'"),
        (CHANGELOG, "## 1.2.0", "## 1.2.0.1", "CHANGELOG.md says nothing under '## 1.2.0'"),
        (CHANGELOG, "2026-12-04", "unreleased", "does not say when 1.2.0 is released"),
        (CHANGELOG, "## 1.2.0", "## Unreleased\n\n- New.\n\n## 1.2.0", "lines under '## Unreleased'"),
        ("CITATION.cff", "1.2.0", "1.1.0", "CITATION.cff does not say version: 1.2.0"),
    ],
)
def test_versions_that_do_not_agree_are_refused(checkout, name, old, new, reason):
    path = checkout / name
    path.write_text(path.read_text().replace(old, new, 1))
    commit(checkout)
    said = refused(checkout)
    assert reason in said[0] and all("\n" not in line for line in said)


def test_a_work_tree_that_is_not_the_commit_is_refused(checkout):
    (checkout / "new.py").write_text("")
    (said,) = refused(checkout)
    assert "new.py" in said and said.endswith("commit or stash")


def test_urls_are_settings_and_no_guesses(checkout):
    (said,) = refused(checkout, urls={})
    assert "--homepage" in said and "--without-urls" in said
    (said,) = refused(checkout, urls={"Homepage": "github/pak3h"})
    assert "--homepage github/pak3h is no https:// address" in said


def test_a_tag_of_another_commit_is_refused(checkout):
    subprocess.run(["git", "tag", "v1.2.0"], cwd=checkout, check=True)
    assert refused(checkout) == []
    (checkout / "new.py").write_text("")
    commit(checkout)
    assert "v1.2.0 is the tag of another commit" in refused(checkout)[0]


def test_the_command_ends_with_a_line_for_each_reason_and_writes_nothing(checkout, tmp_path, capsys):
    (checkout / "new.py").write_text("")
    assert release.main(["-o", str(tmp_path / "out")]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and all(line.startswith("release: ") for line in lines)
    assert not (tmp_path / "out").exists()


def test_notes_are_the_section_of_the_version_an_item_a_line(checkout, tmp_path):
    (tmp_path / "p.whl").write_bytes(b"abc")
    changelog = (checkout / CHANGELOG).read_text()
    # the digest of "abc": FIPS 180-2, appendix B.1
    assert release.notes(changelog, "1.2.0", "0a1b", [], [tmp_path / "p.whl"]) == (
        "# Pak3H-tasks 1.2.0\n\n- One thing, on two lines.\n- Another.\n\n## Files of commit 0a1b\n\n"
        "- `p.whl` sha256 `ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad`\n"
    )
    tried = release.notes(changelog, "1.2.0", "0a1b", ["Python 3.12.1 with lm-eval 0.4.13"], [])
    assert tried.endswith("- Another.\n\n## Tried\n\n- Python 3.12.1 with lm-eval 0.4.13\n")


def test_this_python_is_found_by_its_path_and_by_its_version():
    full = ".".join(map(str, sys.version_info[:3]))
    assert release_install.find_python(sys.executable) == (Path(sys.executable), full)
    found = release_install.find_python(full.rpartition(".")[0])
    assert found and found[1].startswith(full.rpartition(".")[0])


def test_a_python_that_is_not_there_is_said(capsys):
    assert release.try_everywhere(Path("x.whl"), Path("x"), "1", ["3.999", "3.1"]) == []
    assert capsys.readouterr().out.count("NOT TRIED") == 2


@needs_git
def test_the_oldest_lm_eval_is_the_one_of_pyproject(built):
    assert f'"lm_eval>={release_install.oldest_lm_eval(built[1])},<0.5"' in (ROOT / "pyproject.toml").read_text("utf-8")
