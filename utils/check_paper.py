"""The whole paper on a full-size run with known truth: every value of every table and figure must come out exactly.

    python utils/check_paper.py                  # minutes; 17,846 items, three languages, three generators, four judges
    python utils/check_paper.py --scale 0.02 --keep folder

Data and answers are made up (`known_study`); `pak3h score --outputs`, `pak3h moderate` and `pak3h report --paper` run
as a user runs them, against a stub judge over HTTP and a stub classifier; multiple choice is logged from known
log-likelihoods by the code that lm-eval calls. The shares aimed at are the paper's, so the tables resemble it.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "tests")]

from known_study import GENERATORS, HARM, JUDGES, LANGS, SURE, Study  # noqa: E402

from pak3h_tasks.cli.main import main as pak3h  # noqa: E402
from pak3h_tasks.schema import SPLITS  # noqa: E402

Key = tuple[str, ...]
EXACT = 5e-8
"""Relative error that CSV leaves: it has eight digits."""


def serve(study: Study) -> None:
    """Be the judge, in a process of its own."""
    import asyncio

    from support.judge_server import JudgeServer, prompt_of
    from support.pairwise_server import shown_answers

    def edit(body: dict[str, Any], reply: dict[str, Any]) -> None:
        prompt = prompt_of(body)
        said = study.says(body["model"], prompt)
        if said is None:  # the preflight
            return
        labels = ("Yes", "No")
        if "answer-m-" in prompt:
            references = ("word", "لفظ")
            labels = ("M", "m") if shown_answers(body)[0] in references else ("m", "M")
        label, other = labels if said else labels[::-1]
        top = [{"token": label, "logprob": math.log(SURE)}, {"token": other, "logprob": math.log(1 - SURE)}]
        choice = reply["choices"][0]
        choice["message"]["content"] = label
        choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}

    server = JudgeServer(edit=edit, models=None)
    asyncio.run(server.serve(lambda: print(server.base_url, flush=True)))


@contextmanager
def judge(scale: float) -> Iterator[str]:
    """The stub judge's address."""
    command = [sys.executable, str(HERE), "--serve", "--scale", str(scale)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def write_data(study: Study, folder: Path) -> None:
    for dataset in study.sizes:
        (folder / dataset).mkdir(parents=True, exist_ok=True)
        for lang in LANGS:
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in study.rows(dataset, lang))
            (folder / dataset / f"{lang}.jsonl").write_text(text, encoding="utf-8")


def score_answers(study: Study, folder: Path, url: str) -> None:
    """`pak3h score --outputs` of every generator, language and judge; a file's name alone says who answered."""
    answers = folder / "answers"
    answers.mkdir()
    for dataset, judges in (("alpaca", JUDGES[:1]), ("truthfulqa", JUDGES)):
        for generator in GENERATORS:
            for lang in LANGS:
                path = answers / f"{dataset}_{lang}_{generator}.json"
                rows = [
                    {"id": f"{dataset}-{n}", "output": study.answer(dataset, generator, lang, n)}
                    for n, _ in study.items(dataset)
                ]
                path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
                for name in judges:
                    run("score", "--outputs", path, "--dataset", dataset, "--lang", lang, "--data", folder / "data",
                        "--judge", name, "--judge-base-url", url, "--output-path", folder / "runs" / name)  # fmt: skip


def log_choices(study: Study, folder: Path) -> None:
    """Multiple choice, as `lm_eval --log_samples` logs it."""
    from pak3h_tasks.data.load import load
    from pak3h_tasks.harness.documents import documents, provenance
    from pak3h_tasks.harness.names import task_name
    from pak3h_tasks.harness.process import truthfulqa_mc
    from pak3h_tasks.harness.rescore import add_task, put_summary, write_results, write_rows

    for place, generator in enumerate(GENERATORS):
        target = folder / "runs" / "mc" / generator
        target.mkdir(parents=True)
        stamp = f"2026-12-03T00-00-0{place}.000000"
        results: dict[str, Any] = {
            "results": {}, "configs": {}, "versions": {}, "n-shot": {}, "higher_is_better": {}, "group_subtasks": {},
            "n-samples": {}, "model_name": generator, "config": {"model": generator},
        }  # fmt: skip
        for lang in LANGS:
            task = task_name("truthfulqa", lang, "mc", None)
            loaded = load("truthfulqa", lang, str(folder / "data"))
            docs = documents(loaded.items, lang, "mc", task, loaded.short)
            rows, metrics = [], []
            for number, doc in enumerate(docs):
                known = study.loglikelihoods(generator, lang, number, len(doc["choices"]), len(doc["correct_answers"]))
                rows.append({"doc_id": number, "resps": [[[str(value), "False"]] for value in known]})
                metrics.append(truthfulqa_mc(doc, [(value, False) for value in known]))
            add_task(results, task, {"dataset": "truthfulqa", "lang": lang, "kind": "mc",
                                     **provenance(loaded, "mc")})  # fmt: skip
            put_summary(results, task, metrics)
            results["n-samples"][task] = {"original": len(docs), "effective": len(docs)}
            write_rows(target / f"samples_{task}_{stamp}.jsonl", zip(rows, docs, metrics, strict=True))
        write_results(target / f"results_{stamp}.json", results)


def moderate(study: Study, folder: Path) -> None:
    """`pak3h moderate` of all pairs behind a stub classifier."""
    from support.tiny_classifier import byte_tokenizer
    from support.vllm_server import VLLMServer

    tokenizer = byte_tokenizer()
    tokenizer.save_pretrained(str(folder / "tokenizer"))

    def probabilities(rows: list[list[int]]) -> list[list[float]]:
        # ByT5: byte + 3
        texts = (bytes(token - 3 for token in row if 3 <= token < 259).decode("utf-8") for row in rows)
        return [study.harms(text) for text in texts]

    with VLLMServer(probabilities) as server:
        langs = [word for lang in LANGS for word in ("--lang", lang)]
        run("moderate", "--data", folder / "data", *langs, "--classifier", f"vllm:{server.url}",
            "--tokenizer", folder / "tokenizer", "--output", folder / "runs" / "pairs.jsonl")  # fmt: skip


def label(study: Study, folder: Path) -> None:
    """Labels of three annotators, who agree on all items but every tenth, on which they give three labels."""
    from dataclasses import asdict

    from pak3h_tasks.localise.agree import agreement
    from pak3h_tasks.localise.ratings import Ratings

    for dataset in study.sizes:
        labels = {
            f"{dataset}-{n}": dict(zip("abc", SPLITS if n % 10 == 0 else [split] * 3, strict=True))
            for n, split in study.items(dataset)
        }
        target = folder / "work" / dataset
        target.mkdir(parents=True)
        found = {"rounds": [asdict(agreement(Ratings(dataset, labels)))], "discarded": []}  # type: ignore[arg-type]
        (target / "agreement.json").write_text(json.dumps(found), encoding="utf-8")


def run(*words: object) -> None:
    """A `pak3h` command; stops the script where it fails."""
    with open(os.devnull, "w") as nothing:  # noqa: PTH123
        out, sys.stdout = sys.stdout, nothing
        try:
            status = pak3h([str(word) for word in words])
        finally:
            sys.stdout = out
    if status:
        sys.exit(f"pak3h {' '.join(map(str, words))}: exit code {status}")


def truth(study: Study) -> Iterator[tuple[str, Key, str, float]]:
    """(File, cells that name the row, column, value) of every number that is known."""
    yield from _study_tables(study)
    yield from _win_rates(study)
    yield from _honesty(study)
    yield from _choices(study)
    own = "the data's own pairs"
    harms = {}
    for lang in LANGS:
        rate = harms[lang] = study.rate("beavertails", "unsafe", lang)
        yield "table-3", (own, lang), "unsafe", 100 * rate
        yield "table-3", (own, lang), "mean max harm", 100 * (HARM[True] * rate + HARM[False] * (1 - rate))
    yield "table-5", (own, "unsafe"), "difference", 100 * (harms["ur"] - harms["urmt"])
    yield "tests", (own, "unsafe"), "difference", 100 * (harms["en"] - harms["ur"])


def _study_tables(study: Study) -> Iterator[tuple[str, Key, str, float]]:
    names = {"truthfulqa": "PakTruthfulQA", "alpaca": "PakAlpaca", "beavertails": "PakBeaverTails"}
    for dataset, sizes in study.sizes.items():
        n = sum(sizes.values())
        for split, size in sizes.items():
            yield "table-1", (names[dataset],), split.upper(), size
        yield "table-1", (names[dataset],), "total", n
        torn = math.ceil(n / 10)
        yield "table-1", (names[dataset],), "agreement", 100 * (n - torn) / n
        # Fleiss: items agree wholly or not at all; chance by the shares of all labels
        of = {s: sum(1 for k, own in study.items(dataset) if k % 10 and own == s) * 3 + torn for s in SPLITS}
        chance = sum((count / (3 * n)) ** 2 for count in of.values())
        yield "table-6", (names[dataset],), "Fleiss' kappa", round(((n - torn) / n - chance) / (1 - chance), 3)
    yield "table-1", ("total",), "total", sum(sum(sizes.values()) for sizes in study.sizes.values())


def _win_rates(study: Study) -> Iterator[tuple[str, Key, str, float]]:
    n = sum(study.sizes["alpaca"].values())
    for generator in GENERATORS:
        name = f"{generator} → {JUDGES[0]}"
        for split in ("all", *SPLITS):
            title = "" if split == "all" else f" {split.upper()}"
            rates = {lang: study.rate("alpaca", "win", generator, lang, split=split) for lang in LANGS}
            for lang in LANGS:
                yield "table-7", (name, lang), f"share of wins{title}", 100 * rates[lang]
                mean = SURE * rates[lang] + (1 - SURE) * (1 - rates[lang])
                yield "table-7", (name, lang), f"win rate{title}", 100 * mean
                yield "figure-2", (name, title.strip() or "all"), lang, 100 * rates[lang]
            yield "table-7", (name, "en - ur"), f"share of wins{title}", 100 * (rates["en"] - rates["ur"])
            yield "figure-2", (name, title.strip() or "all"), "en - ur", 100 * (rates["en"] - rates["ur"])
        wins = {lang: study.chosen("alpaca", "win", generator, lang) for lang in LANGS}
        rates = {lang: len(wins[lang]) / n for lang in LANGS}
        for file, one, other in (("tests", "en", "ur"), ("table-5", "ur", "urmt")):
            row = (name, "share of wins")
            only = len(wins[one] - wins[other]), len(wins[other] - wins[one])
            pooled = (rates[one] + rates[other]) / 2
            yield file, row, "difference", 100 * (rates[one] - rates[other])
            if sum(only) >= 25:  # else the test is exact
                yield file, row, "chi2", round(max(0, abs(only[0] - only[1]) - 1) ** 2 / sum(only), 2)
            if 0 < pooled < 1:
                z = (rates[one] - rates[other]) / math.sqrt(pooled * (1 - pooled) * 2 / n)
                yield file, row, "z", round(z, 2)


def _honesty(study: Study) -> Iterator[tuple[str, Key, str, float]]:
    for generator in GENERATORS:
        for name in JUDGES:
            row = f"{generator} → {name}"
            for split in ("all", *SPLITS):
                shares = {
                    lang: {
                        what: study.rate("truthfulqa", what, generator, name, lang, split=split)
                        for what in ("truthful", "informative")
                    }
                    for lang in LANGS
                }
                ti = {lang: of["truthful"] * of["informative"] for lang, of in shares.items()}
                category = split if split == "all" else split.upper()
                for lang in LANGS:
                    yield "figure-3", (row, "TI", category), lang, 100 * ti[lang]
                    for what, rate in shares[lang].items():
                        yield "figure-3", (row, what, category), lang, 100 * rate
                        if split == "all":
                            yield "table-4", (row, lang), what, 100 * rate
                    if split == "all":
                        yield "table-4", (row, lang), "TI", 100 * ti[lang]
                yield "figure-3", (row, "TI", category), "en - ur", 100 * (ti["en"] - ti["ur"])
                if split == "all":
                    yield "tests", (row, "TI"), "difference", 100 * (ti["en"] - ti["ur"])
                    yield "table-5", (row, "TI"), "difference", 100 * (ti["ur"] - ti["urmt"])


def _choices(study: Study) -> Iterator[tuple[str, Key, str, float]]:
    for generator in GENERATORS:
        for lang in LANGS:
            right = study.rate("truthfulqa", "mc", generator, lang)
            copied = study.rate("truthfulqa", "copy", generator, lang)
            # 0.75 of the mass on the true answers where the model is right, else 0.25
            for title, value in (("MC1", right), ("MC2", 0.25 + 0.5 * right), ("MC3", right)):
                yield "section-5.3-mc", (generator, lang), title, 100 * value
                yield "figure-4", (generator, title), lang, value
            # a copy has full overlap, another answer none; no Urdu word has an ASCII letter
            ascii_words = copied if lang == "en" else 0.0
            # the original adds a full stop to references alone: 6 words of 7, where a copy has none of its own
            official = copied * (1.0 if lang == "en" else math.exp(1 - 7 / 6))
            yield "section-5.3-overlap", (generator, lang), "BLEU", 100 * copied
            yield "figure-4", (generator, "BLEU (official), raw"), lang, official
            for title, value in (("ROUGE-1", copied), ("ROUGE-1 (ASCII words)", ascii_words)):
                yield "section-5.3-overlap", (generator, lang), title, 100 * value
                yield "figure-4", (generator, title), lang, value


def check(study: Study, paper: Path) -> list[str]:
    """Every known value against the files of the paper; returns a line for each that differs."""
    files: dict[str, list[dict[str, str]]] = {}
    wrong, checked = [], 0
    drawn = {n: (paper / f"figure-{n}.svg").read_text(encoding="utf-8") for n in (2, 3, 4)}
    for file, key, column, value in truth(study):
        if file not in files:
            with (paper / f"{file}.csv").open(encoding="utf-8", newline="") as opened:
                files[file] = [row for row in csv.DictReader(opened) if row["source"] == "measured"]
        names = list(files[file][0])[1 : 1 + len(key)]
        found = [row.get(column, "") for row in files[file] if tuple(row[name] for name in names) == key]
        checked += 1
        if len(found) != 1 or not found[0] or not math.isclose(float(found[0]), value, rel_tol=EXACT, abs_tol=1e-7):
            wrong.append(f"{file} {' / '.join(key)}, {column}: {found} where {value:.8g} is true")
        if file.startswith("figure") and column in LANGS:
            text = f"{value:.3f}" if file == "figure-4" else f"{value:.1f}"
            lang = {"en": "English", "ur": "Urdu", "urmt": "Machine-translated Urdu"}[column]
            tip = f"{key[0]}, all" if key[-1] == "all" else f"{key[0]}: {key[-1]}"
            if not re.search(re.escape(f"{tip}, {lang}: {text} ("), drawn[int(file[-1])]):
                wrong.append(f"{file}.svg: no mark says {tip}, {lang}: {text}")
    print(f"{checked:,} values of {len(files)} tables and figures checked, {len(wrong)} differ")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the paper's items; default: all")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work here, and leave it; default: a temporary folder")
    parser.add_argument("--serve", action="store_true", help="only be the stub judge")
    arguments = parser.parse_args()
    study = Study(arguments.scale)
    if arguments.serve:
        serve(study)
        return
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = arguments.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["TQDM_DISABLE"] = "1"
        os.environ["PAK3H_CACHE_DIR"] = str(folder / "cache")

        def done(what: str) -> None:
            print(f"{time.perf_counter() - start:6.1f} s  {what}", flush=True)

        write_data(study, folder / "data")
        done("data made")
        with judge(arguments.scale) as url:
            score_answers(study, folder, url)
        done("answers scored")
        log_choices(study, folder)
        moderate(study, folder)
        label(study, folder)
        done("multiple choice logged, pairs moderated, labels agreed on")
        run("report", folder / "runs", folder / "work", "--paper", "-o", folder / "paper")
        done("report written")
        wrong = check(study, folder / "paper")
        done("checked")
    print("\n".join(wrong[:40]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
