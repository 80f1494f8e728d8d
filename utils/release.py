"""Wheel and sdist of the last commit, checked and tried in empty environments, with release notes. Uploads nothing.

python utils/release.py --homepage URL [--repository URL] [-o DIR]     (bash utils/release is the same, by .venv)
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import release_contents as contents
from install import ROOT
from release_install import InstallError, find_python, try_wheel
from release_ready import NAME, ReleaseError, git, refusals, section, version_of

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
URLS = ("Homepage", "Repository", "Documentation", "Issues", "Changelog")
LINK_TO_FILE = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!\w+:|#)(?P<file>[^)\s]+)\)")


def unpack(folder: Path) -> None:
    """The last commit's files, and nothing else that lies in the checkout."""
    with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", "HEAD"))) as archive:
        archive.extractall(folder, filter="data")


def apply_settings(tree: Path, urls: dict[str, str], files: str | None) -> None:
    """Write the URLs into pyproject.toml, and the address of the files into the README's links to them."""
    if urls:
        with (tree / "pyproject.toml").open("a", encoding="utf-8", newline="\n") as project:
            project.write("\n[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in urls.items()))
    readme = tree / "README.md"
    text = readme.read_text("utf-8")
    if files:
        page, raw = files.rstrip("/"), files.rstrip("/").replace("/blob/", "/raw/")
        text = LINK_TO_FILE.sub(
            lambda link: f"{link['image']}[{link['text']}]({raw if link['image'] else page}/{link['file']})", text
        )
        readme.write_bytes(text.encode())
    elif links := len(LINK_TO_FILE.findall(text)):
        print(
            f"note: {links} links of README.md to files lead nowhere on an index's page; --files URL makes them whole"
        )


def build(tree: Path, folder: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel from it, with the time of the commit in both, so that a second build is the same."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(tree)]
    epoch = git("log", "-1", "--format=%ct").decode().strip()
    done = subprocess.run(
        command, env={**os.environ, "SOURCE_DATE_EPOCH": epoch}, check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise ReleaseError("the build failed:\n" + "\n".join((done.stdout + done.stderr).splitlines()[-15:]))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def check(tree: Path, wheel: Path, sdist: Path, version: str, urls: dict[str, str]) -> str:
    """Everything about the two files that can be checked without installing them; returns a line about them.

    Raises:
        ReleaseError: A line for each fault.
    """
    tracked = contents.files_of_tree(tree)
    in_wheel, in_sdist = contents.files_of_archive(wheel), contents.files_of_archive(sdist)
    faults = [
        *contents.differences("wheel", in_wheel, contents.expected_wheel(tracked)),
        *contents.differences("sdist", in_sdist, contents.expected_sdist(tracked)),
        *contents.metadata_faults(in_wheel, in_sdist, version, urls),
        *contents.private_parts("sdist", in_sdist, [ROOT, Path.home(), tree]),
        *contents.private_parts("wheel", in_wheel, [ROOT, Path.home(), tree]),
    ]
    if wheel.name != f"{NAME}-{version}-py3-none-any.whl" or sdist.name != f"{NAME}-{version}.tar.gz":
        faults.append(f"the files are named {wheel.name} and {sdist.name}")
    twine = [sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)]
    done = subprocess.run(twine, check=False, capture_output=True, text=True)
    if done.returncode:
        faults.append(f"twine check --strict: {(done.stdout + done.stderr).strip()}")
    if faults:
        raise ReleaseError("\n".join(faults))
    sizes = " and ".join(
        f"{path.name} ({path.stat().st_size / 1e6:.1f} MB, {len(files)} files)"
        for path, files in ((wheel, in_wheel), (sdist, in_sdist))
    )
    return f"{sizes}: all that is tracked and nothing else, and twine check --strict passes"


def try_everywhere(wheel: Path, folder: Path, version: str, wanted: list[str]) -> list[str]:
    """Try the wheel with each Python; returns with which Pythons and versions of lm-eval it was right.

    Raises:
        ReleaseError: It was wrong with one of them.
    """
    right = []
    for number, name in enumerate(wanted):
        interpreter = find_python(name)
        if interpreter is None:
            print(f"Python {name}: NOT TRIED, there is none on this machine", flush=True)
            continue
        path, full = interpreter
        try:
            used, line = try_wheel(path, wheel, folder / str(number), version)
        except InstallError as error:
            raise ReleaseError(f"Python {full}: {error}") from None
        print(f"Python {full}, {line}", flush=True)
        right += [f"Python {full} with lm-eval {lm_eval}" for lm_eval in used]
    return right


def notes(changelog: str, version: str, commit: str, tried: list[str], files: list[Path]) -> str:
    """The version's section of CHANGELOG.md, an item a line as pages of releases need it; what was tried; digests."""
    found = section(changelog, version)
    told = re.sub(r"\n  +(?=[^\s-])", " ", found[1]) if found else ""
    digests = [f"`{path.name}` sha256 `{hashlib.sha256(path.read_bytes()).hexdigest()}`" for path in files]
    parts = [f"# Pak3H-tasks {version}", told]
    for heading, lines in (("Tried", tried), (f"Files of commit {commit}", digests)):
        parts += [f"## {heading}", "\n".join(f"- {line}" for line in lines)] if lines else []
    return "\n\n".join(parts) + "\n"


def release(options: argparse.Namespace, work: Path) -> None:
    """Do all of it in a folder, and move the files to where they are wanted when nothing is wrong.

    Raises:
        ReleaseError: Why not.
    """
    urls = {name: url for name in URLS if (url := getattr(options, name.lower()))}
    tree = work / "tree"
    unpack(tree)
    version = version_of(tree)
    reasons = list(refusals(tree, version, urls, options.without_urls))
    if reasons and not options.rehearsal:
        raise ReleaseError("\n".join(reasons))
    print(*(f"note, a release would be refused: {reason}" for reason in reasons), sep="\n", end="\n" if reasons else "")
    apply_settings(tree, urls, options.files)
    wheel, sdist = build(tree, work / "built")
    print(check(tree, wheel, sdist, version, urls), flush=True)
    tried = [] if options.skip_install else try_everywhere(wheel, work, version, options.python or list(PYTHONS))
    if not tried:
        print("installed nowhere: nobody knows whether it works")

    options.output.mkdir(parents=True, exist_ok=True)
    wheel, sdist = (Path(shutil.copy(path, options.output)) for path in (wheel, sdist))
    commit = git("rev-parse", "HEAD").decode().strip()
    about = options.output / f"release-notes-{version}.md"
    text = notes((tree / "CHANGELOG.md").read_text("utf-8"), version, commit, tried, [wheel, sdist])
    about.write_text(text, encoding="utf-8", newline="\n")
    print(f"release notes: {about}")
    if options.rehearsal:
        print("a rehearsal: nothing here is to be published")
        return
    print(
        "Nothing was uploaded or tagged. These would:",
        f'  git tag -a v{version} {commit[:12]} -m "Pak3H-tasks {version}"',
        f"  git push origin v{version}",
        f"  {shlex.join(['python', '-m', 'twine', 'upload', str(wheel), str(sdist)])}",
        sep="\n",
    )


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="release", description=(__doc__ or "").splitlines()[0])
    made.add_argument(
        "-o", "--output", type=Path, default=ROOT / "dist", metavar="DIR", help="where the files go (dist)"
    )
    for name in URLS:
        variable = f"PAK3H_{name.upper()}"
        made.add_argument(
            f"--{name.lower()}", metavar="URL", default=os.environ.get(variable), help=f"project URL ({variable})"
        )
    made.add_argument("--without-urls", action="store_true", help="release without any project URL")
    made.add_argument(
        "--files", metavar="URL", help="where this version's files are read (.../blob/vX): for README's links"
    )
    made.add_argument(
        "--python", action="append", metavar="3.X|PATH", help=f"try with this one; repeatable ({' '.join(PYTHONS)})"
    )
    made.add_argument("--skip-install", action="store_true", help="build and check only")
    made.add_argument("--rehearsal", action="store_true", help="go on where a release would be refused, and say why")
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="pak3h-release-") as work:
            release(options, Path(work).resolve())
    except ReleaseError as error:
        print(*(f"release: {line}" for line in str(error).splitlines()), sep="\n", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
