"""From verdicts on rows that were drawn for a count to how many of all labels are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...data.ingest import Roles
from ...ground.problem import Refusal
from ...stats.checked import CheckedCount, CheckedRows, count_checked
from ._answers import read_answers
from ._totals import by_reading
from ._verdicts import Verdicts, check_verdicts, judge
from .drawn import read_marked
from .rule import majority, settled
from .tally import Tally


def counted(verdicts: Verdicts, people: int | None = None) -> Mapping[str, CheckedCount] | None:
    """For every reading, how many of all labels are wrong; unfinished items count as not drawn.

    Unfinished are those whose category answers that are still to come may change: two of three for
    the given label is no error yet where five people are asked.

    Args:
        people: who are asked about each item; by default what the tally says.

    None where items were not drawn for a count, or those of a stratum are all unfinished yet.
    """
    check_verdicts(verdicts)
    drawn = verdicts.tally.drawn if isinstance(verdicts.tally, Tally) else None
    if drawn is None:
        return None
    there = _finished(verdicts, people)
    some = drawn.some(there)
    if not some.drawn.all():
        return None
    return {name: count_checked(some, mask[there]) for name, mask in by_reading(verdicts).items()}


def checked_rows(
    verdicts: Verdicts, source: str = "the answers", people: int | None = None
) -> CheckedRows:
    """What verdicts say of the rows that were drawn: wrong, by the reading ``exact``.

    Args:
        people: see ``counted``.
        source: what to call the answers in a message.

    Raises:
        ValueError: the items were not drawn for a count.
    """
    check_verdicts(verdicts)
    tally = verdicts.tally
    if not isinstance(tally, Tally) or tally.drawn is None:
        raise Refusal(
            f"{source} is about rows that were not drawn for a count, and says nothing of others.",
            "ask people about the rows that candidly check draws",
        )
    there = _finished(verdicts, people)
    labels = tally.given[there].tolist()
    if tally.classes is not None:
        labels = [tally.classes[k] for k in labels]
    known = None if np.any(tally.given < 0) else labels
    wrong = verdicts.error[there]
    return CheckedRows(tally.drawn.some(there), wrong, known, len(tally), source)


def _finished(verdicts: Verdicts, people: int | None) -> np.ndarray:
    """Which items have a category that no answer still to come can change: bool (k,)."""
    tally = verdicts.tally
    assert isinstance(tally, Tally)
    asked = tally.asked if people is None else people
    left = np.maximum(asked - tally.answers, 0)
    wanted = np.maximum(verdicts.threshold, majority(np.maximum(tally.answers, asked)))
    done = left == 0
    for more, need in {*zip(left[~done].tolist(), wanted[~done].tolist())}:
        here = (left == more) & (wanted == need)
        done[here] = settled(tally.counts[here], more, need, 0)
    return verdicts.decided & done


def read_checked(path: Path | str, roles: Roles | None = None) -> CheckedRows:
    """What a file says of rows that were drawn for a count: answers of people, or marks.

    Args:
        path: a table with an answer a row, as ``candidly review export`` writes it, or the table
            that ``candidly check`` drew with a column ``wrong`` of yes and no.
        roles: what columns are called, see ``read_answers``.

    Raises:
        FileNotFoundError, ValueError: no such file, or one that does not say how its rows were
            drawn.
    """
    marked = read_marked(path, roles)
    if marked is not None:
        return marked
    return checked_rows(judge(read_answers(path, roles=roles)), str(path))
