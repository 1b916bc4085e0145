"""All that a directory of a sweep says, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

from ...stats.criteria import FlipRate

if TYPE_CHECKING:
    import polars

    from .runs import Runs


@dataclass(frozen=True)
class Results:
    """Every planned run of a directory, and the settings they share.

    ``runs`` may be given as objects: any runs of which those of one data set and algorithm differ
    in configuration, split, hyper-parameters and key alone.
    ``settings`` is the plan as JSON values; ``ddof`` is 1 for the sample standard deviation over
    splits (``fixed``), 0 for the benchmark's population one (``plench``). ``notes`` are
    sentences about lines that could not be read, and about rows made by another version of an
    algorithm. ``flip_rates`` has, by name, the data sets with candidate sets; none where the
    directory is from before that was kept. ``fingerprints`` are of each data set's content, by
    name.
    """

    runs: Runs
    settings: Mapping[str, Any]
    ddof: int = 1
    notes: tuple[str, ...] = field(default=())
    flip_rates: Mapping[str, FlipRate] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from .runs import Runs  # which loads polars

        if not isinstance(self.runs, Runs):
            object.__setattr__(self, "runs", Runs.of(self.runs))

    @overload
    def frame(self, kind: Literal["polars"] = "polars") -> polars.DataFrame: ...

    @overload
    def frame(self, kind: Literal["pandas"]) -> Any: ...

    def frame(self, kind: str = "polars") -> polars.DataFrame | Any:
        """A row for each record of each run, in the order of the plan; one column a number.

        Columns: ``dataset``; ``algorithm`` as a person writes it, and its ``base`` and ``variant``
        (``fixed``, where it has no other); ``config``, ``split``, ``key`` of the run, ``mode``;
        ``complete``, whether the run has all its records; ``step``, in updates, and ``epochs``;
        ``selectable``, whether a criterion may choose the record; ``diverged`` by then, and
        ``diverged_at``; ``pruned_at``, where a search has stopped the run before; ``networks``,
        ``n_train``, ``n_validation``, ``n_test``; ``hyper.NAME``, ``validation.NAME`` and
        ``test.NAME``, shares, of every name that any run has; ``loss``, ``seconds`` since the run
        began, ``memory_bytes``. What a run does not have is null. Runs without a record have no
        row. Packed outcomes of rows are left out.

        Args:
            kind: ``polars``, or ``pandas`` where that is installed, with NaN for null in columns of
                floats.

        Raises:
            ValueError: another kind, or pandas is not installed.
        """
        if kind not in ("polars", "pandas"):
            raise ValueError(f"`kind` is {kind!r}; choose polars or pandas.")
        from .frame import frame_of_runs  # which loads polars

        table = frame_of_runs(self.runs)
        return table if kind == "polars" else _to_pandas(table)


def _to_pandas(table: polars.DataFrame) -> Any:
    """The same columns; whole numbers and truth values with gaps are pandas' nullable kinds."""
    try:
        pd: Any = import_module("pandas")  # no types come with it
    except ImportError:
        raise ValueError(
            "pandas is not installed. Install it (`pip install pandas`), or take polars."
        ) from None
    nullable = {"Int64": "Int64", "Boolean": "boolean"}
    columns: dict[str, Any] = {}
    for column in table:
        kind = str(column.dtype)
        if kind == "String":
            columns[column.name] = column.to_list()
        elif kind in nullable and column.null_count():
            columns[column.name] = pd.array(column.to_list(), dtype=nullable[kind])
        else:
            columns[column.name] = column.to_numpy()
    return pd.DataFrame(columns)
