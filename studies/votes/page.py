"""docs/studies/votes.md, from the committed results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from candidly.stats import PairedT
from studies.kit.by_rows import AHEAD, ALPHA, BEHIND, OPEN, Line, Runs, by_way, mean_of, points
from studies.kit.by_rows import gains as gains_of
from studies.kit.by_rows import verdicts as verdicts_of
from studies.kit.cells import signed
from studies.kit.words import bullets, grid

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
ABOUT = {
    "LabelMe": "pictures as vectors, 8 classes: 1,000 to learn from, 2.5 answers each of 59 "
    "people; 1,188 scored; a network with 128 hidden units, 1,000 updates",
    "sentiment": f"sentences of film reviews as `{OF_TEXTS}` sees them, 2 classes: 4,999 to learn "
    "from, 5.6 answers each of 203 people; 3,999 phrases scored; a linear layer, 2,000 updates",
    "CIFAR-10N": f"50,000 pictures as `{OF_PICTURES}` sees them, 3 answers each of 747 people; "
    "the 10,000 test pictures scored; a linear layer, 2,000 updates",
    "CIFAR-10H, 3 answers": "10,000 pictures as the same encoder sees them, 3 drawn answers each "
    "without the names of those who gave them; 10,000 training pictures scored; a linear layer, "
    "1,000 updates",
    "CIFAR-10H, all answers": "the same with all answers, 51 a picture",
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
    parts = [
        "# Learning from the answers of several annotators",
        _answer(runs, found, said, cases),
        "## What was run",
        f"Written by `{COMMAND}` from `studies/votes/results/runs.jsonl`.",
        "Either the answers become one label a row, and cross-entropy learns from it; or it learns "
        "from the posterior, each row once for every label that it may have (`crowd.weighted_rows`)"
        "; or an algorithm learns [from the answers themselves]"
        "(../algorithms.md#learning-from-several-annotators-answers). Everything else is the same: "
        "default settings, a network and updates by data set, five seeds, the network at the end "
        "of the training. Nothing was chosen by the scored rows.",
        "\n".join(f"* **{case}**: {ABOUT[case]}." for case in cases),
        "## Accuracy and log loss",
        "*Labels right*: share of the labels that are learned from that are the truth. *Gain*: "
        "points of accuracy minus those of the majority's labels, with a 95 % interval over other "
        "trainings and other scored rows; in bold where the difference is shown, at "
        f"{100 * ALPHA:g} % by Holm's correction over all {len(said)} comparisons.",
        *(part for case in cases for part in (f"### {case}", _scores(runs, found, said, case))),
        "## Against people's doubt",
        "CIFAR-10H has 51 answers about each test picture. How near a model's probabilities are to "
        "the shares of these answers, where it learned from CIFAR-10N (`crowd.against_people`): "
        "cross-entropy in nats, Jensen-Shannon divergence in bits, and the rank correlation of the "
        "model's entropies with people's.",
        _doubt(runs),
        "## What this does not say",
        "Three crowds and one set of answers without names: no statement about others. One network "
        "and one number of updates a set; with more updates a network memorises wrong labels, and "
        "the ways differ in how soon. Log loss depends on how sharp predictions are, which a "
        "temperature that is fitted on checked rows changes.",
    ]
    return "\n\n".join(parts) + "\n", {}


def _answer(
    runs: Runs,
    found: Mapping[tuple[str, str], PairedT],
    said: Mapping[tuple[str, str], str],
    cases: Sequence[str],
) -> str:
    """The answer first."""
    groups = {
        "another consensus": CONSENSUS[1:],
        "the posterior of one": tuple(SOFT),
        "the answers themselves": OF_VOTES,
    }
    counts = {
        what: Counter(verdict for (_, way), verdict in said.items() if way in ways)
        for what, ways in groups.items()
    }
    told = [
        f"With {what}: {each[AHEAD]} of {each.total()} ahead, {each[BEHIND]} behind, {each[OPEN]} "
        "open."
        for what, each in counts.items()
    ]
    all_of = Counter(said.values())
    ahead = [
        f"{_called(way)} on {case}, {points(found[case, way])}"
        for (case, way), verdict in said.items()
        if verdict == AHEAD
    ]
    best = []
    for case in cases:
        ways = [way for name, way in found if name == case and way != TRUTH]
        first = max(ways, key=lambda way: found[case, way].difference or 0)
        called = _called(first).removeprefix("on ")
        best.append(f"{case} {points(found[case, first])} ({called})")
    least, *_, most = sorted(cases, key=lambda case: found[case, TRUTH].difference or 0)
    return "\n\n".join(
        [
            f"**Of {all_of.total()} comparisons with cross-entropy on the majority's labels "
            f"{all_of[AHEAD]} are ahead of it ({'; '.join(ahead) or 'none'}), {all_of[BEHIND]} "
            f"behind and {all_of[OPEN]} open.**",
            bullets(
                [
                    *told,
                    f"The largest gains in points: {', '.join(best)}.",
                    "The truth in place of the labels brings "
                    f"{points(found[least, TRUTH])} ({least}) to {points(found[most, TRUTH])} "
                    f"({most}).",
                ]
            ),
        ]
    )


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
