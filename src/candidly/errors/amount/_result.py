"""How many labels are wrong: the numbers, and the sentences that they carry."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...ground.numbers import count_of
from ._moves import EVENLY, INTO, OUT_OF, Move

PREMISE = "If errors strike clear and unclear rows alike"
NARROW = 0.25  # an interval that reaches no further from the number, in its parts, names a number
POINT = 0.01  # or in shares of all labels
POOR = 0.001  # a p-value below which labels do not lie about their probabilities as they should
NAMED = 4  # moves that are named
MEMORY, MANY = 0.001, 1000  # contradicted of so many labels: a model that has memorised them?


@dataclass(frozen=True, eq=False)
class WrongLabels:
    """How many labels are wrong, on the premise that errors strike clear and unclear rows alike.

    The premise: whether a label is wrong, and which other it is, depends on its row's true class
    alone; and the classifier is right where it is sure. Then rows that are clear and contradicted
    betray how many unclear ones are wrong.

    Attributes:
        labelled: how many labels there are.
        share: of these, how much is wrong; NaN where nothing can be said.
        low, high: from and to, with 95 % confidence if the premise holds.
        accuracy: of the classifier on true labels, in [0, 1]: from, about and to, on the premise.
        moves: where errors go; empty: overlap of the classes explains every contradiction.
        chance: float64 (n,), each row's chance that its label is wrong; NaN without a label.
        disagreement: share of labels that are not the prediction. No more are wrong if the labels
            are at least as often right as the predictions.
        fits: p-value of a test of fit, in [0, 1]; small: premise or probabilities do not hold.
        fitted: to how many rows.
        why: why nothing can be said; empty where something can.
        classes: their names, where they are known.
        has_label: bool (n,), which rows have a label.
        transition: float64 (m, m), P(given label = column | true = row), on the premise; NaN where
            nothing can be said.
    """

    labelled: int
    share: float
    low: float
    high: float
    accuracy: tuple[float, float, float]
    moves: tuple[Move, ...]
    chance: np.ndarray = field(repr=False)
    disagreement: float
    fits: float
    fitted: int
    why: str = ""
    classes: tuple[str, ...] | None = field(default=None, repr=False)
    has_label: np.ndarray = field(default_factory=lambda: np.zeros(0, bool), repr=False)
    transition: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    @property
    def number(self) -> int | None:
        """How many labels are wrong; None where nothing can be said."""
        return None if self.why else round(self.share * self.labelled)

    @property
    def least(self) -> int | None:
        """How many at least."""
        return None if self.why else math.floor(self.low * self.labelled)

    @property
    def most(self) -> int | None:
        """How many at most, of errors that strike clear and unclear rows alike."""
        return None if self.why else math.ceil(self.high * self.labelled)

    @property
    def narrow(self) -> bool:
        """Whether the interval is so narrow that a number may be named."""
        half = max(self.high - self.share, self.share - self.low)
        return not self.why and half <= max(POINT, NARROW * self.share)

    def at_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The transition matrix at both ends of the interval: (m, m) each.

        Errors of the kinds that were found, as often as an end says; even ones where none were.
        """
        q = len(self.transition)
        off = self.transition - np.eye(q)
        if not self.moves:
            off = (np.ones((q, q)) - q * np.eye(q)) / (q - 1)
        each = off / (self.share if self.moves else 1)
        low, high = (np.maximum(np.eye(q) + end * each, 0) for end in (self.low, self.high))
        return low / low.sum(1, keepdims=True), high / high.sum(1, keepdims=True)

    def silenced(self, why: str) -> WrongLabels:
        """The same, saying nothing but why."""
        nan = math.nan
        none = nan, nan, nan
        said = replace(self, why=why, share=nan, low=nan, high=nan, accuracy=none, moves=())
        return replace(said, transition=np.full_like(self.transition, nan))

    def headline(self) -> str:
        """How many labels are wrong, and on which premise, in a sentence."""
        if self.why:
            return f"How many of {self.labelled:,} labels are wrong cannot be told: {self.why}."
        number, least, most = self._rounded()
        of = f"of {self.labelled:,} labels"
        if not self.moves:
            return (
                f"Classes that overlap can explain every contradiction. {PREMISE}, at most {most} "
                f"{of} {_are(most)} wrong."
            )
        if not self.narrow:
            return f"{PREMISE}, {least} to {most} {of} are wrong."
        return f"{PREMISE}, about {number} ({least} to {most}) {of} are wrong, {self.share:.1%}."

    def as_dict(self) -> dict[str, Any]:
        """The numbers by name, of plain values, with the premise that they rest on."""
        return {
            "number": self.number,
            "from": self.least,
            "to": self.most,
            "premise": PREMISE.removeprefix("If "),
            "accuracy": None if self.why else dict(zip(("from", "about", "to"), self.accuracy)),
            "contradicted": round(self.disagreement * self.labelled),
            "labelled": self.labelled,
            "why not": self.why or None,
            "notes": list(self.findings()),
        }

    def findings(self) -> tuple[str, ...]:
        """What the number rests on, what it leaves out and what would tell, in sentences."""
        if self.why:
            return ()
        found = [*self._kinds()]
        found.append(
            "People err on unclear rows more often: such errors come on top. Mistakes that the "
            "classifier is sure of count as wrong labels. No probabilities tell either: only rows "
            "that people have checked do."
        )
        low, about, high = self.accuracy
        found.append(
            f"On the premise the classifier is right on {about:.1%} of the rows ({low:.1%} to "
            f"{high:.1%})."
        )
        upper = round(self.disagreement * self.labelled)
        found.append(
            f"The classifier contradicts {count_of(upper, 'label')}. No more are wrong if the "
            "labels are right at least as often as the classifier."
        )
        if self.disagreement < MEMORY and self.labelled >= MANY:
            found.append(
                f"The classifier agrees with {1 - self.disagreement:.2%} of the labels. If it had "
                "learned these very labels nothing can be told."
            )
        if self.fits < POOR:
            found.append(
                "The labels do not lie about the probabilities as the premise has it (p = "
                f"{self.fits:.0e}): the interval is widened for that, and may still be too narrow."
            )
        return tuple(found)

    def depth(self, order: np.ndarray, first: int) -> int | None:
        """How many of the first rows of a list are expected to be wrong, on the premise.

        None where nothing can be said.

        Args:
            order: int (rows,), the rows in the order of the list.
            first: how many of them.
        """
        return None if self.why else round(float(self.chance[order[:first]].sum()))

    def _kinds(self) -> list[str]:
        others = [move for move in self.moves if move.kind != EVENLY]
        if not others:
            return []
        named = "; ".join(map(self._named, others[:NAMED]))
        more = f"; and {len(others) - NAMED} more" if len(others) > NAMED else ""
        evenly = "of every class alike, and more " if len(others) < len(self.moves) else ""
        return [f"Errors were found {evenly}of these: {named}{more}."]

    def _named(self, move: Move) -> str:
        a, b = (str(k) if self.classes is None else repr(self.classes[k]) for k in (move.a, move.b))
        if move.kind == OUT_OF:
            return f"{a} given as any other"
        if move.kind == INTO:
            return f"any other given as {a}"
        return f"{a} given as {b}"

    def _rounded(self) -> tuple[str, str, str]:
        """The number and the ends of its interval, to the digits that this carries."""
        ends = self.low * self.labelled, self.high * self.labelled
        half = (ends[1] - ends[0]) / 2
        unit = 10 ** max(math.floor(math.log10(max(half / 2, 1))), 0)
        number = f"{round(self.share * self.labelled / unit) * unit:,}"
        fine = min(unit, _second_digit(ends[0]))  # 40 to 600, not 0 to 600
        low, high = math.floor(ends[0] / fine) * fine, math.ceil(ends[1] / unit) * unit
        return number, f"{low:,}", f"{min(high, self.labelled):,}"


def _second_digit(number: float) -> int:
    """What the second digit of a number counts, 1 at least."""
    return 10 ** max(math.floor(math.log10(max(number, 1))) - 1, 0)


def _are(number: str) -> str:
    return "is" if number == "1" else "are"
