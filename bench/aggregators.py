"""Further ways to a consensus beside crowd-kit's: how many times as fast, in CPU time.

Needs crowd-kit (pip install crowd-kit). The sides take turns. Its Wawa and ZeroBasedSkill are timed
without their last step, which fails with scikit-learn 1.7; MACE has one start and 50 rounds on both
sides, KOS two classes and 100 rounds, GLAD the settings that each has by default.

    python bench/aggregators.py            some minutes; writes bench/results/aggregators.json
    python bench/aggregators.py --quick    few answers; writes nothing
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import warnings
from collections.abc import Callable
from functools import partial

from _bench import Claim, at_least, cpu_timed, interleaved, main, median_ratio
from candidly import crowd
from candidly.people.crowd.aggregators import glad, kos, mace, wawa, zero_based_skill
from crowd import simulated

BAR, CLASSES, EACH = 10, 10, 18
Sides = dict[str, tuple[Callable[[], object], Callable[[], object]]]


def sides(answers: crowd.Answers) -> Sides:
    """Ours and theirs, by name."""
    import pandas as pd
    from crowdkit.aggregation import GLAD, KOS, MACE, Wawa, ZeroBasedSkill

    table = pd.DataFrame(
        {
            "task": answers.item.astype(str),
            "worker": answers.annotator.astype(str),
            "label": answers.label.astype(str),
        }
    )
    two = crowd.Answers.from_columns(answers.item, answers.annotator, answers.label % 2, classes=2)
    of_two = table.assign(label=two.label.astype(str))
    return {
        "kos": (partial(kos, two), lambda: KOS(n_iter=100).fit(of_two)),
        "wawa": (partial(wawa, answers), lambda: Wawa().fit(table)),
        "zero-based-skill": (
            partial(zero_based_skill, answers),
            lambda: ZeroBasedSkill().fit(table),
        ),
        "mace": (partial(mace, answers), lambda: MACE(n_restarts=1, n_iter=50).fit(table)),
        "glad": (partial(glad, answers), lambda: GLAD().fit(table)),
    }


def measure(quick: bool) -> list[Claim]:
    warnings.simplefilter("ignore")
    items = 200 if quick else 5000
    answers = simulated(items, 100, CLASSES, EACH)
    claims = [Claim("answers", len(answers.item))]
    for name, (ours, theirs) in sides(answers).items():
        ours()  # compiles
        mine, its = interleaved(1 if quick else 3, cpu_timed(ours), cpu_timed(theirs))
        claims.append(at_least(f"{name}: times as fast, CPU time", median_ratio(its, mine), BAR))
        print(claims[-1], flush=True)
    return claims


if __name__ == "__main__":
    main("aggregators", __doc__ or "", measure)
