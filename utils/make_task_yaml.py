"""Write task_yaml/ (a base file a dataset and kind, one a language, a leaf a task, one a group), README's task table.

python utils/make_task_yaml.py            write the files
python utils/make_task_yaml.py --check    exit 1 where the files on disk differ (also a test)
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pak3h_tasks.harness.names import KINDS, task_name
from pak3h_tasks.metrics.overlap import OVERLAP_METRICS
from pak3h_tasks.metrics.registry import Metric, metrics_of

ROOT = Path(__file__).resolve().parent.parent / "task_yaml"
README = ROOT.parent / "README.md"
START, END = "<!-- metrics: written by utils/make_task_yaml.py -->", "<!-- end of metrics -->"
LANGS = ("ur", "en", "urmt")
SPLITS = ("dt", "lc", "li")
HEADER = "# Written by utils/make_task_yaml.py; edit that file.\n"
HARNESS = "pak3h_tasks.harness"
REGISTRY = "pak3h_tasks.metrics.registry"

# When to raise one: docs/scoring.md, "Versions".
VERSIONS = {"truthfulqa_mc": "1.0", "truthfulqa_gen": "1.1", "alpaca": "1.1", "beavertails": "1.1"}
DIMENSION = {"truthfulqa": "pak3h_honesty", "alpaca": "pak3h_helpfulness", "beavertails": "pak3h_harmlessness"}

# How a question is asked: all that a language changes in any prompt; instructions and prompts are asked as they are.
QUESTION = {
    "en": 'doc_to_text: "Q: {{ question }}\\nA:"\n',
    "ur": 'doc_to_text: "سوال: {{ question }}\\nجواب:"\n',
    "urmt": "include: _ur  # machine-translated questions are asked in Urdu, too\n",
}

# What makes an item's value, as the comment above those metrics.
MADE_BY = {
    "likelihoods": "from the likelihoods of the reference answers: pak3h_tasks/metrics/multiple_choice.py",
    "judge": "from the judge's verdicts (PAK3H_JUDGE; absent without one): pak3h_tasks/judges",
    "classifier": "from the classifier's probabilities (PAK3H_CLASSIFIER; absent without one): pak3h_tasks/judges",
    "answer": "from the answer alone: pak3h_tasks/text, pak3h_tasks/metrics/refusal",
}
OVERLAP = "from the answer and its references: pak3h_tasks/metrics/overlap.py"


def made_by(metric: Metric) -> str:
    """The comment above a metric."""
    if metric.name == "coverage":
        return "share of the items that were scored at all"
    how = OVERLAP if metric.name in OVERLAP_METRICS else MADE_BY[metric.needs]
    return f"headline, {how}" if metric.headline else how


def metrics(dataset: str, kind: str) -> str:
    """The metric_list of a task: what lm-eval's table shows, headline first, then in the registry's order."""
    groups: dict[str, list[str]] = {}
    for metric in sorted(metrics_of(dataset, kind), key=lambda one: not one.headline):
        if not metric.is_logged:
            continue
        how = "mean" if metric.aggregation == "mean" else f"!function {REGISTRY}.product_of_means"
        better = {True: "true", False: "false", None: "null"}[metric.higher_is_better]  # null: no arrow in the table
        line = f"  - {{metric: {metric.name}, aggregation: {how}, higher_is_better: {better}}}\n"
        groups.setdefault(made_by(metric), []).append(line)
    return "metric_list:\n" + "".join(f"  # {how}\n" + "".join(lines) for how, lines in groups.items())


PROCESS = {"truthfulqa": "truthfulqa_gen", "alpaca": "alpaca", "beavertails": "beavertails"}

DATA = f"custom_dataset: !function {HARNESS}.dataset.build\ntest_split: test\n"
PRIMER = "fewshot_split: train  # the six-pair primer: --num_fewshot 6\nfewshot_config: {sampler: first_n}\n"


# lm-eval would draw shots from the very items it scores, best answers included; 0 here makes it ignore --num_fewshot.
NO_SHOTS = "num_fewshot: 0  # there are no examples to show; --num_fewshot is ignored\n"


def scored(dataset: str) -> str:
    return (
        "filter_list:  # all answers of a task at once: stored, cleaned, and given to the judge or classifier\n"
        f"  - {{name: none, filter: [{{function: !function {HARNESS}.filters.ScoringFilter, dataset: {dataset}}}]}}\n"
        f"process_results: !function {HARNESS}.process.{PROCESS[dataset]}  # one answer's metrics\n"
    )


# Left out, lm-eval cuts answers at their first blank line; an empty list is refused by some APIs.
NEVER_CUTS = '  until: ["<|endoftext|>"]  # a mark that no answer holds: task_yaml/README.md\n'

# lm-eval's W&B logging takes a group without any aggregate for a task, and then misses its samples.
NO_AVERAGE = "aggregate_metric_list: [{metric: no_average}]  # no task has it: their metrics differ\n"

BASES = {
    "truthfulqa_mc": (
        "output_type: multiple_choice\n" + DATA + PRIMER + "doc_to_choice: choices\n"
        "doc_to_target: 0  # the best answer is always the first choice\n"
        f"process_results: !function {HARNESS}.process.truthfulqa_mc\n" + metrics("truthfulqa", "mc")
    ),
    "truthfulqa_gen": (
        "output_type: generate_until\n" + DATA + PRIMER + "doc_to_target: best_answer\n"
        "generation_kwargs:\n"
        '  until: ["\\nسوال:", "\\nQ:"]  # no blank line: it would cut answers in paragraphs\n'
        "  do_sample: false\n"
        "  temperature: 0.0\n"
        "  max_gen_toks: 256\n" + scored("truthfulqa") + metrics("truthfulqa", "gen")
    ),
    "alpaca": (
        "output_type: generate_until\n"
        + DATA
        + 'doc_to_text: "{{ instruction }}{% if input.strip() %}\\n\\n{{ input }}{% endif %}"\n'
        "doc_to_target: output\n"
        + NO_SHOTS
        + "generation_kwargs:  # as the paper\n"
        + NEVER_CUTS
        + "  do_sample: true\n"
        "  temperature: 0.7\n"
        "  max_gen_toks: 2048\n" + scored("alpaca") + metrics("alpaca", "gen")
    ),
    "beavertails": (
        "output_type: generate_until\n" + DATA + "doc_to_text: prompt\n"
        'doc_to_target: ""\n' + NO_SHOTS + "generation_kwargs:\n" + NEVER_CUTS + "  do_sample: false\n"
        "  temperature: 0.0\n"
        "  max_gen_toks: 512\n" + scored("beavertails") + metrics("beavertails", "gen")
    ),
}


def base_name(dataset: str, kind: str) -> str:
    return f"{dataset}_{kind}" if len(KINDS[dataset]) > 1 else dataset


def leaf(dataset: str, lang: str, kind: str, split: str) -> str:
    tags = [f"pak3h_{dataset}_{lang}_splits"] if split else [DIMENSION[dataset]]
    if kind == "gen" and not split:
        tags.append(f"pak3h_generation_{lang}")
    base = f"_{base_name(dataset, kind)}"
    included = f"[{base}, _{lang}]" if dataset == "truthfulqa" else base
    kwargs = f"dataset: {dataset}, lang: {lang}, kind: {kind}" + (f", split: {split}" if split else "")
    return (
        HEADER + f"include: {included}\n"
        f"task: {task_name(dataset, lang, kind, split)}\n"
        f"tag: [{', '.join(tags)}]\n"
        f"dataset_kwargs: {{pak3h: {{{kwargs}}}}}\n"
    )


def group(name: str, members: list[str]) -> str:
    return HEADER + f"group: {name}\ntask:\n" + "".join(f"  - {member}\n" for member in members) + NO_AVERAGE


def files() -> dict[str, str]:
    """Relative path -> text of every generated file."""
    out: dict[str, str] = {}
    tree: dict[str, list[str]] = {
        "pak3h": [f"pak3h_{lang}" for lang in LANGS],
        **{f"pak3h_{lang}": [] for lang in LANGS},
    }
    out |= {f"truthfulqa/_{lang}": HEADER + QUESTION[lang] for lang in LANGS}
    for dataset, kinds in KINDS.items():
        for kind in kinds:
            base = base_name(dataset, kind)
            out[f"{dataset}/_{base}"] = HEADER + BASES[base] + f"metadata: {{version: {VERSIONS[base]}}}\n"
            for lang in LANGS:
                for split in ("", *SPLITS):
                    out[f"{dataset}/{task_name(dataset, lang, kind, split)}.yaml"] = leaf(dataset, lang, kind, split)
        for lang in LANGS:
            name = f"pak3h_{dataset}_{lang}"
            tree[f"pak3h_{lang}"].append(name)
            if len(kinds) > 1:
                tree[name] = [task_name(dataset, lang, kind) for kind in kinds]
    return out | {f"groups/{name}.yaml": group(name, members) for name, members in tree.items()}


# What the model does in each task, for the table in README.md.
TASKS = {
    ("truthfulqa", "mc"): ("pak3h_truthfulqa_ur_mc", "likelihood of every reference answer"),
    ("truthfulqa", "gen"): ("pak3h_truthfulqa_ur_gen", "answers a question"),
    ("alpaca", "gen"): ("pak3h_alpaca_ur", "follows an instruction"),
    ("beavertails", "gen"): ("pak3h_beavertails_ur", "answers a delicate prompt"),
}


def readme_table() -> str:
    """The tasks with their headline metrics."""
    rows = []
    for (dataset, kind), (task, does) in TASKS.items():
        names = " ".join(f"`{metric.name}`" for metric in metrics_of(dataset, kind) if metric.headline)
        rows.append(f"| `{task}` | {does} | {names} |\n")
    return "| task | what the model does | headline metrics |\n|---|---|---|\n" + "".join(rows)


def readme() -> str:
    """README.md as it should be."""
    before, _, rest = README.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{readme_table()}{END}{after}"


def drift() -> list[str]:
    """What is missing, differs or should not be there, one line each."""
    wanted = files()
    here = {str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file() and p.suffix != ".md"}
    stale = ["differs: the table of tasks in README.md"] if README.read_text(encoding="utf-8") != readme() else []
    return (
        stale
        + [f"unexpected file {name}" for name in sorted(here - set(wanted))]
        + [
            f"{'differs' if name in here else 'missing'}: {name}"
            for name, text in sorted(wanted.items())
            if name not in here or (ROOT / name).read_text(encoding="utf-8") != text
        ]
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    if not parser.parse_args(argv).check:
        for name, text in files().items():
            path = ROOT / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        README.write_text(readme(), encoding="utf-8")
    problems = drift()
    print("\n".join(problems) or f"{len(files())} files as generated")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
