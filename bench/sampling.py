"""Counts of wrong labels from checked rows: how often their intervals hold, and how wide they are.

Ten populations, in which the chances of `errors.estimate` are right, miss half of the errors, see
errors where there are none, or say nothing; three budgets of answers; 600 draws each.

    python bench/sampling.py            about a minute; writes bench/results/sampling.json
    python bench/sampling.py --quick    a few draws; writes nothing
"""

from __future__ import annotations

import numpy as np

from _bench import Claim, at_least, main
from candidly.errors.amount import WrongLabels, count_checked, rows_to_check

BUDGETS = (50, 100, 200)
DRAWS = 600
ROWS = 6000


def populations() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Chances (n,) and which labels are wrong (n,), by name."""
    rng = np.random.default_rng(0)
    sure = np.where(rng.random(ROWS) < 0.1, rng.beta(5, 1, ROWS), rng.beta(0.3, 20, ROWS))
    vague = rng.beta(0.5, 4, ROWS)
    nothing = np.zeros(ROWS)
    clear = (rng.random(ROWS) < 0.05).astype(float)

    def drawn(chance: np.ndarray) -> np.ndarray:
        return rng.random(ROWS) < chance

    return {
        "right chances, sure": (sure, drawn(sure)),
        "right chances, vague": (vague, drawn(vague)),
        "half of the errors unseen": (sure, drawn(sure) | drawn(np.full(ROWS, 0.08))),
        "errors on unclear rows come on top": (sure, drawn(np.clip(2 * sure, 0, 0.9))),
        "chances twice too high": (vague, drawn(vague / 2)),
        "nothing expected, 2 % wrong": (nothing, drawn(np.full(ROWS, 0.02))),
        "nothing expected, none wrong": (nothing, np.zeros(ROWS, bool)),
        "nothing expected, a third wrong": (nothing, drawn(np.full(ROWS, 0.33))),
        "all seen for certain": (clear, clear > 0),
        "the opposite of what is expected": (clear, clear == 0),
    }


def measure(quick: bool) -> list[Claim]:
    claims = []
    for name, (chance, wrong) in populations().items():
        share, labelled = float(chance.mean()), np.ones(ROWS, bool)
        found = WrongLabels(
            ROWS, share, 0, 1, (0, 0, 1), (), chance, 1, 1, ROWS, has_label=labelled
        )
        for budget in BUDGETS:
            held, width = [], []
            for seed in range(20 if quick else DRAWS):
                drawn = rows_to_check(found, budget, seed)
                count = count_checked(drawn, wrong[drawn.rows])
                held.append(count.low <= wrong.sum() <= count.high)
                width.append(count.high - count.low)
            about = f"{name}, {budget} answers"
            claims.append(at_least(f"{about}: holds, %", 100 * float(np.mean(held)), 95))
            claims.append(Claim(f"{about}: width, % of the rows", 100 * np.mean(width) / ROWS))
    return claims


if __name__ == "__main__":
    main("sampling", __doc__ or "", measure)
