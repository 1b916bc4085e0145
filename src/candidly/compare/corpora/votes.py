"""What people say of categories: which are events, which are alike, which are common sense.

Source: Wu et al., "NoisywikiHow: A benchmark for learning with real-world noisy labels in natural
language processing", Findings of ACL 2023, 3.2, A.2 and A.3. Three people are asked, and three must
agree. Of categories that are events the finest stays, but for two exceptions: one that is too broad
is no event, and of two that are hard to tell apart the larger stays. What is silent there is
settled so: a category is compared with the nearest one above it that is large enough, too, and of
equally large ones the finer stays; one that was kept as the larger stays above finer ones, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from ...people.validation import fleiss
from .articles import Articles, Path
from .funnel import Funnel, sizes_of

EVENT, ALIKE, SENSE = "an event", "hard to tell apart", "common sense"
ASKS = (EVENT, ALIKE, SENSE)  # each is answered by yes or no
COLUMNS = ("name", "person", "answer")
ANSWERS = ("yes", "no", "skip")
SHOWN = 5  # events of a category that people see


@dataclass(frozen=True)
class CategoryQuestion:
    """Something to ask people.

    Attributes:
        name: in the votes, each different.
        asks: one of ``ASKS``.
        shown: what people see, by its name.
    """

    name: str
    asks: str
    shown: Mapping[str, str]


@dataclass(frozen=True)
class CategoryVotes:
    """Answers, by the name of the question: how many people said yes, and no."""

    counts: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Ballot:
    """What the votes on one kind of question come to.

    Attributes:
        asks: one of ``ASKS``.
        counts: int64 (n, 2), yes and no, of each question.
        outcomes: by the question's name; '' where a category is kept.
    """

    asks: str
    counts: np.ndarray
    outcomes: Mapping[str, str]

    def told(self) -> dict[str, Any]:
        """Fleiss' kappa and counts, as JSON values; None where kappa is not defined.

        Its interval ends at 1.
        """
        kappa = {
            "kappa" if name == "value" else name: None
            if np.isnan(value)
            else min(value, 1)
            if name == "high"
            else value
            for name, value in asdict(fleiss(self.counts)).items()
        }
        return {"questions": len(self.counts), "answers": int(self.counts.sum()), **kappa}


def event_questions(articles: Articles, found: Funnel) -> list[CategoryQuestion]:
    """Of every category that is left: is it an event? Of every pair: is it hard to tell apart?"""
    paths, sizes = articles.categories, sizes_of(found)
    looks = _looks(articles, found, sizes)
    asked = [CategoryQuestion(name_of(paths[one]), EVENT, looks[one]) for one in sizes]
    for finer, coarser in _pairs(paths, sizes):
        shown = {
            f"{what} {which}": value
            for which, one in (("1", finer), ("2", coarser))
            for what, value in looks[one].items()
        }
        asked.append(CategoryQuestion(_pair_name(paths[finer], paths[coarser]), ALIKE, shown))
    return asked


def sense_questions(articles: Articles, found: Funnel) -> list[CategoryQuestion]:
    """Of every class: is it common sense what its steps are for?"""
    sizes = sizes_of(found)
    looks = _looks(articles, found, sizes)
    return [CategoryQuestion(name_of(articles.categories[one]), SENSE, looks[one]) for one in sizes]


def count_votes(rows: Iterable[tuple[str, str, str]]) -> CategoryVotes:
    """Votes from rows of a question's name, a person and an answer: yes, no or skip.

    Raises:
        ValueError: another answer, or a second one of a person about the same; names the row.
    """
    counts: dict[str, tuple[int, int]] = {}
    seen: set[tuple[str, str]] = set()
    for row, (name, person, answer) in enumerate(rows):
        if answer not in ANSWERS:
            raise ValueError(f"row {row}: the answer is {answer!r}; it is {', '.join(ANSWERS)}.")
        if (name, person) in seen:
            raise ValueError(f"row {row}: {person!r} answers a second time about {name!r}.")
        seen.add((name, person))
        yes, no = counts.get(name, (0, 0))
        counts[name] = (yes + (answer == "yes"), no + (answer == "no"))
    return CategoryVotes(counts)


def read_votes(path: FilePath | str) -> CategoryVotes:
    """A table with the columns name, person and answer, as ``candidly review export`` writes it.

    Raises:
        FileNotFoundError: no such file. ValueError: a column is missing, or as ``count_votes``.
    """
    from ...data.ingest import read_frame
    from ...data.ingest.table_checks import about, check_columns

    frame = read_frame(FilePath(path)).frame
    with about(FilePath(path)):
        check_columns(frame.columns, COLUMNS)
        return count_votes((str(a), str(b), str(c)) for a, b, c in frame.select(COLUMNS).rows())


def choose_events(
    paths: Sequence[Path], sizes: Mapping[int, int], votes: CategoryVotes, people: int, agree: int
) -> tuple[list[int], list[Ballot]]:
    """The categories that are events, by their numbers, and what the votes came to.

    Args:
        sizes: events of each category that people were asked about.
        people: how many are asked. agree: how many must say yes.

    Raises:
        ValueError: something is not decided; says what is missing.
    """
    named = {one: name_of(paths[one]) for one in sizes}
    pairs = {pair: _pair_name(paths[pair[0]], paths[pair[1]]) for pair in _pairs(paths, sizes)}
    event = _said(votes, list(named.values()), people, agree)
    alike = _said(votes, list(pairs.values()), people, agree)
    why = {one: "" if event[name] else "no event" for one, name in named.items()}
    above, stays = _above(paths, sizes), set()
    finest_first = sorted(sizes, key=lambda one: -len(paths[one]))
    for finer in finest_first:
        for coarser in above[finer][:1]:
            if not why[finer] and not why[coarser] and alike[pairs[finer, coarser]]:
                larger = finer if sizes[finer] >= sizes[coarser] else coarser
                smaller = coarser if larger == finer else finer
                why[smaller] = f"hard to tell from {named[larger]}, which is kept"
                stays.add(larger)
    for finer in finest_first:
        for coarser in above[finer]:
            if not why[finer] and not why[coarser] and coarser not in stays:
                why[coarser] = f"{named[finer]} is finer"
    ballots = [
        Ballot(EVENT, _counts(votes, event), {named[one]: text for one, text in why.items()}),
        Ballot(ALIKE, _counts(votes, alike), {k: "yes" if v else "no" for k, v in alike.items()}),
    ]
    kept = [one for one, text in why.items() if not text]
    return kept, [ballot for ballot in ballots if len(ballot.counts)]


def choose_beyond(
    paths: Sequence[Path], votes: CategoryVotes, people: int, agree: int
) -> tuple[list[Path], Ballot]:
    """The classes that are beyond common sense: so many say no.

    Raises:
        ValueError: something is not decided; says what is missing.
    """
    turned = CategoryVotes({name: (no, yes) for name, (yes, no) in votes.counts.items()})
    beyond = _said(turned, [name_of(path) for path in paths], people, agree)
    words = {True: "beyond common sense", False: "common sense"}
    ballot = Ballot(SENSE, _counts(votes, beyond), {k: words[v] for k, v in beyond.items()})
    return [path for path in paths if beyond[name_of(path)]], ballot


def name_of(path: Path) -> str:
    return " > ".join(path)


def _pair_name(finer: Path, coarser: Path) -> str:
    return f"{name_of(finer)} = {name_of(coarser)}"


def _above(paths: Sequence[Path], sizes: Mapping[int, int]) -> dict[int, list[int]]:
    """Those above each category, the nearest first, of those that there are."""
    number = {paths[one]: one for one in sizes}
    ends = {one: range(len(paths[one]) - 1, 0, -1) for one in sizes}
    return {
        one: [number[paths[one][:k]] for k in ends[one] if paths[one][:k] in number]
        for one in sizes
    }


def _pairs(paths: Sequence[Path], sizes: Mapping[int, int]) -> list[tuple[int, int]]:
    """Each category with the nearest one above it."""
    return [(one, above[0]) for one, above in _above(paths, sizes).items() if above]


def _looks(
    articles: Articles, found: Funnel, sizes: Mapping[int, int]
) -> dict[int, dict[str, str]]:
    """What people see of each category: its name, what is above it, and some of its events."""
    rows: dict[int, list[str]] = {one: [] for one in sizes}
    for row in np.flatnonzero(found.choosen_id >= 0).tolist():
        mine = rows[int(found.category[row])]
        if len(mine) < SHOWN:
            mine.append(articles.texts[row])
    return {
        one: {
            "category": articles.categories[one][-1],
            "above it": name_of(articles.categories[one][:-1]) or "nothing",
            "events": f"{sizes[one]:,}",
            "some of them": " / ".join(mine),
        }
        for one, mine in rows.items()
    }


def _said(votes: CategoryVotes, names: Sequence[str], people: int, agree: int) -> dict[str, bool]:
    """Whether so many say yes, of each question.

    Raises:
        ValueError: the answers that are missing could change it.
    """
    if not 1 <= agree <= people:
        raise ValueError(f"{agree} of {people} people are to agree; it takes 1 to {people}.")
    found, open_ = {}, []
    for name in names:
        yes, no = votes.counts.get(name, (0, 0))
        found[name] = yes >= agree
        if not (yes >= agree or no > people - agree or yes + no >= people):
            open_.append(name)
    if open_:
        raise ValueError(
            f"{len(open_):,} of {len(names):,} questions lack answers of {people} people, "
            f"{open_[0]!r} first. Have them answered, or say that fewer need to agree."
        )
    return found


def _counts(votes: CategoryVotes, names: Iterable[str]) -> np.ndarray:
    rows = [votes.counts.get(name, (0, 0)) for name in names]
    return np.array(rows, np.int64).reshape(-1, 2)
