"""docs/shared-errors.md: what the opinion pool claims beside what is right; how often it warns.

python -m studies.shared_errors PART ...    measures some parts, an hour in all; writes the page

Parts: ``sets`` (real crowds), ``models`` (5 of 14 language models, drawn 100 times), ``others``
(further ways), ``known`` (50 and 200 known items), ``alarms`` (crowds without copies), ``power``
(with), ``independent`` (crowds without copies: accuracy and claim), ``next`` (what to ask next),
``speed``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench._bench import machine
from candidly.ground.files import replacing
from candidly.people.crowd import (
    Answers,
    Consensus,
    consensus,
    dawid_skene,
    majority,
    opinion_pool,
    priorities,
    shared_errors,
)
from candidly.people.crowd.dependence._known_items import calibrated
from candidly.stats.pairs import mcnemar
from studies.kit.pages import filled, options_of, settle
from studies.shared_errors.crowds import SHAPES, few_twice, models, real_crowds, simulated
from studies.shared_errors.page import FIGURE, PAGE, Row, figure, tables

FILE = Path(__file__).with_name("results") / "parts.json"
BINS = 15


def calibration_error(claim: np.ndarray, right: np.ndarray) -> float:
    """Mean distance of claim and share of right labels over 15 bins of equal width."""
    place = np.minimum((claim * BINS).astype(int), BINS - 1)
    return float(
        sum(
            abs(claim[place == k].mean() - right[place == k].mean()) * (place == k).mean()
            for k in range(BINS)
            if (place == k).any()
        )
    )


def judged(found: Consensus, truth: np.ndarray, posterior: np.ndarray | None = None) -> Row:
    """Accuracy and claim minus accuracy in points, calibration error, log loss in nats."""
    posterior = found.posterior if posterior is None else posterior
    there = np.flatnonzero((truth >= 0) & (found.labels >= 0))
    labels, true = found.labels[there], truth[there]
    claim = posterior[there, labels]
    right = labels == true
    return {
        "right": 100 * float(right.mean()),
        "gap": 100 * float(claim.mean() - right.mean()),
        "ece": calibration_error(claim, right),
        "loss": float(-np.log(np.maximum(posterior[there, true], 1e-6)).mean()),
    }


def of_sets(asked: argparse.Namespace) -> Iterator[Row]:
    for name, truth, answers in real_crowds(asked.data, asked.sets):
        begin = time.perf_counter()
        usual = dawid_skene(answers)
        middle = time.perf_counter()
        pool = opinion_pool(answers)
        end = time.perf_counter()
        known = truth >= 0
        mine, theirs = (one.labels[known] == truth[known] for one in (pool, usual))
        right = mine.mean()
        yield {
            "set": name,
            "items": answers.n,
            "answers": len(answers),
            "annotators": len(answers.annotators),
            "classes": answers.m,
            "known": int(known.sum()),
            "majority": judged(majority(answers), truth),
            "dawid-skene": judged(usual, truth),
            "opinion-pool": judged(pool, truth),
            "p": float(mcnemar((mine & ~theirs).sum(), (theirs & ~mine).sum())),
            "claim": [100 * value for value in pool.claim],
            "holds": bool(pool.claim.low <= right <= pool.claim.high),
            "dependent": pool.shared.dependent,
            "effective": pool.shared.effective,
            "per_item": pool.shared.per_item,
            "voices": [list(voice) for voice in pool.shared.voices],
            "seconds": [middle - begin, end - middle],
        }


def of_models(asked: argparse.Namespace) -> Iterator[Row]:
    rng = np.random.default_rng(54)
    for _ in range(5 if asked.quick else 100):
        which = np.sort(rng.choice(14, 5, replace=False))
        truth, answers = models(asked.data, which)
        pool = opinion_pool(answers)
        right = (pool.labels == truth).mean()
        yield {
            "models": which.tolist(),
            "majority": judged(majority(answers), truth),
            "dawid-skene": judged(dawid_skene(answers), truth),
            "opinion-pool": judged(pool, truth),
            "holds": bool(pool.claim.low <= right <= pool.claim.high),
        }


def of_others(asked: argparse.Namespace) -> Iterator[Row]:
    """What further ways claim of the 14 language models' answers."""
    truth, answers = models(asked.data)
    for by in ("one-coin", "mace", "glad", "ibcc"):
        yield {"by": by, **judged(consensus(answers, by), truth)}  # type: ignore[arg-type]


def of_known(asked: argparse.Namespace) -> Iterator[Row]:
    """Known items drawn at random; the claim is judged on the others."""
    for name, truth, answers in real_crowds(asked.data, asked.sets):
        pool = opinion_pool(answers)
        there = np.flatnonzero(truth >= 0)
        for number in (50, 200):
            if len(there) < 2 * number:
                continue
            rng = np.random.default_rng(number)
            gaps = []
            for _ in range(5 if asked.quick else 200):
                some = rng.choice(there, number, replace=False)
                known = np.full(len(truth), -1)
                known[some] = truth[some]
                posterior, _ = calibrated(pool.posterior, pool.labels, known)
                rest = np.where(known >= 0, -1, truth)
                found = judged(pool, rest, posterior)
                gaps.append((found["gap"], found["ece"]))
            gap, ece = np.array(gaps).T
            yield {
                "set": name,
                "known": number,
                "mean": float(gap.mean()),
                "absolute": float(np.abs(gap).mean()),
                "within 2": float((np.abs(gap) <= 2).mean()),
                "ece": float(ece.mean()),
            }


def found_in(answers: Answers, seed: int) -> tuple[bool, bool, bool, set[frozenset[str]]]:
    """Whether pairs, all together, or repetition were found; and the pairs that repeat."""
    shared = shared_errors(answers, seed=seed)
    pairs = shared.pairs
    names = shared.annotators
    repeats = {
        frozenset((names[i], names[j]))
        for i, j in zip(pairs.first[pairs.copies].tolist(), pairs.second[pairs.copies].tolist())
    }
    together = shared.chance is not None and shared.chance.dependent
    return bool(pairs.dependent.any()), together, bool(repeats), repeats


def of_alarms(asked: argparse.Namespace) -> Iterator[Row]:
    draws = 5 if asked.quick else 200
    for name, shape in SHAPES.items():
        for difficulty in (0.0, 1.0, 2.0):
            count = np.zeros(3)
            for seed in range(draws):
                _, answers = simulated(shape, seed, difficulty)
                count += found_in(answers, seed)[:3]
            yield {
                "shape": name,
                "difficulty": difficulty,
                "draws": draws,
                **dict(zip(("pairs", "together", "repeats"), (count / draws).tolist())),
            }


def of_power(asked: argparse.Namespace) -> Iterator[Row]:
    draws = 5 if asked.quick else 100
    for name, shape in SHAPES.items():
        for copies in (0.05, 0.1, 0.2, 0.5, 0.9):
            count, wrong = np.zeros(3), 0
            for seed in range(draws):
                _, answers = simulated(shape, seed, copies=copies)
                pairs, together, _, repeats = found_in(answers, seed)
                true = frozenset(("0", "1"))
                count += (pairs, pairs or together, true in repeats)
                wrong += bool(repeats - {true})
            yield {
                "shape": name,
                "copies": copies,
                "draws": draws,
                **dict(zip(("pairs", "any", "repeats"), (count / draws).tolist())),
                "others": wrong / draws,
            }


def of_independent(asked: argparse.Namespace) -> Iterator[Row]:
    draws = 5 if asked.quick else 100
    cases = [(name, shape, hard) for name, shape in SHAPES.items() for hard in (0.0, 1.0, 2.0)]
    for name, shape, difficulty in cases:
        found: list[list[float]] = []
        for seed in range(draws):
            truth, answers = simulated(shape, seed, difficulty)
            pool, usual = opinion_pool(answers, seed=seed), dawid_skene(answers)
            mine, theirs = judged(pool, truth), judged(usual, truth)
            found.append(
                [
                    *(mine["right"], theirs["right"], mine["gap"], theirs["gap"]),
                    *(
                        pool.independent,
                        100 * pool.claim.low <= mine["right"] <= 100 * pool.claim.high,
                    ),
                ]
            )
        right, other, gap, its, independent, holds = np.mean(found, 0).tolist()
        yield {
            "shape": name,
            "each": shape.each,
            "difficulty": difficulty,
            "right": right,
            "dawid-skene right": other,
            "gap": gap,
            "dawid-skene gap": its,
            "independent": independent,
            "holds": holds,
        }


def of_few(asked: argparse.Namespace) -> Iterator[Row]:
    """Crowds of which only few items have two answers."""
    draws = 5 if asked.quick else 100
    for people in (3, 10):
        for twice in (0, 2, 5, 10, 20, 40, 80):
            found: list[list[float]] = []
            for seed in range(draws):
                truth, answers = few_twice(300, people, twice, 4, seed)
                pool = opinion_pool(answers, seed=seed)
                mine, claim = judged(pool, truth), pool.claim
                holds = 100 * claim.low <= mine["right"] <= 100 * claim.high
                ends = [] if pool.compared == 0 else [claim.low, claim.high]
                found.append([mine["right"], mine["gap"], holds, *(100 * end for end in ends)])
            right, gap, held, *ends = np.mean(found, 0).tolist()
            yield {
                "people": people,
                "twice": twice,
                "right": right,
                "gap": gap,
                "holds": held if ends else None,
                "ends": ends,
            }


def of_next(asked: argparse.Namespace) -> Iterator[Row]:
    """Real answers one by one: two an item at first, then always about the lowest priority."""
    crowds = (
        "MMLU-Redux, 14 models",
        "sentiment",
        "bluebirds",
        "dog",
        "RTE",
        "SP (AMT)",
        "ZenCrowd",
    )
    for name, truth, answers in real_crowds(asked.data, asked.sets):
        if name not in crowds:
            continue
        for seed in range(1 if asked.quick else 5):
            rng = np.random.default_rng(seed)
            items = rng.permutation(np.flatnonzero((answers.per_item > 3) & (truth >= 0)))[:800]
            ways: dict[str, Callable[[Answers], Consensus]] = {
                "opinion-pool": opinion_pool,
                "dawid-skene": dawid_skene,
                "fewest first": opinion_pool,
            }
            for way, made in ways.items():
                curve = asked_on(answers, truth, items, made, way, np.random.default_rng(seed))
                yield {"set": name, "seed": seed, "way": way, "curve": curve}


def asked_on(
    answers: Answers,
    truth: np.ndarray,
    items: np.ndarray,
    made: Callable[[Answers], Consensus],
    way: str,
    rng: np.random.Generator,
) -> list[tuple[int, float]]:
    """(answers an item, labels that are right in percent), judged by the pool of what is there."""
    order = rng.permutation(len(answers))
    queue: dict[int, list[int]] = {int(i): [] for i in items}
    for a in order.tolist():
        if int(answers.item[a]) in queue:
            queue[int(answers.item[a])].append(a)
    taken = [queue[i].pop() for i in queue for _ in range(2)]
    step = max(1, len(items) // 10)
    curve = []
    place = {int(i): k for k, i in enumerate(items.tolist())}
    while True:
        said = Answers.from_columns(
            [place[int(answers.item[a])] for a in taken],
            answers.annotator[taken].astype(str),
            answers.label[taken],
            items=len(items),
            classes=answers.m,
        )
        found = made(said)
        judge = found if way != "dawid-skene" else opinion_pool(said)
        curve.append((len(taken) / len(items), 100 * float((judge.labels == truth[items]).mean())))
        if len(taken) >= 8 * len(items):
            return curve
        score = said.per_item.astype(float) if way == "fewest first" else priorities(found)
        score = score + 1e-9 * rng.random(len(items))
        lowest = [k for k in np.argsort(score).tolist() if queue[int(items[k])]][:step]
        if not lowest:
            return curve
        taken += [queue[int(items[k])].pop() for k in lowest]


def of_speed(asked: argparse.Namespace) -> Iterator[Row]:
    """Dependence tests and the pool beside Dawid and Skene's model, in the median of five runs."""
    rng = np.random.default_rng(0)

    def crowd(everyone: int, n: int, each: int, m: int) -> Answers:
        truth = rng.integers(0, m, n)
        who = rng.random((n, everyone)).argpartition(each - 1, 1)[:, :each]
        right = rng.random((n, each)) < rng.uniform(0.6, 0.95, everyone)[who]
        said = np.where(right, truth[:, None], rng.integers(0, m, (n, each)))
        item = np.repeat(np.arange(n), each)
        return Answers.from_columns(item, who.ravel(), said.ravel(), items=n, classes=m)

    for name, answers in (
        ("14 models, 5,700 items", crowd(14, 5700, 14, 4)),
        ("1,000 annotators, 200,000 answers", crowd(1000, 20_000, 10, 4)),
        ("1,000 annotators, 2,000,000 answers", crowd(1000, 200_000, 10, 4)),
    ):
        taken: dict[str, list[float]] = {"shared_errors": [], "opinion_pool": [], "dawid_skene": []}
        for _ in range(1 if asked.quick else 5):
            for way, made in (
                ("shared_errors", shared_errors),
                ("opinion_pool", opinion_pool),
                ("dawid_skene", dawid_skene),
            ):
                begin = time.perf_counter()
                made(answers)
                taken[way].append(time.perf_counter() - begin)
        yield {"crowd": name, **{way: float(np.median(times)) for way, times in taken.items()}}


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "sets": of_sets,
    "models": of_models,
    "others": of_others,
    "known": of_known,
    "alarms": of_alarms,
    "power": of_power,
    "independent": of_independent,
    "few": of_few,
    "next": of_next,
    "speed": of_speed,
}


def results() -> dict[str, Any]:
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def keep(part: str, rows: list[Row]) -> None:
    found = results() | {"machine": machine(), part: rows}
    ordered = {name: found[name] for name in ("machine", *PARTS) if name in found}
    with replacing(FILE) as file:
        file.write(as_text(ordered).encode())


def as_text(found: dict[str, Any]) -> str:
    """JSON with a row a line."""
    parts = []
    for name, rows in found.items():
        text = json.dumps(rows, ensure_ascii=False)
        if isinstance(rows, list):
            text = "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"
        parts.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def files() -> dict[Path, bytes]:
    """The page and its figure."""
    found = results()
    text = filled(PAGE.read_text(), tables(found))
    return {PAGE: text.encode(), FIGURE: figure(found).encode()}


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART")
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("CANDIDLY_DATA"), help="real files"
    )
    parser.add_argument("--sets", type=Path, help="`data` of yuan-li/truth-inference-at-scale")
    asked = parser.parse_args()
    if asked.data is not None:
        asked.data = Path(asked.data)
    warnings.simplefilter("ignore")  # labels that nobody gave
    for part in asked.parts:
        rows = []
        for row in PARTS[part](asked):
            rows.append(row)
            print(part, json.dumps(row, ensure_ascii=False)[:300], flush=True)
        if not asked.quick:
            keep(part, rows)
    settle(files(), asked, "python -m studies.shared_errors")


if __name__ == "__main__":
    main()
