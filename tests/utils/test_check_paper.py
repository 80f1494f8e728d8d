"""The full-size check in small: every known value comes out, and a wrong one is found."""

import subprocess
import sys
from pathlib import Path

import pytest

UTILS = Path(__file__).resolve().parents[2] / "utils"


@pytest.mark.slow
def test_every_known_value_of_a_small_study_comes_out(tmp_path):
    # three items a split are too few for anything but arithmetic, which is what is checked
    command = [sys.executable, str(UTILS / "check_paper.py"), "--scale", "0.005", "--keep", str(tmp_path / "study")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert ", 0 differ" in done.stdout
    paper = tmp_path / "study" / "paper"
    # a value that is changed afterwards is named
    path = paper / "table-4.csv"
    rows = path.read_text(encoding="utf-8").splitlines()
    cells = rows[1].split(",")
    cells[3] = "12.345"
    path.write_text("\n".join([rows[0], ",".join(cells), *rows[2:]]) + "\n", encoding="utf-8")
    code = (
        f"import sys; sys.path.insert(0, {str(UTILS)!r}); from pathlib import Path; import check_paper;"
        f"print(check_paper.check(check_paper.Study(0.005), Path({str(paper)!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "1 differ" in done.stdout
    assert "table-4" in done.stdout
