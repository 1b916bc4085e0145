"""docs/studies/votes.md, from the committed results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from candidly.stats import PairedT
from studies.kit.by_rows import AHEAD, ALPHA, BEHIND, OPEN, Line, Runs, by_way, mean_of, points
from studies.kit.by_rows import gains as gains_of
from studies.kit.by_rows import verdicts as verdicts_of
from studies.kit.cells import signed
from studies.kit.template import rendered
from studies.kit.words import grid

from .cases import CASES, CONSENSUS, OF_PICTURES, OF_TEXTS, OF_VOTES, SOFT, TRUTH

PAGE = "studies/votes.md"
COMMAND = "python -m studies.votes"
BASE = "majority"
SCORED = {"LabelMe": 1188, "sentiment": 3999}  # rows; of the others 10,000
NAMED = {
    "majority": "cross-entropy on the majority",
    "dawid-skene": "on Dawid-Skene's labels",
    "opinion-pool": "on the opinion pool's",
    "dawid-skene-soft": "on Dawid-Skene's posterior",
    "opinion-pool-soft": "on the opinion pool's posterior",
    TRUTH: "on the truth: an oracle",
}


def scored(case: str) -> int:
    return SCORED.get(case, 10_000)


def gains(runs: Runs) -> dict[tuple[str, str], PairedT]:
    """Accuracy minus that of the majority's labels."""
    return gains_of(runs, BASE, scored)


def verdicts(found: Mapping[tuple[str, str], PairedT]) -> dict[tuple[str, str], str]:
    return verdicts_of(found, TRUTH)


def make_page(lines: Iterable[Line]) -> tuple[str, dict[str, str]]:
    """The page's text; it has no figures."""
    runs = by_way(lines)
    found = gains(runs)
    said = verdicts(found)
    cases = [case for case in CASES if (case, BASE) in runs]
    ways = {
        "another consensus": CONSENSUS[1:],
        "the posterior of one": tuple(SOFT),
        "the answers themselves": OF_VOTES,
    }
    least, *_, most = sorted(cases, key=lambda case: found[case, TRUTH].difference or 0)
    values = {
        "command": COMMAND,
        "of_texts": OF_TEXTS,
        "of_pictures": OF_PICTURES,
        "cases": cases,
        "alpha": ALPHA,
        "all": _counts(said.values()),
        "ahead": [
            f"{_called(way)} on {case}, {points(found[case, way])}"
            for (case, way), verdict in said.items()
            if verdict == AHEAD
        ],
        "groups": [
            (what, _counts(verdict for (_, way), verdict in said.items() if way in some))
            for what, some in ways.items()
        ],
        "largest": [_largest(found, case) for case in cases],
        "truth": [f"{points(found[case, TRUTH])} ({case})" for case in (least, most)],
        "scores": {case: _scores(runs, found, said, case) for case in cases},
        "doubt": _doubt(runs),
    }
    return rendered(Path(__file__).with_name("page.md"), values), {}


def _counts(verdicts: Iterable[str]) -> dict[str, int]:
    found = Counter(verdicts)
    return {"total": found.total()} | {each: found[each] for each in (AHEAD, BEHIND, OPEN)}


def _largest(found: Mapping[tuple[str, str], PairedT], case: str) -> str:
    """The largest gain of a case, and whose it is."""
    ways = [way for name, way in found if name == case and way != TRUTH]
    first = max(ways, key=lambda way: found[case, way].difference or 0)
    return f"{case} {points(found[case, first])} ({_called(first).removeprefix('on ')})"


def _called(way: str) -> str:
    return NAMED.get(way, f"`{way}`")


def _scores(
    runs: Runs,
    found: Mapping[tuple[str, str], PairedT],
    said: Mapping[tuple[str, str], str],
    case: str,
) -> str:
    rows = []
    for way in CASES[case].ways:
        mine = runs.get((case, way), ())
        if not mine:
            continue
        gain = ""
        if way != BASE:
            gain = signed(found[case, way], said.get((case, way), OPEN) != OPEN)
        rows.append(
            [
                _called(way),
                mean_of(mine, "labels", ".1f", 100),
                mean_of(mine, "right", ".1f", 100),
                gain,
                mean_of(mine, "loss", ".3f"),
            ]
        )
    return grid(
        ["", "labels right, %", "accuracy, %", "gain", "log loss, nats"], rows, numbers=False
    )


def _doubt(runs: Runs) -> str:
    rows = []
    for way in CASES["CIFAR-10N"].ways:
        mine = runs.get(("CIFAR-10N", way), ())
        if mine:
            cells = [mean_of(mine, key, ".3f") for key in ("people", "divergence", "doubt")]
            rows.append([_called(way), *cells])
    return grid(["", "cross-entropy", "divergence", "correlation"], rows, numbers=False)
