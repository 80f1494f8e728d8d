"""Judge with alpaca-eval 0.6.6, in the environment that utils/parity_alpaca_eval.py makes: JSON in, JSON out.

In: {"rows": [{"instruction", "input", "output", "reference"}], "cache": path or null, "twice": bool}.
Out: {"preferences": one a row, or null, "n": annotations, "metrics": the leaderboard's row, "error": text or null}.
"""

from __future__ import annotations

import json
import logging
import os
import sys

JUDGE = "weighted_alpaca_eval_gpt-4o-mini-2024-07-18"
METRICS = ("win_rate", "standard_error", "discrete_win_rate", "n_total")


def main() -> None:
    from alpaca_eval import evaluate  # type: ignore[import-not-found]

    logging.disable(logging.CRITICAL)
    job = json.load(sys.stdin)
    sides = [
        [
            {"instruction": row["instruction"], "output": row[side], "generator": side, "input": row["input"]}
            for row in job["rows"]
        ]
        for side in ("output", "reference")
    ]
    said: dict[str, object] = {"preferences": [], "n": 0, "metrics": {}, "error": None}
    real_stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        for _ in range(2 if job["twice"] else 1):
            leaderboard, annotations = evaluate(
                model_outputs=sides[0],
                reference_outputs=sides[1],
                annotators_config=JUDGE,
                fn_metric="get_winrate",  # the default downloads data from the hub after everything is paid for
                sort_by="win_rate",
                precomputed_leaderboard=None,
                output_path=None,
                is_return_instead_of_print=True,
                caching_path=job["cache"],
                annotation_kwargs={"num_procs": 8},
            )
        by_row = {(a["instruction"], a["output_2"], a["output_1"]): a["preference"] for a in annotations}
        said["n"] = len(annotations)
        said["preferences"] = [by_row.get((r["instruction"], r["output"], r["reference"])) for r in job["rows"]]
        found = leaderboard.iloc[0]
        said["metrics"] = {name: float(found[name]) for name in METRICS}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
        said["error"] = f"{type(error).__name__}: {error}"
    json.dump(said, real_stdout)
    real_stdout.flush()
    os._exit(0)  # its client pools are not worth waiting for


if __name__ == "__main__":
    main()
