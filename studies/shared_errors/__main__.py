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
from studies.kit.figures import alone
from studies.kit.pages import filled, options_of, settle
from studies.shared_errors.crowds import SHAPES, models, real_crowds, simulated

FILE = Path(__file__).with_name("results") / "parts.json"
BINS = 15
Row = dict[str, Any]


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


# the page

PAGE = Path(__file__).parents[2] / "docs" / "shared-errors.md"
FIGURE = PAGE.parent / "images" / "shared-errors.svg"


def signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")


def table(heads: str, rows: list[str]) -> str:
    names = heads.split(" | ")
    ruler = " | ".join("---" if k == 0 else "---:" for k in range(len(names)))
    return "\n".join([f"| {heads} |", f"| {ruler} |", *(f"| {row} |" for row in rows)])


def tables(found: dict[str, Any]) -> dict[str, str]:
    """Markdown by the name of its place in the page."""
    ways = ("majority", "dawid-skene", "opinion-pool")
    sets = [
        " | ".join(
            [
                f"{row['set']}",
                *(f"{row[way]['right']:.1f}" for way in ways),
                *(signed(row[way]["gap"]) for way in ways),
                *(f"{row[way]['ece']:.3f}" for way in ways[1:]),
                f"{row['claim'][1]:.0f} to {row['claim'][2]:.0f}{'' if row['holds'] else ' †'}",
            ]
        )
        for row in found["sets"]
    ]
    alarms: dict[str, list[Row]] = {}
    for row in found["alarms"]:
        alarms.setdefault(row["shape"], []).append(row)
    power: dict[str, list[Row]] = {}
    for row in found["power"]:
        power.setdefault(row["shape"], []).append(row)
    claims: dict[str, list[Row]] = {}
    for row in found["independent"]:
        claims.setdefault(row["shape"], []).append(row)
    percent = "{:.0f}".format
    return {
        "sets": table(
            "crowd | right %: majority | Dawid–Skene | pool | claimed − right: majority |"
            " Dawid–Skene | pool | ECE: Dawid–Skene | pool | interval of the claim",
            sets,
        ),
        "alarms": table(
            "crowd | independent: pairs | together | repeats | difficult items: repeats |"
            " very difficult: repeats",
            [
                " | ".join(
                    [
                        name,
                        *(
                            percent(100 * rows[0][test])
                            for test in ("pairs", "together", "repeats")
                        ),
                        *(percent(100 * row["repeats"]) for row in rows[1:]),
                    ]
                )
                for name, rows in alarms.items()
            ],
        ),
        "power": table(
            "crowd | " + " | ".join(f"{100 * row['copies']:.0f} %" for row in power["14 models"]),
            [
                " | ".join([name, *(percent(100 * row["repeats"]) for row in rows)])
                for name, rows in power.items()
            ],
        ),
        "claims": table(
            "crowd | independent: right | claimed − right | difficult: right | claimed − right |"
            " Dawid–Skene | very difficult: right | claimed − right | Dawid–Skene",
            [
                " | ".join(
                    [
                        name,
                        f"{rows[0]['right']:.1f}",
                        signed(rows[0]["gap"]),
                        *(
                            cell
                            for row in rows[1:]
                            for cell in (
                                f"{row['right']:.1f}",
                                signed(row["gap"]),
                                signed(row["dawid-skene gap"]),
                            )
                        ),
                    ]
                )
                for name, rows in claims.items()
            ],
        ),
        "said": said(found),
        "others": (
            "On the language models "
            + ", ".join(f"`{row['by']}` claims {row['gap']:.1f}" for row in found["others"])
            + " points too much."
        ),
        "known": table(
            "known items | crowds | largest mean gap | mean distance of a draw | draws within 2"
            " points | mean ECE",
            [
                " | ".join(
                    [
                        str(number),
                        str(len(rows)),
                        f"{max(abs(row['mean']) for row in rows):.1f}",
                        f"{np.mean([row['absolute'] for row in rows]):.1f}",
                        f"{100 * np.mean([row['within 2'] for row in rows]):.0f} %",
                        f"{np.mean([row['ece'] for row in rows]):.3f}",
                    ]
                )
                for number in (50, 200)
                for rows in [[row for row in found["known"] if row["known"] == number]]
            ],
        ),
        "next-said": next_said(found["next"]),
        "next": table(
            "crowd | right with all answers | opinion pool | Dawid–Skene | fewest answers first",
            [
                " | ".join([name, f"{goal:.1f}", *(f"{number:.2f}" for number in numbers)])
                for name, goal, numbers in needed(found["next"])
            ],
        ),
        "speed": table(
            "crowd | `shared_errors` s | `opinion_pool` s | `dawid_skene` s",
            [
                f"{row['crowd']} | {row['shared_errors']:.2f} | {row['opinion_pool']:.2f} |"
                f" {row['dawid_skene']:.3f}"
                for row in found["speed"]
            ],
        ),
    }


def said(found: dict[str, Any]) -> str:
    """What the table of real crowds comes to."""
    rows, draws = found["sets"], found["models"]

    def where(holds: Callable[[Row], bool]) -> str:
        names = [row["set"] for row in rows if not holds(row)]
        few = f" (not on {', '.join(names)})" if names else ""
        return f"on {len(rows) - len(names)} of {len(rows)} crowds{few}"

    def pair(row: Row, what: str) -> tuple[float, float]:
        return row["opinion-pool"][what], row["dawid-skene"][what]

    gains = [pair(row, "right")[0] - pair(row, "right")[1] for row in rows]
    worse = [row["set"] for row, gain in zip(rows, gains) if gain < 0 and row["p"] < 0.05]
    beaten = (
        f"worse by McNemar's test (p < 0.05) on {', '.join(worse)}"
        if worse
        else ("nowhere worse by McNemar's test")
    )
    mine = [row["opinion-pool"] for row in draws]
    held = sum(row["holds"] for row in rows)
    return (
        f"The pool's calibration error is below that of Dawid–Skene"
        f" {where(lambda row: np.subtract(*pair(row, 'ece')) < 0)}, its log loss"
        f" {where(lambda row: np.subtract(*pair(row, 'loss')) < 0)}. It is right"
        f" {signed(float(np.mean(gains)))} points more often in the mean of the crowds, {beaten}."
        f" The interval holds the share that is right on {held} of {len(rows)}. With five of the 14"
        f" models, drawn {len(draws)} times, the pool claims"
        f" {signed(float(np.mean([one['gap'] for one in mine])))} points more than is right in the"
        f" mean, {max(abs(one['gap']) for one in mine):.1f} at most, its ECE is"
        f" {np.mean([one['ece'] for one in mine]):.3f}, and the interval holds in"
        f" {sum(row['holds'] for row in draws)}; Dawid–Skene claims"
        f" {signed(float(np.mean([row['dawid-skene']['gap'] for row in draws])))}."
    )


def next_said(rows: list[Row]) -> str:
    """Which way needs the fewest answers, crowd by crowd."""
    found = [numbers for _, _, numbers in needed(rows)]
    fewer = sum(pool < usual for pool, usual, _ in found)
    more = sum(pool > usual for pool, usual, _ in found)
    even = sum(pool < plain for pool, _, plain in found)
    return (
        f"By the pool's priorities it takes fewer answers than by Dawid–Skene's on {fewer} of"
        f" {len(found)} crowds and more on {more}; fewer than by asking where there are fewest on"
        f" {even}."
    )


def needed(rows: list[Row]) -> Iterator[tuple[str, float, list[float]]]:
    """Of each crowd the share that is right at last, less half a point, and the answers an item
    after which each way has it and keeps it, in the mean of the draws."""
    for name in dict.fromkeys(row["set"] for row in rows):
        mine = [row for row in rows if row["set"] == name]
        ends = [row["curve"][-1][1] for row in mine]
        goal = float(np.mean(ends)) - 0.5
        numbers = []
        for way in dict.fromkeys(row["way"] for row in mine):
            reached = []
            for row in mine:
                if row["way"] == way:
                    number, right = np.array(row["curve"]).T
                    late = np.flatnonzero(right < goal)
                    reached.append(number[min(late[-1] + 1, len(number) - 1) if len(late) else 0])
            numbers.append(float(np.mean(reached)))
        yield name, goal, numbers


def figure(found: dict[str, Any]) -> str:
    """Claimed minus right of every crowd: Dawid and Skene's model, the pool and its interval."""
    from candidly.show.figures import FAINT, INK, SERIES, draw_svg

    rows = sorted(found["sets"], key=lambda row: row["dawid-skene"]["gap"])

    def draw(axes: Any) -> None:
        for place, row in enumerate(rows):
            right = row["opinion-pool"]["right"]
            low, high = (end - right for end in row["claim"][1:])
            axes.plot([low, high], [place, place], color=FAINT, lw=4, alpha=0.5, zorder=1)
        for k, (way, mark, name) in enumerate(
            (("dawid-skene", "D", "Dawid–Skene"), ("opinion-pool", "o", "opinion pool"))
        ):
            gaps = [row[way]["gap"] for row in rows]
            colour = SERIES[1 - k]
            axes.plot(gaps, range(len(rows)), mark, ms=5, color=colour, label=name, ls="")
        axes.axvline(0, color=INK, lw=0.8)
        axes.set_yticks(range(len(rows)), [row["set"] for row in rows])
        axes.set_xlabel("claimed minus right, in points")
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.legend(frameon=False, loc="lower right")

    worst = rows[-1]
    about = (
        f"{len(rows)} crowds; Dawid–Skene claims {rows[0]['dawid-skene']['gap']:.1f} to"
        f" {worst['dawid-skene']['gap']:.1f} points too much."
    )
    title = "What is claimed, beside what is right"
    return alone(draw_svg(draw, title, about, len(rows), width=7.2))


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
