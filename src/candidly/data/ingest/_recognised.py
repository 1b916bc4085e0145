"""What each column of a table is, where nobody says: by what its cells hold; names are hints.

A column is a role only if its cells can be that. So a feature called ``text``, ``path``, ``truth``
or ``item`` stays a feature where it holds numbers, and a message is found whatever it is called.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ._columns import counts, row_index
from ._roles import CORRECTED, GIVEN, USUAL, Roles
from .media import ENDINGS

if TYPE_CHECKING:
    import polars as pl

SOME = 200  # rows that tell a text
WORDS = 5  # at the median, of a cell of a free text
MOST_BESIDE = 4  # columns that say something beside a text that is the input alone
LEAST = 50  # rows, of which different words are names, and no values


def recognised(frame: pl.DataFrame, roles: Roles) -> Roles:
    """The same roles, with those that nobody named found by the columns' cells.

    Raises:
        ValueError: a column that was named is not there.
    """
    roles.check(frame.columns)
    taken = set(roles.named)
    labels = _labels(frame, roles)
    inputs = {name for name, _ in roles.kinds}
    free = [name for name in frame.columns if name not in taken | labels | inputs]
    found: dict[str, Any] = {}
    if roles.truth is None:
        found["truth"] = _first(free, USUAL["truth"], lambda name: _is_truth(frame, name, roles))
    if roles.id is None:
        found["id"] = _first(free, USUAL["id"]) or _unnamed(frame, free)
    pair = _answers(frame, roles, free)
    found |= pair
    single = [] if any(pair.values()) else _answered_once(frame, free)
    if single and found.get("id", roles.id) is None:
        found["id"] = single[0]
    out = {*filter(None, found.values()), *single, *other_labels(frame, roles, labels)}
    free = [name for name in free if name not in out and frame[name].null_count() < len(frame)]
    ids = [name for name in free if _names_rows(frame[name])]
    ids = [] if len(ids) == len(free) else ids  # they are all there is to learn from
    if ids and found.get("id", roles.id) is None:
        found["id"] = ids[0]
    rest = [name for name in (*single, *ids) if name != found.get("id")]
    found["drop"] = (*roles.drop, *rest)
    free = [name for name in free if name not in ids]
    alone = roles.text is None and roles.image is None and not inputs
    if alone and not all(pair.values()):
        found |= _inputs(frame, free)
    return replace(roles, **found)


def other_labels(frame: pl.DataFrame, roles: Roles, labels: Collection[str]) -> list[str]:
    """Columns that hold labels by their names and their cells, and are not those that are asked."""
    if roles.label is None:
        return []
    free = set(frame.columns) - {*labels, *roles.named}
    return [name for name in GIVEN if name in free and _alike(frame[name], frame[roles.label])]


def _labels(frame: pl.DataFrame, roles: Roles) -> set[str]:
    if roles.label is None:
        return set(GIVEN) & set(frame.columns)
    return {name for name in frame.columns if name.startswith(roles.label + CORRECTED)} | {
        roles.label,
        roles.label.removesuffix(CORRECTED),
    }


def _first(free: Collection[str], usual: Collection[str], fits: Any = lambda name: True) -> Any:
    return next((name for name in usual if name in free and fits(name)), None)


def _unnamed(frame: pl.DataFrame, free: Collection[str]) -> str | None:
    """The first column, where it has no name and names rows otherwise than by their places."""
    index = row_index(frame)
    return None if index is None or counts(index) or index.name not in free else index.name


def _is_truth(frame: pl.DataFrame, name: str, roles: Roles) -> bool:
    """A column called truth, beside labels of the same kind."""
    return roles.label is None or _alike(frame[name], frame[roles.label])


def _alike(one: pl.Series, labels: pl.Series) -> bool:
    """Whether at least half of the different cells are labels, too."""
    there, cells = _entries(labels), _entries(one)
    return not cells or 2 * len(cells & there) >= len(cells)


def _entries(column: pl.Series) -> set[str]:
    """The different cells as text; of lists their entries."""
    import polars as pl

    flat = column.explode() if isinstance(column.dtype, pl.List) else column
    return set(flat.drop_nulls().cast(str, strict=False).unique().to_list())


def _answers(frame: pl.DataFrame, roles: Roles, free: Collection[str]) -> dict[str, str | None]:
    """Who answered about what, where items come again, as in a table with an answer a row."""
    named = {"annotator": roles.annotator, "item": roles.item}
    found = {role: name or _first(free, USUAL[role]) for role, name in named.items()}
    if None in found.values():
        return named
    sure = any(named.values())
    again = frame[str(found["item"])].n_unique() < len(frame)
    return found if sure or again else named


def _answered_once(frame: pl.DataFrame, free: Collection[str]) -> list[str]:
    """The item and who answered, of a table with an answer a row in which no item comes again."""
    import polars as pl

    found = [_first(free, USUAL[role]) for role in ("item", "annotator")]
    if None in found or frame[found[0]].null_count():
        return []
    numbers = frame[found[0]].cast(pl.Float64, strict=False)
    return found if numbers.null_count() or (numbers == numbers.floor()).all() else []


def _names_rows(column: pl.Series) -> bool:
    """Whether its cells are different single words, or count the rows from any number on."""
    import polars as pl

    if len(column) < LEAST or column.null_count():
        return False
    some = column.head(SOME)
    if column.dtype == pl.String and some.n_unique() == len(some):
        if some.cast(pl.Float64, strict=False).null_count() == len(some):
            one_word = not some.str.contains(r"\s").any() and not _is_date(some)
            return one_word and column.n_unique() == len(column)
        some = some.cast(pl.Int64, strict=False)
    if not some.dtype.is_integer() or some.null_count() or not (some.diff()[1:] == 1).all():
        return False
    numbers = column.cast(pl.Int64, strict=False)
    return not numbers.null_count() and bool((numbers.diff()[1:] == 1).all())


def _is_date(column: pl.Series) -> bool:
    from ..inputs import parsed

    return parsed(column.to_frame()).to_series().dtype != column.dtype


def _inputs(frame: pl.DataFrame, free: list[str]) -> dict[str, str]:
    """The column of pictures or of texts that is the input, where there is one."""
    if found := next((name for name in free if _pictures(frame[name])), None):
        return {"image": found}
    texts = [name for name in free if is_free_text(frame[name])]
    if len(texts) == 1 and sum(_says(frame[name]) for name in free) - 1 <= MOST_BESIDE:
        return {"text": texts[0]}
    if len(free) == 1 and free[0] in USUAL["text"] and _is_words(frame[free[0]]):
        return {"text": free[0]}
    return {}


def _pictures(column: pl.Series) -> bool:
    import polars as pl

    if column.name in USUAL["image"] and (column.dtype.is_nested() or column.dtype == pl.Binary):
        return True
    if column.dtype != pl.String:
        return False
    some = _filled(column).str.to_lowercase()
    if column.name in USUAL["image"] and some.str.contains(r"^(data:|[a-z][a-z0-9+.-]+://)").any():
        return True
    files = sum(cell.endswith(tuple(ENDINGS)) for cell in some)
    return files > (0 if column.name in USUAL["image"] else len(some) - 1)


def is_free_text(column: pl.Series) -> bool:
    """Whether most cells are sentences, and seldom the same."""
    import polars as pl

    if column.dtype != pl.String:
        return False
    some = _filled(column)
    words = some.str.count_matches(r"\S+").median() if len(some) else None
    return isinstance(words, float) and words >= WORDS and 2 * some.n_unique() > len(some)


def _filled(column: pl.Series) -> pl.Series:
    """Its first cells that are not empty; of a column that is mostly empty, all."""
    some = column.head(2 * SOME).drop_nulls()
    return (some if len(some) else column.drop_nulls()).head(SOME)


def _is_words(column: pl.Series) -> bool:
    import polars as pl

    some = column.head(SOME)
    return column.dtype == pl.String and bool(some.cast(pl.Float64, strict=False).is_null().any())


def _says(column: pl.Series) -> bool:
    """Whether it has two different values."""
    return column.n_unique() > 1
