"""A ranking from files: scores, and what people say of them; and the keys to check, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.ingest import Roles
from ...data.ingest.scores import (
    CheckedRead,
    ScoreColumns,
    ScoreTable,
    in_order_of,
    read_checked,
    read_scores,
    read_wins,
)
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ._checked import CheckedScores, keys_to_check, make_checked
from ._judged import JudgedScores, make_judged
from ._keys import Suspect, suspects, were_right
from ._scores import Scores, make_scores
from ._wins import Wins, make_wins

if TYPE_CHECKING:
    import polars as pl

    from ..checks import CheckingPlan


@dataclass(frozen=True, eq=False)
class RankingRead:
    """What was read.

    Attributes:
        scores: as ``rank`` takes them.
        suspects: items of which most models contradict the key; () where answers are not known.
        if_right: the scores were most models right on every suspect; None where there is none.
        table: as it was read; None for wins.
    """

    scores: Scores | CheckedScores | JudgedScores | Wins
    suspects: tuple[Suspect, ...] = ()
    if_right: CheckedScores | None = None
    table: ScoreTable | None = None

    def plan_table(self, plan: CheckingPlan, name: str = "id") -> pl.DataFrame:
        """The keys of a plan, in its order, for people who check them.

        Columns: place (from 1), the item's name and, where answers are known, the key and what
        models say, the most frequent first, with how many models do; then what people fill in,
        ``found``, or a column for each model, and ``void``.

        Args:
            plan: from ``keys_to_check``. name: of the column of items.
        """
        import polars as pl

        of = self.scores.published if isinstance(self.scores, CheckedScores) else self.scores
        assert isinstance(of, Scores)
        assert self.table is not None
        rows = _rows_of(of, self.table)[plan.items]
        columns: dict[str, Any] = {"place": range(1, len(rows) + 1), name: of.ids[plan.items]}
        empty = [""] * len(rows)
        if self.table.answers is None or self.table.key is None:
            columns |= {
                model: pl.Series([None] * len(rows), dtype=pl.Float64) for model in of.names
            }
        else:
            said = np.array([one[rows] for one in self.table.answers.values()]).T.tolist()
            columns["key"] = self.table.key[rows]
            columns["models say"] = [
                ", ".join(
                    f"{answer or 'nothing'} ({count})"
                    for answer, count in Counter(row).most_common()
                )
                for row in said
            ]
            columns["found"] = empty
        return pl.DataFrame({**columns, "void": empty})


def read_ranking(
    places: Sequence[Path | str],
    columns: ScoreColumns | None = None,
    *,
    roles: Roles | None = None,
    metric: str | None = None,
    between: tuple[float, float] = (0.0, 1.0),
    missing: str = "refuse",
    average: str = "items",
    people: Path | str | None = None,
    wins: bool = False,
    checked: Path | str | None = None,
    found: Path | str | None = None,
    plans: bool = False,
    seed: int = 0,
    watch: OnProgress = lambda done, total: None,
) -> RankingRead:
    """Scores from files, as ``rank`` takes them.

    Args:
        places, columns, roles, metric, watch: as of ``data.ingest.scores.read_scores``.
        between, missing, average: as of ``make_scores``.
        people: people's scores of some items, a table like that of ``places``, which then holds a
            judge's.
        wins: ``places`` is a table of comparisons.
        checked: keys that people checked, see ``read_checked``. found: those that a plan named.
        plans: whether keys are to be checked, even where none was.
        seed: of the plan.

    Raises:
        FileNotFoundError, ValueError: what does not fit; the message names the file.
    """
    columns = columns or ScoreColumns()
    keys = checked is not None or found is not None or plans
    if wins:
        given = {name: value for name, value in asdict(columns).items() if name != "groups"}
        refused = {**given, "metric": metric, "people": people, "checked": checked, "found": found}
        _refuse_beside("of comparisons of two models", "wins", refused)
        if len(places) > 1:
            raise Refusal("`wins` takes one table.", "put the tables together")
        return RankingRead(make_wins(**read_wins(places[0], roles, columns.groups)))
    if people is not None:
        refused = {"weights": columns.weights, "key": columns.key}
        refused |= {"checked": checked, "found": found}
        _refuse_beside("where people correct a judge", "people", refused)
    table = read_scores(places, roles, columns, metric, watch)
    if people is not None:
        return RankingRead(_judged(table, people, columns, roles, between), table=table)
    scores = make_scores(
        table.models,
        ids=table.ids,
        groups=table.groups,
        slices=table.slices,
        weights=table.weights,
        between=between,
        missing=missing,
        average=average,
    )
    doubted: tuple[Suspect, ...] = ()
    if_right = None
    if table.answers is not None and table.key is not None:
        doubted = suspects(table.answers, table.key, table.ids)
        if_right = _if_right(scores, table, doubted)
    if not keys:
        return RankingRead(scores, doubted, if_right, table)
    return RankingRead(
        _checked(scores, table, checked, found, roles, seed), doubted, if_right, table
    )


def _judged(
    table: ScoreTable,
    people: Path | str,
    columns: ScoreColumns,
    roles: Roles | None,
    between: tuple[float, float],
) -> JudgedScores:
    """A judge's scores, and people's from their file."""
    of_people = ScoreColumns(columns.model, columns.score, columns.run)
    return make_judged(
        table.models,
        in_order_of(read_scores([people], roles, of_people, None), table),
        ids=table.ids,
        groups=table.groups,
        slices=table.slices,
        between=between,
    )


def _refuse_beside(what: str, why: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise Refusal(f"`{name}` says nothing {what} (`{why}`).", "leave it out")


def _rows_of(scores: Scores, table: ScoreTable) -> np.ndarray:
    """Which row of the table each item is: int64 (n,); some were left out."""
    place = {name: k for k, name in enumerate(table.ids.tolist())}
    return np.array([place[name] for name in scores.ids.tolist()], np.int64)


def _answers(scores: Scores, table: ScoreTable, rows: np.ndarray) -> dict[str, np.ndarray] | None:
    answers = table.answers
    return None if answers is None else {name: answers[name][rows] for name in scores.names}


def _if_right(
    scores: Scores, table: ScoreTable, doubted: Sequence[Suspect]
) -> CheckedScores | None:
    rows = _rows_of(scores, table)
    answers = _answers(scores, table, rows)
    if not doubted or answers is None:
        return None
    return were_right(scores, answers, doubted)


def _checked(
    scores: Scores,
    table: ScoreTable,
    checked: Path | str | None,
    found: Path | str | None,
    roles: Roles | None,
    seed: int,
) -> CheckedScores:
    """What was checked before, and then the first items of the plan."""
    rows = _rows_of(scores, table)
    answers = _answers(scores, table, rows)
    nothing = CheckedRead(
        {name: np.full(len(table.ids), np.nan) for name in scores.names},
        np.zeros(len(table.ids), bool),
        None if answers is None else np.zeros(len(table.ids), bool),
    )
    before = nothing if checked is None else read_checked(checked, table, roles)
    start = _made(scores, before, rows, answers, (), seed)
    if found is None:
        return start
    then = read_checked(found, table, roles)
    twice = np.flatnonzero(before.looked & then.looked)
    if len(twice):
        raise Refusal(
            f"Item {table.ids[twice[0]]} is in both {checked} and {found}.",
            "leave it out of one of them",
        )
    items = keys_to_check(start).items
    looked = then.looked[rows]
    drawn = items[: int(looked.sum())]
    if not looked[drawn].all() or len(drawn) < looked.sum():
        late = drawn[~looked[drawn]]
        what = f"not {scores.ids[late[0]]}" if len(late) else "some that the plan has not"
        raise Refusal(
            f"{found} has {int(looked.sum()):,} checked items, and {what}: those of a plan are "
            "checked in its order.",
            "check the items of a plan from its first on",
            "make the plan again with the same files and the same `seed`",
            "give keys that were checked for another reason as `checked`",
        )
    changed = None
    if before.changed is not None and then.changed is not None:
        changed = before.changed | then.changed
    both = CheckedRead(
        {
            name: np.where(np.isnan(then.right[name]), before.right[name], then.right[name])
            for name in scores.names
        },
        before.void | then.void,
        changed,
    )
    return _made(scores, both, rows, answers, drawn, seed)


def _made(
    scores: Scores,
    read: CheckedRead,
    rows: np.ndarray,
    answers: dict[str, np.ndarray] | None,
    drawn: Sequence[int] | np.ndarray,
    seed: int,
) -> CheckedScores:
    return make_checked(
        scores,
        {name: read.right[name][rows] for name in scores.names},
        void=read.void[rows],
        changed=None if read.changed is None else read.changed[rows],
        answers=answers,
        drawn=drawn,
        seed=seed,
    )
