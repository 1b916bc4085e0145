"""What people found of some keys: a table with the items that they checked."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ....ground.problem import Refusal
from .._columns import Columns, number_columns
from .._roles import Roles
from ..table_checks import listed
from ..unused import BESIDE, as_read, refuse_unused
from ._table import ScoreTable
from ._tables import answers_in, read_items

FOUND, VOID = "found", "void"
WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}


@dataclass(frozen=True, eq=False)
class CheckedRead:
    """What people found, for the items of a table of scores, as ``make_checked`` takes it.

    Attributes:
        right: name -> float64 (n,), scores by the right keys; NaN where nobody looked.
        void: bool (n,), no answer is right. changed: bool (n,), the published key is wrong.
    """

    right: Mapping[str, np.ndarray]
    void: np.ndarray
    changed: np.ndarray | None

    @property
    def looked(self) -> np.ndarray:
        """bool (n,): items that were checked."""
        return self.void | ~np.isnan(next(iter(self.right.values())))


def read_checked(path: Path | str, of: ScoreTable, roles: Roles | None = None) -> CheckedRead:
    """Keys that people checked.

    Args:
        path: a table whose column of items is called as in the scores. Where these are answers and
            a key: a column ``found``, the right answer, empty where nobody looked. Else a column
            for each model, its score by the right key. In either a column ``void`` may say, by
            true or 1, that no answer is right. Other columns are not read.
        of: the scores that were read. roles: ``id``, ``separator``, ``header`` and ``sheet``.

    Raises:
        FileNotFoundError, ValueError: a column that is not there, an item that the scores lack.
    """
    path = Path(path)
    refuse_unused(roles, as_read(path, BESIDE))
    read = read_items(path, replace(roles or Roles(), drop=()))
    if read.ids is None:
        raise Refusal(
            f"{path} has no column that names the items; its columns are "
            f"{listed(read.frame.columns)}.",
            "say which one does with `id`",
        )
    place = {name: k for k, name in enumerate(map(str, of.ids.tolist()))}
    beyond = [name for name in map(str, read.ids.tolist()) if name not in place]
    if beyond:
        raise Refusal(
            f"Item {beyond[0]!r} of {path} is not in {of.about} ({len(beyond):,} such items).",
            "name the items alike in both",
        )
    rows = np.array([place[str(name)] for name in read.ids.tolist()], np.int64)
    void = np.zeros(len(of.ids), bool)
    void[rows] = _void(read)
    if of.answers is None or of.key is None:
        return CheckedRead(_scores(read, of, rows), void, None)
    found = np.full(len(of.ids), "", dtype=object)
    found[rows] = answers_in(_needed(read, FOUND), FOUND)
    both = np.flatnonzero(void & (found != ""))
    if len(both):
        raise Refusal(
            f"{path} says of item {of.ids[both[0]]} that {found[both[0]]!r} is right and that no "
            "answer is.",
            f"leave {FOUND} or {VOID} empty there",
        )
    _warn_of_unseen(path, found, of)
    right = {
        name: np.where(found == "", np.nan, (said == found).astype(np.float64))
        for name, said in of.answers.items()
    }
    return CheckedRead(right, void, (found != "") & (found != of.key))


def _warn_of_unseen(path: Path, found: np.ndarray, of: ScoreTable) -> None:
    """Warns of a right answer that nobody gives anywhere, and which may be written otherwise."""
    assert of.answers is not None
    assert of.key is not None
    known = set(of.key.tolist()).union(*(said.tolist() for said in of.answers.values()))
    odd = [k for k, one in enumerate(found.tolist()) if one and one not in known]
    if odd:
        warnings.warn(
            f"{path}: the right answer of item {of.ids[odd[0]]} is {found[odd[0]]!r}, which is no "
            f"key and no model's answer anywhere ({len(odd):,} such answers): every model counts "
            "as wrong there. If it is only written otherwise, mend it.",
            stacklevel=3,
        )


def _needed(read: Columns, name: str) -> Columns:
    if name not in read.frame.columns:
        raise Refusal(
            f"{read.path} has no column {name!r}; its columns are {listed(read.frame.columns)}.",
            "name the column of what people found so, as the plan does",
        )
    return read


def _void(read: Columns) -> np.ndarray:
    if VOID not in read.frame.columns:
        return np.zeros(len(read.frame), bool)
    words = [one.lower() for one in answers_in(read, VOID).tolist()]
    for row, word in enumerate(words):
        if word not in WORDS:
            raise ValueError(f"{read.what(VOID)} has {word!r} at row {row}; it is true or false.")
    return np.array([WORDS[word] for word in words], bool)


def _scores(read: Columns, of: ScoreTable, rows: np.ndarray) -> dict[str, np.ndarray]:
    found = {}
    for name in of.models:
        one = _needed(read, name)
        found[name] = np.full(len(of.ids), np.nan)
        found[name][rows] = number_columns(replace(one, frame=one.frame.select(name)))[:, 0]
    return found
