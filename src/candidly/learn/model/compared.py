"""Several ways to learn, compared on rows that none of them has seen, and one of them chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.problem import Refusal
from ...ground.progress import OnProgress, part
from ...stats import holm
from ...stats.pairs import mcnemar
from ...stats.shares import share_interval
from ..classifiers import is_classifier
from ._judging import READ, check_enough, judged, kind_read, rights_of
from .stopping import fit_as_needed

ALPHA = 0.05


@dataclass(frozen=True)
class Contestant:
    """One way to learn, on the rows that it was compared on.

    Attributes:
        name: of an algorithm or a classifier.
        right: on how many rows it predicts the given label, or one of the candidates.
        low, high: of that share, 95 %.
        p: of McNemar's exact test against the one that was chosen, by Holm's correction; 1 of the
            chosen one.
    """

    name: str
    right: int
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Compared:
    """Which one is right most often.

    Attributes:
        chosen: its name; of equals the one that was named first.
        rows: on which they were compared.
        contestants: the best first.
    """

    chosen: str
    rows: int
    contestants: tuple[Contestant, ...]

    def __str__(self) -> str:
        """Who was chosen, and who is as good as far as these rows tell."""
        alike = [one.name for one in self.contestants if one.name != self.chosen and one.p > ALPHA]
        told = f"{self.chosen} is chosen"
        if not alike:
            return f"{told}: on these rows it is ahead of each other one beyond chance."
        return f"{told}; these rows do not tell it apart from {', '.join(alike)}."


def compare_ways(
    data: Labelled,
    names: Sequence[str],
    *,
    steps: int | str | None = None,
    seed: int = 0,
    scaling: str = "train",
    net: str | None = None,
    recipe: str | None = None,
    device: str = "cpu",
    watch: OnProgress = lambda done, total: None,
) -> Compared:
    """Train each on four fifths of the rows, and compare their predictions on the others.

    Where the data have an official validation set, it takes the place of the others.

    Labels of these may be wrong, too: who follows them best need not be right most often. Where
    errors do not depend on the inputs, both orders are the same.

    Args:
        data: what may be learned from. Rows that judge the chosen one must not be among it.
        names: algorithms and classifiers, distinct; all of them read the same labels.
        steps: of the algorithms, see ``fit_as_needed``: each stops early on a part of the four
            fifths that it learns from.
        scaling, net, recipe, device: of them, see ``fit``.
        seed: of which rows these are, and of every training.
        watch: called with work done and work in all.

    Raises:
        ValueError: one name, a name twice, algorithms that read other labels, too few rows.
    """
    if len(set(names)) < len(names) or len(names) < 2:
        raise ValueError(f"`against` leaves {', '.join(names)}; name at least two, each once.")
    of = {name: kind_read(name) for name in names}
    kinds = {by: next(n for n in names if of[n] == by) for by in READ if by in of.values()}
    if len(kinds) > 1:
        (by, one), (also, other) = [*kinds.items()][:2]
        raise Refusal(
            f"{one} learns from {READ[by]} and {other} from {READ[also]}; they are not"
            " compared on the same rows.",
            "name in `against` what learns from the same labels",
        )
    learned, seen = judged(data, seed)
    check_enough(data, seen, "against")
    how = {"net": net, "recipe": recipe, "scaling": scaling, "device": device}
    right = []
    for k, name in enumerate(names):
        tell = part(watch, k, k + 1, len(names))
        more = {} if is_classifier(name) else {"steps": steps, **how}
        model, _ = fit_as_needed(learned, name, seed=seed, watch=tell, **more)
        right.append(rights_of(model.predict_logits(seen).argmax(1), seen, *kinds))
    counts = [int(one.sum()) for one in right]
    best = int(np.argmax(counts))
    against = [k for k in range(len(names)) if k != best]
    tests = [_p(right[best], right[k]) for k in against]
    p = dict(zip(against, holm(np.array(tests)).tolist()))
    found = []
    for k in sorted(range(len(names)), key=lambda k: (-counts[k], k != best, k)):
        low, high = share_interval(np.array(counts[k]), seen.n).tolist()
        found.append(Contestant(names[k], counts[k], low, high, p.get(k, 1.0)))
    return Compared(names[best], seen.n, tuple(found))


def _p(best: np.ndarray, other: np.ndarray) -> float:
    """Of McNemar's exact test."""
    only, only_other = (best & ~other).sum(), (other & ~best).sum()
    return float(mcnemar(np.array(only), np.array(only_other)))
