"""A new challenge: label sets become folders that runs see, and a truth that they do not."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from ...data.labels.labelled import Labelled
from ...data.sources.cifar_n import SideInformation
from ...ground.bounds import LARGE, MOST_EPOCHS, MOST_WORKERS
from ...ground.files import check_folder
from ...ground.numbers import whole
from ...ground.progress import OnProgress
from ...learn.engine.recipe import recipe
from ...learn.written.nets import read_net
from ._data import bare, divided, fewer, write_shown, write_truth
from ._protocol import (
    FILE,
    TASKS,
    Baseline,
    Bounds,
    LabelSet,
    Protocol,
    check_name,
    check_subset,
    write_protocol,
)

SEEDS = 5


@dataclass(frozen=True)
class Given:
    """A label set to make a challenge of.

    Attributes:
        name: such as ``worst``.
        data_set: whose inputs these are; sets of one data set must have the same.
        data: with a given and a true label on every row to learn from.
        test: whose official test rows are tested on (all where it names none); None: ``data``'s
            official test rows, or a random share.
        votes: what annotators said of the same rows, by ids, for the track ``annotators``.
        side: who labelled each row of data, when and for how long, for the track ``annotators``.
        features: numbers (rows of data, d) and (rows of test, d), for the track ``features``.
    """

    name: str
    data_set: str
    data: Labelled
    test: Labelled | None = None
    votes: Labelled | None = None
    features: tuple[np.ndarray, np.ndarray] | None = None
    side: SideInformation | None = None


def _check_baseline(asked: Baseline) -> None:
    """Refuse a network or a recipe that no run could be timed with."""
    if asked.net is not None:
        read_net(asked.net, "`net`")
    if asked.recipe is not None:
        recipe(asked.recipe, "`recipe`")
    whole(asked.epochs, "`epochs`", 1, MOST_EPOCHS)


def _check_bounds(asked: Bounds) -> None:
    whole(asked.processes, "`processes`", 4, MOST_WORKERS)
    for name in ("memory_gb", "output_mb", "scratch_gb"):
        if not 0 < (value := getattr(asked, name)) <= LARGE:
            raise ValueError(f"`{name}` is {value!r}; give a number above 0 to {LARGE:,.0f}.")


def make_challenge(
    folder: Path | str,
    sets: Sequence[Given],
    *,
    title: str = "",
    seeds: Sequence[int] | int = SEEDS,
    seed: int | None = None,
    rows: int | None = None,
    test_rows: int | None = None,
    test_share: float = 0.2,
    subset: str = "bootstrap",
    factor: float = 10.0,
    baseline: Baseline | None = None,
    bounds: Bounds | None = None,
    watch: OnProgress = lambda done, total: None,
) -> Protocol:
    """Make a challenge in a folder that is empty or not there.

    Args:
        sets: label sets, one or more.
        seeds: the seeds of the runs; a number draws so many, which nobody can know before.
        seed: of what is drawn here (rows, test rows, seeds); by default it cannot be guessed.
        rows, test_rows: at most so many, drawn at random, the same of every set of a data set.
        test_share: the share of the rows for testing, where there is no test set.
        subset: which test rows a run is scored on (``Protocol``).
        factor: a run's time, as a multiple of the baseline's training.
        watch: called with sets written and in all.

    Raises:
        ValueError: labels or truth are missing, sets do not fit each other, or an impossible value.
        FileExistsError: the folder holds something.
    """
    folder = Path(folder)
    if not sets:
        raise ValueError("a challenge needs a label set, one or more.")
    check_names(sets)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} holds something already; name a folder that is not there.")
    seed = secrets.randbits(63) if seed is None else seed
    baseline, bounds = baseline or Baseline(), bounds or Bounds()
    _check_baseline(baseline)
    _check_bounds(bounds)
    if factor <= 0 or not 0 < test_share < 1:
        raise ValueError(f"factor is {factor:g} and test_share {test_share:g}; see their ranges.")
    protocol = Protocol(
        title or "Learning with noisy labels",
        (),
        made_seeds(seeds, seed),
        subset=check_subset(subset),
        factor=factor,
        baseline=baseline,
        bounds=bounds,
    )
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    made: list[LabelSet] = []
    first: dict[str, tuple[str, str]] = {}  # of a data set: its first label set, and its inputs
    tracks = {"labels": None}
    for number, one in enumerate(sets):
        learned, tested = divided(one.data, one.test, test_share, seed)
        votes, features = _matched(one, learned), _features(one, learned, tested)
        learned = fewer(learned, rows, seed, "rows")
        tested = fewer(tested, test_rows, seed, "test rows")
        digest = _digest(learned, tested)
        same_as, known = first.setdefault(one.data_set, (one.name, digest))
        if known != digest:
            raise ValueError(
                f"{one.name} has other inputs, or in another order, than {same_as}, which is of "
                f"the same data set {one.data_set!r}: name another data set for it."
            )
        count = protocol.subset
        if count != "bootstrap" and int(count) > tested.n:
            raise ValueError(
                f"subset is {count}, and {one.name} has {tested.n:,} test rows; give bootstrap or "
                "a smaller number."
            )
        extra = {}
        if votes is not None:
            extra["annotators"] = {"annotators.npy": votes(learned)}
        if one.side is not None:
            extra["annotators"] = extra.get("annotators", {}) | _side(one, learned)
        if features is not None:
            extra["features"] = features(learned, tested)
        tracks |= dict.fromkeys(extra)
        about = {
            "data_set": one.data_set,
            "label_set": one.name,
            "classes": list(learned.classes),
            "kind": learned.kind,
            "rows": learned.n,
            "test_rows": tested.n,
            "validation_share": protocol.validation_share,
            "baseline": vars(protocol.baseline),
        }
        write_truth(folder, one.name, learned, tested)
        write_shown(
            folder,
            one.name,
            about,
            learned,
            tested,
            extra,
            None if same_as == one.name else same_as,
        )
        made.append(
            LabelSet(one.name, one.data_set, one.data.source, learned.n, tested.n, learned.q)
        )
        watch(number + 1, len(sets))
    protocol = replace(protocol, sets=tuple(made), tracks=tuple(tracks))
    write_protocol(folder, protocol)
    return protocol


def made_seeds(seeds: Sequence[int] | int, seed: int) -> tuple[int, ...]:
    """Seeds as they are given, or so many drawn.

    Raises:
        ValueError: none, one twice, or one that is no whole number from 0 to 2^31 - 1.
    """
    if isinstance(seeds, int):
        if not 1 <= seeds <= 100:
            raise ValueError(f"seeds is {seeds}; give from 1 to 100 of them.")
        drawn = np.random.Generator(np.random.PCG64([seed, 1])).choice(2**31, seeds, replace=False)
        return tuple(int(one) for one in drawn)
    if not seeds or len(set(seeds)) != len(seeds) or not all(0 <= s < 2**31 for s in seeds):
        raise ValueError(f"seeds are {list(seeds)}; give different whole numbers below 2^31.")
    return tuple(int(one) for one in seeds)


def check_names(sets: Sequence[Given]) -> None:
    """Refuse names that cannot be folders, or that are there twice, whatever the data set."""
    for one in sets:
        check_name(one.name, "the label set's name")
        check_name(one.data_set, "the data set's name")
    names = [one.name for one in sets] + list({one.data_set for one in sets})
    twice = next((name for name in names if names.count(name) > 1), None)
    taken = next((name for name in names if name in TASKS), None)
    if twice or taken:
        raise ValueError(
            f"{twice or taken!r} is the name of two things here: name every label set otherwise "
            "than the others, than its data set, and than learning and detection "
            "(NAME=DATA names one)."
        )


def _digest(learned: Labelled, tested: Labelled) -> str:
    parts = [bare(part).fingerprint() for part in (learned, tested)]
    ids = hashlib.sha256("\n".join(map(str, learned.ids.tolist())).encode()).hexdigest()
    return "|".join([*parts, ids])


def _matched(one: Given, learned: Labelled) -> Callable[[Labelled], np.ndarray] | None:
    """(rows) -> what each annotator said of them, int64 (n, k), -1 where nothing was said."""
    if one.votes is None:
        return None
    if one.votes.votes is None:
        raise ValueError(f"{one.votes.source} has no answers of annotators.")
    if one.votes.classes != learned.classes:
        raise ValueError(f"{one.votes.source} has other classes than {one.data.source}.")
    said = one.votes.votes
    if (np.diff(said.offsets) != 1).any():
        raise ValueError(f"{one.votes.source}: an answer names several labels; one each is needed.")
    people = list(dict.fromkeys(said.annotator.tolist()))
    column = {name: at for at, name in enumerate(people)}
    table = np.full((one.votes.n, len(people)), -1, np.int64)
    table[said.item, [column[name] for name in said.annotator.tolist()]] = said.labels
    at = {name: row for row, name in enumerate(one.votes.ids.tolist())}

    def of(rows: Labelled) -> np.ndarray:
        missing = [name for name in rows.ids.tolist() if name not in at]
        if missing:
            raise ValueError(f"{said} says nothing of the row {missing[0]!r} of {one.name}.")
        return table[[at[name] for name in rows.ids.tolist()]]

    return of


def _side(one: Given, learned: Labelled) -> dict[str, np.ndarray]:
    """Arrays by file name, of the rows that are left; these are numbered as the labels are."""
    arrays = {f.name: getattr(one.side, f.name) for f in fields(SideInformation)}
    rows, n = learned.ids, len(arrays["batch"])
    if rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n:
        raise ValueError(
            f"{one.name}: there is side information of the rows 0 to {n - 1:,}, and"
            f" {rows.tolist()[-1]!r} is the id of one; it belongs to other labels."
        )
    return {f"{name}.npy": values[rows] for name, values in arrays.items()}


def _features(one: Given, learned: Labelled, tested: Labelled):
    """(learned, tested) -> arrays by file name, of the rows that are left."""
    if one.features is None:
        return None
    sizes = learned.n, tested.n
    for values, n, what in zip(one.features, sizes, ("to learn from", "to be tested on")):
        if values.ndim != 2 or values.dtype.kind != "f" or len(values) != n:
            raise ValueError(
                f"{one.name}: features are {values.dtype} {values.shape}; give floating numbers "
                f"({n}, d), a row for each of the {n:,} rows {what}."
            )
        if not np.isfinite(values).all():
            raise ValueError(f"{one.name}: features {what} hold a number that is not finite.")
    places = [{name: at for at, name in enumerate(p.ids.tolist())} for p in (learned, tested)]

    def of(rows: Labelled, others: Labelled) -> dict[str, np.ndarray]:
        kept = [
            values[[place[name] for name in part.ids.tolist()]]
            for values, place, part in zip(one.features or (), places, (rows, others))
        ]
        return dict(zip(("features.npy", "test_features.npy"), kept))

    return of


def is_challenge(folder: Path) -> bool:
    """Whether a folder holds a challenge."""
    return (folder / FILE).is_file()
