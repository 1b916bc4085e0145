"""A consensus of what was read, with all that says how far to trust it, for whoever shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ...ground.arrays import door
from ...ground.names import lookup, made_by
from ...ground.progress import OnProgress, part
from ...show.document import Document
from ...show.grid import Grid
from ._alpha import krippendorff
from ._annotators import annotators, next_items
from ._consensus import Consensus
from ._drift import drift
from ._majority import Majority
from ._more_answers import MoreAnswers, check_reach, more_answers
from ._ways import METHODS, consensus, pool_beside
from .dependence import OpinionPool
from .files import CrowdRead
from .known import KnownItems, known_items, known_parts

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Settled:
    """What the answers of several annotators come to.

    Attributes:
        by: the name of the way to the consensus.
        consensus: one label an item.
        pool: the opinion pool of the same answers, which says how far to trust the consensus; None
            where there are too many annotators, items and classes for one.
        known: the consensus beside items whose label is known; None where there are none.
        more: how many more answers would reach the share of right labels that was asked for; or
            None.
        changes: who changed over time, as ``drift`` gives it; None where no time was read.
        people: every annotator, as ``annotators`` gives them.
    """

    by: str
    consensus: Consensus
    pool: OpinionPool | None
    known: KnownItems | None
    more: MoreAnswers | None
    changes: pl.DataFrame | None
    people: pl.DataFrame

    def document(
        self, read: Mapping[str, str] | None = None, notes: Sequence[str] = ()
    ) -> Document:
        """All of it as a page.

        Args:
            read: what to say of where answers and probabilities came from, by name.
            notes: what to say besides, such as warnings.
        """
        from .consensus_document import crowd_document

        return crowd_document(
            self.consensus,
            by=self.by,
            read=read,
            notes=notes,
            known=self.known,
            more=self.more,
            pool=self.pool,
            changes=self.changes,
        )

    def parts(self, top: int, more: str = "") -> list[str | Grid]:
        """Sentences and tables.

        Args:
            top: items and annotators in the tables. more: what gives the rest of them.
        """
        from .consensus_summary import consensus_grids, consensus_lines
        from .drift_document import drift_grid, drift_line

        found: list[str | Grid] = [*consensus_lines(self.consensus, self.by, self.pool)]
        found += [] if self.known is None else known_parts(self.known)
        found += [] if self.more is None else [str(self.more)]
        found += [] if self.changes is None else [drift_line(self.changes)]
        if top:
            found += consensus_grids(self.consensus, self.pool, self.people, top, more)
            found += [] if self.changes is None else [drift_grid(self.changes, top)]
        return found

    def as_dict(self, top: int) -> dict[str, Any]:
        """All of it by name, of plain values, with so many items and annotators."""
        found, pool, answers = self.consensus, self.pool, self.consensus.answers
        return {
            "by": self.by,
            "answers": len(answers),
            "items": answers.n,
            "classes": list(answers.classes),
            "unsaid": int(found.unsaid.sum()),
            "alpha": krippendorff(answers).as_dict(),
            "claim": pool.claim._asdict() if pool and pool.compared else None,
            "calibration": pool and pool.calibration and pool.calibration._asdict(),
            "shared_errors": pool and pool.shared.as_dict(top),
            "ties": found.ties if isinstance(found, Majority) else None,
            "known": None if self.known is None else self.known.as_dict(),
            "reach": None if self.more is None else asdict(self.more),
            "changes": None if self.changes is None else self.changes.head(top).rows(named=True),
            "consensus": found.table().head(top).rows(named=True),
            "annotators": self.people.head(top).rows(named=True),
            "next": next_items(found, top).rows(named=True),
        }


@door
def settle(
    read: CrowdRead,
    by: str = "opinion-pool",
    *,
    reach: float | None = None,
    seed: int = 0,
    workers: int = 1,
    watch: OnProgress = lambda done, total: None,
) -> Settled:
    """One label an item of what was read, and all that says how far to trust it.

    Args:
        read: what ``read_crowd`` gives.
        by: a name in ``METHODS``.
        reach: a share of labels that more answers should make right; says how many those are. For
            opinion-pool, dawid-skene and one-coin.
        seed: the seed of ties and of draws.
        workers: threads; their number changes no bit of the result.
        watch: called with work done and work in all.

    Raises:
        ValueError, KeyError: see ``consensus`` and ``more_answers``.
    """
    made_by(read, CrowdRead, "read", "crowd.read_crowd")
    name = lookup(METHODS, by, "way to a consensus")[0]
    if reach is not None:
        check_reach(name, read.probs is not None)
    steps = 2 if reach is None else 3
    tell = [part(watch, step, step + 1, steps) for step in range(steps)]
    found = consensus(read.answers, name, read.probs, seed, tell[0], workers, read.known)  # type: ignore[arg-type]
    pool = pool_beside(found, read.probs, read.known, seed, tell[1], workers)
    more = None
    if reach is not None:
        more = more_answers(found, reach, seed=seed, watch=tell[2])  # type: ignore[arg-type]
    return Settled(
        by=name,
        consensus=found,
        pool=pool,
        known=None if read.known is None else known_items(found, read.known, name),
        more=more,
        changes=None if read.when is None else drift(read.answers, read.when),
        people=annotators(found, read.known),
    )
