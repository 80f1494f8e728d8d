"""A board of two tiny random models with a stub judge on 127.0.0.1, in a folder: models, board.yaml, pages.

python utils/board_demo.py FOLDER
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from pak3h_tasks.backends.local.tiny_model import build
from pak3h_tasks.cli.main import main as pak3h
from support.judge_server import MODEL, JudgeServer, fitting

BOARD = """title: Two tiny models and a stub judge
tasks: [pak3h_ur, pak3h_truthfulqa_en]
judge:
  model: {judge}
  base_url: {url}
classifier: none
models:
  - name: Tiny, plain
    model_args: {{pretrained: tiny-0}}
    gen_kwargs: &short {{max_gen_toks: 64}}
    batch_size: 16
    device: cpu
  - name: Tiny, with a chat template
    model_args: {{pretrained: tiny-1}}
    apply_chat_template: true
    gen_kwargs: *short
    batch_size: 16
    device: cpu
"""


def main() -> int:
    """Make it; `pak3h board`'s exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, help="items a task")
    arguments = parser.parse_args()
    # a demo costs nobody anything, whatever keys lie about, and leaves nothing outside its folder
    for name in [name for name in os.environ if name.startswith(("PAK3H_", "OPENAI_"))]:
        del os.environ[name]
    os.environ["PAK3H_CACHE_DIR"] = str(arguments.folder.absolute() / "cache")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(2):
        if not (arguments.folder / f"tiny-{seed}" / "config.json").exists():
            build(arguments.folder / f"tiny-{seed}", seed)
    file = arguments.folder / "board.yaml"
    with JudgeServer(answer=fitting) as server:
        text = BOARD.format(judge=MODEL, url=server.base_url)
        file.write_text(text + (f"limit: {arguments.limit}\n" if arguments.limit else ""), encoding="utf-8")
        status = pak3h(["board", str(file)])
    print("The models are random, so these numbers only show that everything works.")
    print(f"Open in a browser: {arguments.folder.absolute() / 'board' / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
