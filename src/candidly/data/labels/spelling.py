"""Classes that look like spellings of one, and names that may say that there is no label."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...ground.numbers import count_of

RARE = 0.02  # of the rows of the class that it may be a slip of
SHORTEST = 5  # letters of a name in which one slip still leaves no doubt
SHOWN = 5  # groups that a sentence lists
EMPTY = {"?", "-", "--", "n/a", "na", "nan", "none", "null", "nil", "#n/a", "unknown", "missing"}


@dataclass(frozen=True)
class Alike:
    """Names of classes that may be one.

    Attributes:
        name: the most frequent spelling.
        others: the other spellings, the most frequent first.
        same: whether they differ in nothing but case, spaces, the form of letters, letters without
            width or a full stop; else by one letter, in few rows.
        rows: rows of ``name`` and of each other.
    """

    name: str
    others: tuple[str, ...]
    same: bool
    rows: tuple[int, ...]

    def __str__(self) -> str:
        others = [f"{name!r} ({rows:,})" for name, rows in zip(self.others, self.rows[1:])]
        return f"{', '.join(others)} and {self.name!r} ({count_of(self.rows[0], 'row')})"


def spelled(name: str) -> str:
    """A name without what does not tell classes apart.

    >>> spelled(" Billing  question.") == spelled("billing question")
    True
    """
    text = unicodedata.normalize("NFKC", name).casefold()
    text = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
    return " ".join(text.split()).rstrip(".").strip()


def alike(rows: Mapping[str, int]) -> list[Alike]:
    """Groups of classes that look like one, the largest group first.

    Args:
        rows: how many rows each class has.

    >>> [str(one) for one in alike({"cat": 90, "Cat": 3, "dog": 50})]
    ["'Cat' (3) and 'cat' (90 rows)"]
    """
    groups: dict[str, list[str]] = {}
    for name in rows:
        groups.setdefault(spelled(name), []).append(name)
    found = [_group(names, rows, True) for names in groups.values() if len(names) > 1]
    total = {key: sum(rows[name] for name in names) for key, names in groups.items()}
    slips: dict[str, list[str]] = {}
    for pair in _one_letter_apart(total):
        few, many = sorted(pair, key=total.__getitem__)
        if total[few] <= RARE * total[many]:
            slips.setdefault(many, []).append(few)
    for key, others in slips.items():
        names = [max(groups[one], key=rows.__getitem__) for one in (key, *dict.fromkeys(others))]
        found.append(_group(names, rows, False))
    return sorted(found, key=lambda one: (-sum(one.rows), one.name))


def merged(rows: Mapping[str, int], classes: Collection[str] = ()) -> dict[str, str]:
    """Old name -> the most frequent of the names that differ by spelling alone.

    Args:
        classes: names that were declared: they stay, and are the new names.

    >>> merged({"cat": 90, "Cat": 3, "dog": 50})
    {'Cat': 'cat'}
    >>> merged({"cat": 90, "Cat": 3, "dog": 50}, ["Cat", "dog"])
    {'cat': 'Cat'}
    """
    declared = {spelled(name): name for name in reversed([*classes])}
    if not declared:
        return {other: one.name for one in alike(rows) if one.same for other in one.others}
    new = {name: declared[spelled(name)] for name in rows if spelled(name) in declared}
    return {old: name for old, name in new.items() if old != name and old not in classes}


def may_be_none(names: Iterable[str]) -> list[str]:
    """Those of the names that people write where there is no label."""
    return [name for name in names if spelled(name) in EMPTY]


def sentence(groups: list[Alike]) -> str:
    """What to say of them."""
    some = "; ".join(map(str, groups[:SHOWN]))
    more = f"; and {len(groups) - SHOWN} more" if len(groups) > SHOWN else ""
    return f"these look like one class: {some}{more}. Merge them with `merge_labels`."


def _group(names: list[str], rows: Mapping[str, int], same: bool) -> Alike:
    order = sorted(names, key=lambda name: (-rows[name], name))
    return Alike(order[0], tuple(order[1:]), same, tuple(rows[name] for name in order))


def _one_letter_apart(keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs that differ by one letter: put in, left out, another, or two that changed places."""
    seen: dict[str, list[str]] = {}
    done = set()
    for key in keys:
        if len(key) < SHORTEST or re.search(r"\d", key):
            continue
        for short in {key, *(key[:k] + key[k + 1 :] for k in range(len(key)))}:
            for other in seen.get(short, ()):
                if (pair := tuple(sorted((key, other)))) not in done and _is_slip(key, other):
                    done.add(pair)
                    yield key, other
            seen.setdefault(short, []).append(key)


def _is_slip(one: str, other: str) -> bool:
    """Whether one edit makes one of the other."""
    if len(one) == len(other):
        different = [k for k, (a, b) in enumerate(zip(one, other)) if a != b]
        if len(different) == 1:
            return True
        swapped = len(different) == 2 and different[1] == different[0] + 1
        return swapped and one[different[0]] == other[different[1]] != other[different[0]]
    short, long = sorted((one, other), key=len)
    return len(long) == len(short) + 1 and any(
        long[:k] + long[k + 1 :] == short for k in range(len(long))
    )
