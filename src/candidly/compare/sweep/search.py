"""How configurations of hyper-parameters are found, and which runs are stopped early, as a text.

``random``, the benchmark's way, draws all of them before anything is trained. ``tpe``, Optuna's
tree-structured Parzen estimator (Bergstra et al., "Algorithms for hyper-parameter optimization",
NeurIPS 2011), learns from the configurations that were trained. It does so for each data set,
algorithm and split by itself, and reads nothing but the value by which a criterion would choose a
run: no split learns from what another one has held out. Loads neither torch nor Optuna.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace

from ...ground.names import UnknownName, lookup, shortened
from ...ground.spec import Reader, integer, read, word, written
from .criterion import CORRECTED, CRITERIA, Criterion, usual

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
        options = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != getattr(usual, field.name)
        }
        return written(self.sampler, options)

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
        return CRITERIA[self.by or usual(reads)[0]]


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
    asked = read(text, name, "tpe:by=CR")
    sampler, _ = asked.lookup(dict.fromkeys(SAMPLERS), "search")
    given = asked.options(OPTIONS)
    made = replace(Search(sampler), **given)
    if given and not made.learns and not made.prune:
        key = next(iter(given))
        raise ValueError(
            f"{name} {shortened(text)}: {key} has no effect on configurations that are drawn at "
            f"random and trained to the end. Leave {key} out, or add prune=median."
        )
    return made


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


OPTIONS: Mapping[str, Reader] = {
    "by": _criterion,
    "start": integer(1, 999_999, 8),
    "round": integer(1, 999_999, 8),
    "prune": word(*KEPT),
}


def search_note(text: str | None, criteria: Iterable[str], planned: int, known: int) -> str:
    """A sentence on how configurations were found, for people; '' for random search.

    Args:
        text: the text of the search.
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
