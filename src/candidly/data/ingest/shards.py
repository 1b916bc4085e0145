"""Parts of a data set: the files of a folder, or of a place that fsspec reaches, in one order.

Parts go by their names, part-2 before part-10, whatever order they are listed or read in. An
address has a protocol before it, such as ``s3://bucket/folder``; fsspec's packages bring the
protocols.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

SOME = 5  # names in a message, at most
OF = re.compile(r"(\d+)-of-(\d+)")


def is_address(place: object) -> bool:
    """Whether it is text with a protocol, for fsspec.

    >>> is_address("s3://bucket/parts"), is_address("parts")
    (True, False)
    """
    return isinstance(place, str) and "://" in place


def by_number(name: str) -> list[tuple[int, str]]:
    """What names are sorted by, so that part-2 comes before part-10."""
    return [
        (int(part), part) if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]


def parts_in(place: str | Path, suffixes: Sequence[str]) -> list[str | Path]:
    """The files of a folder or of an address with one of these endings, in order of their names.

    Names that begin with a dot or an underscore are passed over.

    Raises:
        ValueError: there is none, or of names such as ``part-00002-of-00010`` some are missing.
        FileNotFoundError: no such place.
    """
    if is_address(place):
        system, root = file_system(str(place))
        found = [str(path) for path in system.ls(root, detail=False)]
        paths: dict[str, str | Path] = {
            path.rstrip("/").rsplit("/", 1)[-1]: system.unstrip_protocol(path) for path in found
        }
    else:
        paths = {path.name: path for path in Path(place).iterdir()}
    names = [name for name in paths if name.endswith(tuple(suffixes)) and name[0] not in "._"]
    if not names:
        raise ValueError(f"{place} holds no {' or '.join(suffixes)} file.")
    names.sort(key=by_number)
    check_whole(str(place), names)
    return [paths[name] for name in names]


def check_whole(place: str, names: Sequence[str]) -> None:
    """Refuse names that count parts, such as ``part-2-of-10``, where some are not there.

    Raises:
        ValueError: says which are missing.
    """
    there: dict[tuple[str, int], set[int]] = {}
    for name in names:
        if counted := OF.search(name):
            key = OF.sub("{}", name, count=1), int(counted[2])
            there.setdefault(key, set()).add(int(counted[1]))
    for (form, count), numbers in there.items():
        first = 0 if 0 in numbers else 1  # numbers are 0 to count - 1, or 1 to count
        there_of = sum(first <= number < first + count for number in numbers)
        if missing := count - there_of:
            each = (k for k in range(first, first + count) if k not in numbers)
            named = ", ".join(map(str, islice(each, SOME))) + (", ..." if missing > SOME else "")
            raise ValueError(
                f"{place} lacks {missing} of {count} parts {form.format('*')}: {named}. Put "
                "them there, or give the others names without '-of-'."
            )


def same_parts(these: Sequence[str], what: str, those: Sequence[str], other: str) -> list[int]:
    """Which of ``these`` belongs to each of ``those``: that of the same name, endings aside.

    Raises:
        ValueError: names a part that one of them lacks, or has twice.
    """
    mine, theirs = [_bare(name) for name in these], [_bare(name) for name in those]
    for names, place in ((mine, what), (theirs, other)):
        if twice := sorted(name for name in set(names) if names.count(name) > 1):
            raise ValueError(f"{place} has the part {twice[0]} twice; keep one of the two.")
    for names, place, others, beside in (
        (mine, what, set(theirs), other),
        (theirs, other, set(mine), what),
    ):
        if lacking := [name for name in names if name not in others]:
            raise ValueError(
                f"{beside} has no part {lacking[0]}, which {place} has ({len(lacking)} in all); "
                "parts go by their names."
            )
    return [mine.index(name) for name in theirs]


def _bare(name: str) -> str:
    """A name without its folders and ending."""
    return name.rstrip("/").rsplit("/", 1)[-1].rpartition(".")[0]


def file_system(address: str) -> tuple[Any, str]:
    """What reaches an address, and the address as it calls it.

    Raises:
        ValueError: nothing here does; says what to install.
        FileNotFoundError: there is nothing at the address.
    """
    import fsspec

    try:
        system, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise ValueError(f"{address} cannot be reached: {error}") from None
    if not system.exists(path):
        raise FileNotFoundError(f"{address} does not exist.")
    return system, path


@contextmanager
def fetched(place: str | Path) -> Iterator[Path]:
    """A file of this machine: itself, or a copy of what is at an address, for this block."""
    if not is_address(place):
        yield Path(place)
        return
    system, path = file_system(str(place))
    with tempfile.TemporaryDirectory(prefix="candidly-") as folder:
        copy = Path(folder, path.rsplit("/", 1)[-1])
        system.get_file(path, str(copy))
        yield copy
