"""How configurations of hyper-parameters are found, and which runs are stopped early, as a text.

``random``, the benchmark's way, draws all of them before anything is trained. ``tpe``, Optuna's
tree-structured Parzen estimator (Bergstra et al., "Algorithms for hyper-parameter optimization",
NeurIPS 2011), learns from the configurations that were trained. It does so for each data set,
algorithm and split by itself, and reads nothing but the value by which a criterion would choose a
run: no split learns from what another one has held out. Loads neither torch nor Optuna.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ...ground.names import UnknownName, lookup, nearest, shortened
from .criterion import CORRECTED, CRITERIA, Criterion

SAMPLERS = ("random", "tpe")
KEPT: Mapping[str, float] = {"median": 50.0, "quarter": 25.0}  # per cent of runs that go on

BEHIND = {
    "median": "worse than the median of finished ones",
    "quarter": "not in the best quarter of finished ones",
}


@dataclass(frozen=True)
class Search:
    """A search of hyper-parameters.

    Attributes:
        sampler: what draws configurations, one of ``SAMPLERS``.
        by: the criterion whose value is to be as high as possible; '' for the usual one, CR with
            candidate sets and NVA with given labels alone.
        start: configurations that are drawn at random first, the defaults among them.
        round: configurations that are asked for together, and trained together, afterwards.
        prune: which runs of later rounds are stopped at a record: those whose best value so far is
            below the ``median`` of the finished runs' values at that record, or not in the best
            ``quarter`` of them; '' for none.
    """

    sampler: str = "random"
    by: str = ""
    start: int = 10
    round: int = 4
    prune: str = ""

    @property
    def text(self) -> str:
        """What ``search`` reads this from, at its shortest."""
        usual = Search(self.sampler)
        options = ",".join(
            f"{field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if getattr(self, field.name) != getattr(usual, field.name)
        )
        return f"{self.sampler}:{options}" if options else self.sampler

    @property
    def learns(self) -> bool:
        """Whether configurations depend on those before them."""
        return self.sampler != "random"

    @property
    def waits(self) -> bool:
        """Whether runs wait for those of earlier rounds."""
        return self.learns or bool(self.prune)

    def drawn(self, configs: int) -> int:
        """How many of so many configurations are known before anything is trained."""
        return min(self.start, configs) if self.learns else configs

    def round_of(self, config: int) -> int:
        """The round that a configuration is trained in; 0 for all where nothing has to wait.

        >>> [Search("tpe", start=3, round=2).round_of(config) for config in range(7)]
        [0, 0, 0, 1, 1, 2, 2]
        """
        if not self.waits or config < self.start:
            return 0
        return 1 + (config - self.start) // self.round

    def round_end(self, config: int) -> int:
        """The first configuration behind the round of this one."""
        return self.start + self.round_of(config) * self.round

    def criterion(self, reads: Collection[str]) -> Criterion:
        """The criterion of an algorithm that learns from these labels."""
        usual = "NVA" if set(reads) - {"truth"} == {"given"} else "CR"
        return CRITERIA[self.by or usual]


RANDOM = Search()


def search(text: str | None, name: str = "search") -> Search:
    """The search that a text names: ``SAMPLER`` or ``SAMPLER:key=value,...``; random for None.

    Args:
        name: what an error calls the text.

    Raises:
        UnknownName: no such sampler, key or choice; suggests the nearest and lists the rest.
        ValueError: no text, a value that the key cannot have, or a key that has no effect here.

    >>> search("tpe:by=cr,round=8").text, search("TPE").start
    ('tpe:by=CR,round=8', 10)
    """
    if text is None:
        return RANDOM
    if not isinstance(text, str):
        raise ValueError(f"{name} is {text!r}; give a text such as tpe:by=CR.")
    base, colon, options = text.partition(":")
    base, where = base.strip().lower(), f"{name} {shortened(text)}"
    if base not in SAMPLERS:
        raise UnknownName(
            f"{name} is {shortened(text)}{nearest(base, SAMPLERS)} Choose from: "
            f"{', '.join(SAMPLERS)}."
        )
    given: dict[str, Any] = {}
    for option in options.split(",") if colon else ():
        key, _, value = (part.strip() for part in option.partition("="))
        if key not in OPTIONS:
            raise UnknownName(
                f"{where} has no {key!r}{nearest(key, OPTIONS)} Choose from: {', '.join(OPTIONS)}."
            )
        if key in given:
            raise ValueError(f"{where} says {key} twice.")
        given[key] = OPTIONS[key](value, f"{where}: {key}")
    made = replace(Search(base), **given)
    if given and not made.learns and not made.prune:
        key = next(iter(given))
        raise ValueError(
            f"{where}: {key} has no effect on configurations that are drawn at random and trained "
            f"to the end. Leave {key} out, or add prune=median."
        )
    return made


def _count(value: str, name: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) < 7 and int(value)):
        raise ValueError(f"{name} is {value!r}; give a whole number from 1 on, such as 8.")
    return int(value)


def _kept(value: str, name: str) -> str:
    if value not in KEPT:
        raise UnknownName(
            f"{name} is {value!r}{nearest(value, KEPT)} Choose from: {', '.join(KEPT)}."
        )
    return value


def _criterion(value: str, name: str) -> str:
    try:
        known, criterion = lookup(CRITERIA, value, "criterion")
    except UnknownName as error:
        raise UnknownName(f"{name}: {error}") from None
    if criterion.measure is None or criterion.on_test or known == CORRECTED:
        able = (one.name for one in CRITERIA.values() if one.measure and not one.on_test)
        why = (
            "it looks at the test rows"
            if criterion.on_test
            else "it is known behind the training alone"
            if known == CORRECTED
            else "it compares nothing"
        )
        raise ValueError(
            f"{name} is {value!r}, which cannot guide a search: {why}. Choose from: "
            f"{', '.join(one for one in able if one != CORRECTED)}."
        )
    return known


OPTIONS: Mapping[str, Callable[[str, str], Any]] = {  # how a key's value is read
    "by": _criterion,
    "start": _count,
    "round": _count,
    "prune": _kept,
}


def search_note(text: str | None, criteria: Iterable[str], planned: int, known: int) -> str:
    """A sentence on how configurations were found, for people; '' for random search.

    Args:
        text: of the search.
        criteria: names of those that it went by.
        planned, known: runs, and how many of them have hyper-parameters by now.
    """
    asked = search(text)
    if not asked.waits:
        return ""
    by = " and ".join(dict.fromkeys(criteria))
    parts = ["Hyper-parameters: drawn at random"]
    if asked.learns:
        parts = [
            f"Hyper-parameters: searched with {asked.sampler.upper()} by {by} of the validation "
            f"rows, of each split by itself ({asked.start} configurations at random, then "
            f"{asked.round} at a time)"
        ]
    if asked.prune:
        kept = {
            "median": "worse than the median of finished ones",
            "quarter": "not in the best quarter of finished ones",
        }
        parts.append(f"runs {kept[asked.prune]} by {by} at a record were stopped there")
    if any(CRITERIA[name].reads_truth for name in criteria):
        parts.append("an oracle, as it read the true labels of the validation rows")
    note = "; ".join(parts)
    return note + (
        f"; {known:,} of {planned:,} runs are asked for so far." if known < planned else "."
    )
