"""The protocol of a challenge as a value, and its file: what every other file here goes by."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ...ground.files import write_json
from ...ground.names import shortened
from ...ground.problem import why

FILE = "challenge.json"
SCHEMA = 1
TASKS = ("learning", "detection")
TRACKS: Mapping[str, str] = {
    "labels": "the label set's own labels",
    "annotators": "besides, what each annotator said",
    "features": "besides, features that were given, such as a pre-trained network's",
}
SUBSETS = ("bootstrap", "8000")  # of the test rows; a number: so many, without replacement
NAME = re.compile(r"[a-z0-9][a-z0-9+_.-]{0,39}")


@dataclass(frozen=True)
class LabelSet:
    """One label set: rows to learn from with labels that may be wrong, and rows to be tested on.

    Attributes:
        name: such as ``worst``.
        data_set: whose inputs these are; label sets of one data set have the same.
        source: where the data came from, in words.
        rows, tested: how many rows there are to learn from, and to be tested on.
        classes: how many.
    """

    name: str
    data_set: str
    source: str
    rows: int
    tested: int
    classes: int


@dataclass(frozen=True)
class Baseline:
    """How cross-entropy is trained whose time is the unit of all budgets.

    Attributes:
        net, recipe: as ``candidly.fit`` takes them; None for what suits the inputs.
        epochs, batch_size, lr, weight_decay: of its training; None for the recipe's own.
        repeats: how often it is timed; the median counts.
    """

    net: str | None = None
    recipe: str | None = None
    epochs: int = 20
    batch_size: int | None = None
    lr: float | None = None
    weight_decay: float | None = None
    repeats: int = 3


@dataclass(frozen=True)
class Bounds:
    """What a run may use beside its time.

    Attributes:
        memory_gb: the memory, in GB, of all its processes together.
        processes: at the same time.
        output_mb, scratch_gb: of what it writes for us, and for itself.
    """

    memory_gb: float = 8.0
    processes: int = 64
    output_mb: float = 64.0
    scratch_gb: float = 1.0


@dataclass(frozen=True)
class Protocol:
    """What holds for everybody who takes part.

    Attributes:
        title: for people.
        sets: label sets.
        seeds: of the runs, the same for all; known to the challenge alone until a run is given one.
        tracks: which of ``TRACKS`` there are.
        subset: which test rows a run is scored on: ``bootstrap``, as many as there are, drawn with
            replacement; or a number, so many without replacement.
        factor: a run's time, as a multiple of the baseline's training.
        validation_share: of the training rows, what the best model is to be chosen on, by their
            noisy labels.
        baseline, bounds: see there.
    """

    title: str
    sets: tuple[LabelSet, ...]
    seeds: tuple[int, ...]
    tracks: tuple[str, ...] = ("labels",)
    subset: str = "bootstrap"
    factor: float = 10.0
    validation_share: float = 0.1
    baseline: Baseline = field(default_factory=Baseline)
    bounds: Bounds = field(default_factory=Bounds)

    @property
    def data_sets(self) -> dict[str, tuple[LabelSet, ...]]:
        """Label sets by data set, in their order."""
        names = dict.fromkeys(one.data_set for one in self.sets)
        return {name: tuple(s for s in self.sets if s.data_set == name) for name in names}


def check_name(name: str, what: str) -> str:
    """The name, if it can be one of a folder here.

    Raises:
        ValueError: it cannot.

    >>> check_name("my-method", "the submission's name")
    'my-method'
    """
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ValueError(
            f"{what} is {shortened(name)}; give up to 40 small letters, digits and + - _ . that "
            "begin with a letter or digit."
        )
    return name


def check_subset(text: str) -> str:
    """How test rows are drawn, as it is kept.

    Raises:
        ValueError: neither ``bootstrap`` nor a whole number above 0.
    """
    if text == "bootstrap" or (text.isascii() and text.isdecimal() and 0 < int(text) < 10**9):
        return text
    raise ValueError(
        f"subset is {shortened(text)}; give bootstrap (as many test rows as there are, with "
        "replacement) or a number such as 8000 (so many, without replacement)."
    )


def write_protocol(folder: Path, protocol: Protocol) -> None:
    """Write a challenge's file, whole or not at all."""
    write_json({"schema": SCHEMA, **asdict(protocol)}, folder / FILE, again=True)


def read_protocol(folder: Path | str) -> Protocol:
    """The protocol of the challenge in a folder.

    Raises:
        FileNotFoundError: there is none. ValueError: its file is damaged, or of another version.
    """
    folder = Path(folder)
    path = folder / FILE
    if not path.is_file():
        raise FileNotFoundError(
            f"{folder} holds no challenge (there is no {path}); `candidly challenge new {folder}` "
            "makes one."
        )
    try:
        values = json.loads(path.read_text("utf-8"))
        schema = values.pop("schema")
        if schema != SCHEMA:
            raise ValueError(f"it has schema version {schema!r}, this candidly reads {SCHEMA}")
        values["sets"] = tuple(LabelSet(**one) for one in values["sets"])
        values |= {"seeds": tuple(values["seeds"]), "tracks": tuple(values["tracks"])}
        values["baseline"] = Baseline(**values["baseline"])
        values["bounds"] = Bounds(**values["bounds"])
        return Protocol(**values)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is damaged{why(error, ': {}')}.") from error
