"""What the rule advises for a kind, and how the page words it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from candidly.show.words import listed
from studies.kit.words import minus

from .kinds import Kind
from .rule import ANY, CHEAP, LISTED, Choice, Gain, LeftOut, choose, leave_out, mean_gain

BUDGETS = (CHEAP, ANY)


@dataclass(frozen=True)
class Advice:
    """What the rule says of a kind, and what its check says of the rule.

    Attributes:
        choices, left_out: by budget.
    """

    kind: Kind
    choices: Mapping[float, Choice]
    left_out: Mapping[float, Sequence[LeftOut]]

    def checked(self, budget: float) -> Gain:
        """The mean gain of what is chosen without the label sets that it is tested on."""
        return mean_gain([one.gain for one in self.left_out[budget]])

    def seen(self, budget: float) -> Gain:
        """The gain of the first choice on the label sets that it was chosen by."""
        choice = self.choices[budget]
        return Gain(0.0, 0.0, 0) if choice.first is None else choice.rows[choice.first].gain

    def told(self, budget: float) -> bool:
        """Whether the choice is clearly above the baseline where it was left out."""
        return self.choices[budget].first is not None and self.checked(budget).sign > 0

    @property
    def names(self) -> list[str]:
        """What to try; nothing where the check fails.

        A slow algorithm is named if the check succeeds for it, with a larger gain than of the
        quick ones, or where that of these fails.
        """
        quick = self.told(CHEAP)
        names = list(self.choices[CHEAP].level[:LISTED]) if quick else []
        slow = self.choices[ANY].first
        larger = not quick or self.checked(ANY).mean > self.checked(CHEAP).mean
        if slow is not None and slow not in self.choices[CHEAP].level and self.told(ANY) and larger:
            names.append(slow)
        return names

    @property
    def first(self) -> str:
        """What to try first; the baseline where nothing is told apart from it."""
        return self.names[0] if self.names else self.kind.baseline

    @property
    def where(self) -> str:
        """Labels and inputs, with links to where all numbers are."""
        return f"{self.kind.title} ({links(self.kind.pages)})"


def advise(kind: Kind) -> Advice:
    return Advice(
        kind,
        {budget: choose(kind.sets, kind.baseline, budget) for budget in BUDGETS},
        {budget: leave_out(kind.groups, kind.baseline, budget) for budget in BUDGETS},
    )


def code(names: Iterable[str]) -> str:
    """Names of algorithms in a sentence."""
    return listed([f"`{name}`" for name in names])


def links(pages: Mapping[str, str]) -> str:
    return listed([f"[{words}]({page})" for words, page in pages.items()])


def points(found: Gain) -> str:
    """A gain in points, and its standard error."""
    return f"{minus(100 * found.mean, 1)} ± {100 * found.error:.1f}"
