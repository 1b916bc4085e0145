"""What a challenge hands to a run, and what it keeps to itself.

``data/TRACK/SET`` is all that a run on a label set sees: inputs, its own labels, ids and the test
inputs. ``truth/SET.npz`` is for scoring. A run on one label set is shown neither the truth nor
another set, which would give wrong labels away: labels called ``worst`` are wrong wherever they
differ from one of the random ones.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...data.labels.labelled import Labelled
from ...data.labels.storage import read_arrays, write_arrays
from ...ground.files import replacing, write_json
from ...ground.seeds import draw


@dataclass(frozen=True)
class Truth:
    """What is known of a label set and kept from runs.

    Attributes:
        ids: the ids of the rows to learn from, int64 or str (n,).
        given: int64 (n,), their labels.
        truth: int64 (n,), the true ones.
        tested: int64 (m,), the true labels of the test rows.
    """

    ids: np.ndarray
    given: np.ndarray
    truth: np.ndarray
    tested: np.ndarray

    @property
    def wrong(self) -> np.ndarray:
        """Which labels are wrong: bool (n,)."""
        return self.given != self.truth


def divided(
    data: Labelled, test: Labelled | None, share: float, seed: int
) -> tuple[Labelled, Labelled]:
    """Rows to learn from, and rows to be tested on.

    The latter are ``test``'s official test rows (all of it where it has none), or else ``data``'s,
    or else a random share.

    Raises:
        ValueError: labels or truth are missing, or the two do not fit.
    """
    if test is not None:
        if test.classes != data.classes:
            raise ValueError(
                f"{test.source} has other classes than {data.source}; they must be the same."
            )
        return _learned(data), _tested(_official(test))
    if data.official_test is not None and data.official_test.any():
        flags = data.official_test
    else:
        count = max(1, round(share * data.n))
        flags = np.zeros(data.n, bool)
        flags[draw(seed, "test").permutation(data.n)[:count]] = True
    return _learned(data[~flags]), _tested(data[flags])


def fewer(data: Labelled, most: int | None, seed: int, name: str) -> Labelled:
    """At most so many rows, drawn at random, in the order that they have."""
    if most is None or most >= data.n:
        return data
    return data[np.sort(draw(seed, name).permutation(data.n)[:most])]


def _official(data: Labelled) -> Labelled:
    flags = data.official_test
    return data if flags is None or not flags.any() else data[flags]


def _learned(data: Labelled) -> Labelled:
    for name in ("given", "truth"):
        values = getattr(data, name)
        if values is None or (values < 0).any():
            at = "" if values is None else f" at row {int((values < 0).argmax())}"
            raise ValueError(
                f"{data.source or 'the data'} has no `{name}`{at}; a challenge needs a given and a "
                "true label for every row to learn from. Where the true one is there, "
                "+symmetric:rate=0.2 behind the data (`candidly.imperfect`) makes given ones of it."
            )
    return data


def _tested(data: Labelled) -> Labelled:
    if data.truth is None or (data.truth < 0).any():
        raise ValueError(f"{data.source or 'the test data'} has test rows without a true label.")
    return data


def write_truth(folder: Path, name: str, learned: Labelled, tested: Labelled) -> None:
    """Keep what scoring needs, readable by the owner alone."""
    kept = folder / "truth"
    kept.mkdir(exist_ok=True)
    kept.chmod(0o700)
    ids = learned.ids if learned.ids.dtype.kind in "iu" else learned.ids.astype(str)
    labels = {"given": learned.given, "truth": learned.truth, "tested": tested.truth}
    there = {what: values for what, values in labels.items() if values is not None}
    write_arrays(kept / f"{name}.npz", {"ids": ids, **there}, {}, again=True)


def read_truth(folder: Path, name: str) -> Truth:
    """What ``write_truth`` kept."""
    arrays, _ = read_arrays(folder / "truth" / f"{name}.npz")
    return Truth(**arrays)


def write_shown(
    folder: Path,
    name: str,
    about: Mapping[str, Any],
    learned: Labelled,
    tested: Labelled,
    extra: Mapping[str, Mapping[str, np.ndarray]],
    same_as: str | None,
) -> None:
    """Write what runs on a label set see, for each track.

    Args:
        about: of ``task.json``, beside what the data says.
        extra: arrays by file name, by track.
        same_as: a label set written before whose inputs these are; its files are linked.
    """
    for track in ("labels", *extra):
        at = shown_at(folder, track, name)
        at.mkdir(parents=True, exist_ok=True)
        first = shown_at(folder, "labels", same_as or name)
        for file, write in _inputs(learned, tested).items():
            if at == first:
                write(at / file)
            else:
                _link(first / file, at / file)
        _write_array(at / "labels.npy", learned.given)
        ids = learned.ids if learned.ids.dtype.kind in "iu" else learned.ids.astype(str)
        _write_array(at / "ids.npy", ids)
        for file, values in extra.get(track, {}).items():
            _write_array(at / file, values)
        write_json({**about, "track": track}, at / "task.json", again=True)
        at.chmod(0o755)  # runs have another user than we, whatever our umask is
        for path in at.iterdir():
            path.chmod(0o644)


def shown_at(folder: Path, track: str, name: str) -> Path:
    """The folder that a run on a label set sees, in a track."""
    return folder / "data" / track / name


def _inputs(learned: Labelled, tested: Labelled) -> dict[str, Any]:
    """How each file of inputs is written, by its name."""
    if learned.kind.array:
        return {
            "inputs.npy": lambda path: _write_array(path, learned.inputs),
            "test_inputs.npy": lambda path: _write_array(path, tested.inputs),
        }
    if learned.kind.files:
        raise ValueError(
            f"{learned.source} has files as inputs; turn them into arrays or columns first "
            "(`candidly data convert`), so that a run sees nothing but them."
        )
    return {
        "inputs.npz": lambda path: bare(learned).save(path),
        "test_inputs.npz": lambda path: bare(tested).save(path),
    }


def bare(data: Labelled) -> Labelled:
    """Inputs and names of classes, and nothing else."""
    return Labelled(inputs=data.inputs, classes=data.classes, features=data.features)


def _write_array(path: Path, values: Any) -> None:
    with replacing(path, again=True) as file:
        np.save(file, np.ascontiguousarray(values), allow_pickle=False)


def _link(there: Path, here: Path) -> None:
    here.unlink(missing_ok=True)
    try:
        os.link(there, here)
    except OSError:  # a file system without links
        here.write_bytes(there.read_bytes())
