"""docs/studies/mmlu-redux.md: do wrong keys turn the order of 14 language models?

Source of the data: Gema et al., Are We Done with MMLU?, 2024.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from candidly.compare.ranking import (
    CheckedScores,
    keys_to_check,
    least_visible,
    make_checked,
    make_scores,
    rank,
    suspects,
)
from candidly.compare.ranking._compared import compare
from candidly.compare.ranking._scores import part_of
from candidly.compare.ranking.figures import place_figure
from candidly.stats import holm
from studies.kit.figures import alone
from studies.kit.pages import data_to_train, options_of, settle
from studies.kit.template import rendered

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results") / "measured.json"
PAGE = ROOT / "docs" / "studies" / "mmlu-redux.md"
FIGURE = ROOT / "docs" / "images" / "mmlu-redux.svg"
LETTERS = "ABCD"
SHARES = (0.5, 0.7, 0.9, 1.0)
FIRST = 100  # suspects that people look at
SEEDS = 5  # random orders of checks


def read(folder: Path) -> tuple[dict[str, np.ndarray], pl.DataFrame, np.ndarray]:
    """Answers of each model, the rest of the table, and the keys as letters."""
    frame = pl.read_csv(folder / "mmlu_redux" / "answers.csv")
    fixed = ("item", "subject", "question", "choices", "groundtruth_answer", "error_type")
    answers = {
        name.partition("_")[2]: frame[name].fill_null("").to_numpy().astype(str)
        for name in frame.columns
        if name not in fixed
    }
    key = np.array([LETTERS[k] for k in frame["groundtruth_answer"].to_list()])
    return answers, frame, key


def measure(folder: Path) -> dict[str, Any]:
    answers, frame, key = read(folder)
    subject = frame["subject"].to_numpy().astype(str)
    bad = frame["error_type"].to_numpy() != "ok"
    wrong = frame["error_type"].to_numpy() == "wrong_groundtruth"
    scores = {name: (said == key).astype(float) for name, said in answers.items()}
    every = make_scores(scores, slices=subject)
    good = make_scores({k: v[~bad] for k, v in scores.items()}, slices=subject[~bad])
    before, after = rank(every), rank(good)
    FIGURE.write_text(alone(place_figure(after)))
    found: dict[str, Any] = {
        "items": len(key),
        "faulty": int(bad.sum()),
        "wrong_keys": int(wrong.sum()),
        "no_answer": int(sum((said == "").sum() for said in answers.values())),
        "models": [
            {
                "model": one.model,
                "score": one.score,
                "possible": one.possible,
                "rank": one.rank,
                "score_good": after.model(one.model).score,
                "possible_good": after.model(one.model).possible,
                "rank_good": after.model(one.model).rank,
            }
            for one in before.models
        ],
        "verdicts": [before.verdict, after.verdict],
        "pairs": orders(before, after),
        "least_visible": after.least_visible,
        "slices_p": after.slices.p,
        "pivotal": list(after.slices.pivotal),
        "silent": silent(answers, subject),
        "by_subject": by_subject(every, bad),
        "suspects": judged(answers, key, bad, wrong),
        "first": first_checked(answers, key, bad),
        "checks": [checks_needed(answers, key, bad, seed) for seed in range(SEEDS)],
    }
    return found


def silent(answers: dict[str, np.ndarray], subject: np.ndarray) -> tuple[str, int]:
    """The subject in which most answers are missing, and how many."""
    names, codes = np.unique(subject, return_inverse=True)
    counts = sum(np.bincount(codes, said == "", len(names)) for said in answers.values())
    worst = int(np.argmax(counts))
    return str(names[worst]), int(counts[worst])


def orders(before: Any, after: Any) -> dict[str, int]:
    """Established orders of pairs by all items, by good ones, by both, and reversed."""

    def sure(found: Any) -> set[tuple[str, str]]:
        return {(one.first, one.second) for one in found.pairs if one.adjusted <= found.alpha}

    a, b = sure(before), sure(after)
    reversed_ = {pair for pair in a if pair[::-1] in b}
    return {
        "of": before.of_pairs, "before": len(a), "after": len(b), "both": len(a & b),
        "reversed": len(reversed_),
    }  # fmt: skip


def by_subject(every: Any, bad: np.ndarray) -> dict[str, Any]:
    """Orders that are established inside a subject, over all pairs and subjects together."""
    i, j = np.triu_indices(len(every.names), 1)
    told = {}
    for name, items in (("before", np.ones(len(bad), bool)), ("after", ~bad)):
        parts = [
            compare(part_of(every, items & (every.slice_of == k))) for k in range(len(every.slices))
        ]
        p = holm(np.concatenate([one.p[i, j] for one in parts])).reshape(len(parts), -1)
        apart = np.stack([one.difference[i, j] for one in parts])
        told[name] = np.where(p <= 0.05, np.sign(apart), 0)
    both = (told["before"] != 0) & (told["after"] == told["before"])
    turned = (told["before"] * told["after"]) < 0
    errors = np.concatenate([one.error[i, j] for one in parts])
    share = np.array([bad[every.slice_of == k].mean() for k in range(len(every.slices))])
    worst = np.argsort(-share)[:5]
    return {
        "before": int((told["before"] != 0).sum()),
        "after": int((told["after"] != 0).sum()),
        "both": int(both.sum()),
        "reversed": int(turned.sum()),
        "faultiest": [(every.slices[k], float(share[k])) for k in worst.tolist()],
        "least_visible": least_visible(errors, 1 - 0.05 / p.size),
        "clean": int((share == 0).sum()),
    }


def judged(
    answers: dict[str, np.ndarray], key: np.ndarray, bad: np.ndarray, wrong: np.ndarray
) -> list[dict[str, Any]]:
    """By how many models contradict a key alike: how many such items, and how many are faulty."""
    found = suspects(answers, key)
    rows = []
    for share in SHARES:
        items = [one.item for one in found if one.models >= share * one.of]
        rows.append(
            {
                "share": share,
                "items": len(items),
                "faulty": int(bad[items].sum()),
                "wrong": int(wrong[items].sum()),
            }
        )
    return rows


def first_checked(
    answers: dict[str, np.ndarray], key: np.ndarray, bad: np.ndarray
) -> dict[str, dict[str, int]]:
    """Of the suspects that come first by either order: faulty ones, and pairs that they turn."""
    found = suspects(answers, key)
    orders = {
        "contradicted": found,
        "matters": sorted(found, key=lambda one: -one.matters),
    }
    counts = {}
    for name, rows in orders.items():
        faulty = [one for one in rows[:FIRST] if bad[one.item]]
        counts[name] = {"faulty": len(faulty), "turns": sum(one.turns for one in faulty)}
    return counts


def checks_needed(
    answers: dict[str, np.ndarray], key: np.ndarray, bad: np.ndarray, seed: int
) -> dict[str, int]:
    """How many keys of a plan, in its order, settle the first place, and how many all."""
    scores = make_scores({name: said == key for name, said in answers.items()})

    def checked(count: int) -> CheckedScores:
        drawn = items[:count]
        seen = np.isin(np.arange(len(key)), drawn)
        right = {name: np.where(seen, said == key, np.nan) for name, said in answers.items()}
        return make_checked(scores, right, void=seen & bad, answers=answers, drawn=drawn, seed=seed)

    def settled(count: int, pairs: int | None) -> bool:
        plan = keys_to_check(checked(count))
        return all(pair.status != "open" for pair in plan.neighbours[:pairs])

    items = np.zeros(0, np.int64)
    items = keys_to_check(checked(0)).items
    counts = range(len(items) + 1)
    return {
        "of": len(items),
        "first": bisect_left(counts, True, key=lambda count: settled(count, 1)),
        "all": bisect_left(counts, True, key=lambda count: settled(count, None)),
    }


def page(found: dict[str, Any]) -> str:
    moved = [abs(one["rank"] - one["rank_good"]) for one in found["models"]]
    values = {"found": found, "moved": moved, "looked_at": FIRST}
    return rendered(Path(__file__).with_name("page.md"), values)


def main() -> None:
    asked = options_of(__doc__).parse_args()
    if data := data_to_train(asked):
        RESULTS.write_text(json.dumps(measure(data), indent=1) + "\n")
    text = page(json.loads(RESULTS.read_text()))
    settle({PAGE: text.encode()}, asked, "python -m studies.mmlu_redux")


if __name__ == "__main__":
    main()
