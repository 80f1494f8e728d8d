"""The commands of docs/publish.md work as they stand there, uploads on a hub of our own."""

import re
import shlex
from pathlib import Path

from pak3h_tasks.cli.main import main
from support.run_folder import write_run

PAGE = Path(__file__).resolve().parents[2] / "docs/publish.md"


def test_the_commands(tmp_path, monkeypatch, capsys):
    write_run(tmp_path / "runs", model="org/model", langs=("ur",), n=10)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    blocks = re.findall(r"```bash\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    assert len(commands) == 3
    for command in commands:
        status = main(shlex.split(command)[1:])
        said = capsys.readouterr().err
        # without a token an upload stops where it would begin
        assert status == ("--push" in command), said
        assert ("HF_TOKEN" in said) == ("--push" in command)
    assert (tmp_path / "published/.eval_results/pak3h.yaml").is_file()
    assert len(list((tmp_path / "published/data/pak3h/org/model").iterdir())) == 2
