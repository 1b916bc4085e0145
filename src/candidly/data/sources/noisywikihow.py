"""NoisywikiHow: steps of how-to articles, labelled with the category of the article.

158 classes, of 301 to 2,685 events each; 50 of each for validation and 50 for testing, in which
nothing is wrong. Of the rest, files in ``noisy/`` replace the text of some by one of another
category (``mix``, and from a single source ``neighbor``, ``uncommon``, ``tail``), or the label of
some by another (``sym``). Which row is noisy follows from the ids in these files, never from
comparing labels. What is known of the released files is checked, and what differs is refused.

Source: Wu et al., "NoisywikiHow: A benchmark for learning with real-world noisy labels in natural
language processing", Findings of ACL 2023.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...ground.spec import number, word
from ..ingest import read_frame
from ..inputs.tokens import TextSize
from ..labels.labelled import Labelled
from ._options import NameOption
from ._source import Expected, Source

if TYPE_CHECKING:
    import polars as pl

CLASSES, EVENTS, HELD = 158, 89_143, 50  # HELD of each class in either file
STEPS = 777_135  # events before classes were chosen; step ids are below
TAIL, TAILS, OF_TAILS = (
    400,
    54,
    18_656,
)  # events of a tail class at most; such classes, their events
SMALLEST = 301
LEVELS = {"2": 22, "3": 87, "4": 36, "5": 10, "6": 3}
SHORTEST, LONGEST = 3, 80  # tokens of an event
JOINED = 49  # events whose full stop no space stands before
CATEGORIES, TEST, VALIDATION, TRAIN = "cat158.csv", "test.csv", "val.csv", "train.csv"
OF_CATEGORIES = ("category", "level", "steps")
PLAIN = ("choosen_id", "step_id", "cat_id", "step", "cat")  # the spelling is theirs
REPLACED = (
    "choosen_id",
    "step_id",
    "noisy_id",
    "cat_id",
    "step",
    "cat",
    "noisy_step",
    "noisy_cat",
    "noisy_label",
)
FLIPPED = ("choosen_id", "step_id", "cat_id", "noisy_label", "step", "cat", "noisy_cat")
COLUMNS = dict.fromkeys(("mix", "neighbor", "uncommon", "tail"), REPLACED) | {"sym": FLIPPED}
RATES = ("0.1", "0.2", "0.4", "0.6")


def load_noisywikihow(
    path: Path,
    source: str,
    part: str = "train",
    noise: str = "",
    rate: str = "0.1",
    validation: str = "share",
) -> Labelled:
    """Texts with given and true labels; the test file's rows are the official test rows.

    Args:
        path: the path of ``cat158.csv``; the other files lie beside it.
        part: ``train``, or ``heldout`` for the validation file in its place.
        noise: a mode of ``noisy/``; '' for none.
        rate: the rate of the noise.
        validation: ``clean`` puts the validation file's rows behind the others, as the paper chose
            by; with ``share`` whoever chooses takes a share of the training rows.

    Returns:
        ``given`` is the label that a row comes with; ``truth`` is its category, and -1 where
        another text is in its place; ids are ``choosen_id``.

    Raises:
        FileNotFoundError: a file is not there.
        ValueError: a file is not as released; names the row and the value.
    """
    folder = path.parent
    names = categories(path)
    held = {name: events(folder / name, names) for name in (VALIDATION, TEST)}
    check_held_out(folder, held)
    chosen = [as_columns(held[VALIDATION])] * (validation == "clean")
    if part == "heldout":
        if chosen:
            raise ValueError(
                f"{source}: the held-out events are what one learns from here; leave validation"
                " out."
            )
        if noise:
            raise ValueError(f"{source}: the held-out events have no noise; leave noise out.")
        learned = as_columns(held[VALIDATION])
    elif noise:
        learned = noisy(folder / "noisy" / f"{noise}_{rate}.csv", noise, names)
    else:
        learned = as_columns(events(folder / TRAIN, names))
    tested = as_columns(held[TEST])
    inputs, given, truth, ids = (
        np.concatenate(parts) for parts in zip(learned, *chosen, tested, strict=True)
    )
    place = np.arange(len(ids))
    begin = len(ids) - len(tested[0])
    return Labelled(
        inputs=inputs,
        given=given,
        truth=truth,
        ids=ids,
        classes=names,
        official_test=place >= begin,
        official_validation=(place >= len(learned[0])) & (place < begin) if chosen else None,
        source=source,
    )


Columns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # texts, given, truth, ids


def as_columns(frame: pl.DataFrame) -> Columns:
    """Of a file without noise."""
    labels = whole(frame["cat_id"])
    return frame["step"].to_numpy().astype(object), labels, labels, whole(frame["choosen_id"])


def replaced_or_flipped(path: Path) -> np.ndarray:
    """Which rows of a file in ``noisy/`` are noisy, bool (n,), by the ids in it.

    Raises:
        FileNotFoundError, ValueError: as ``load_noisywikihow``.
    """
    mode = path.stem.rpartition("_")[0]
    frame = read(path, COLUMNS[mode])
    if mode == "sym":
        return whole(frame["noisy_label"]) != whole(frame["cat_id"])
    return whole(frame["noisy_id"]) != whole(frame["step_id"])


def noisy(path: Path, mode: str, names: Sequence[str]) -> Columns:
    """Of a file in ``noisy/``."""
    frame = read(path, COLUMNS[mode])
    check_labels(path, frame, names)
    labels, ids = whole(frame["cat_id"]), whole(frame["choosen_id"])
    different(path, "choosen_id", ids)
    wrong = replaced_or_flipped(path)
    if mode == "sym":
        given = whole(frame["noisy_label"])
        inside(path, "noisy_label", given, 0, CLASSES - 1)
        return frame["step"].to_numpy().astype(object), given, labels, ids
    outside = whole(frame["noisy_label"])
    row = first(wrong & (outside != -1))
    if row is not None:
        refuse(
            path,
            row,
            f"noisy_label is {outside[row]} and the text is another's: -1 is released. This is an "
            "earlier version of the files; get those of January 2023 or later",
        )
    same = frame["noisy_step"].to_numpy() == frame["step"].to_numpy()
    row = first(~wrong & ~same)
    if row is not None:
        refuse(path, row, "noisy_step differs from step, and noisy_id is step_id")
    texts = frame["noisy_step"].to_numpy().astype(object)
    return texts, labels, np.where(wrong, -1, labels), ids


# what is known of the files


def categories(path: Path) -> tuple[str, ...]:
    """Names of the classes, by their numbers.

    Raises:
        ValueError: another table.
    """
    frame = read(path, OF_CATEGORIES)
    names, sizes = frame["category"].to_list(), whole(frame["steps"])
    levels = Counter(frame["level"].to_list())
    small = sizes[sizes <= TAIL]
    for what, found, wanted in (
        ("classes", len(names), CLASSES),
        ("different names", len(set(names)), CLASSES),
        ("events in all (steps)", int(sizes.sum()), EVENTS),
        ("events of the smallest class", int(sizes.min()), SMALLEST),
        (f"classes of at most {TAIL} events", len(small), TAILS),
        (f"events of classes of at most {TAIL}", int(small.sum()), OF_TAILS),
        *((f"classes of level {level}", levels[level], count) for level, count in LEVELS.items()),
    ):
        if found != wanted:
            raise ValueError(
                f"{path} has {found:,} {what}, and the released table {wanted:,}. Get it again."
            )
    return tuple(names)


def events(path: Path, names: Sequence[str]) -> pl.DataFrame:
    """A file of events as they are: train.csv, val.csv or test.csv.

    Raises:
        FileNotFoundError, ValueError: see ``load_noisywikihow``.
    """
    frame = read(path, PLAIN)
    check_labels(path, frame, names)
    texts = frame["step"].to_list()
    for row, text in enumerate(texts):
        tokens = len(text.split())
        if not SHORTEST <= tokens <= LONGEST:
            refuse(path, row, f"step has {tokens} tokens; events have {SHORTEST} to {LONGEST}")
        if text != text.lower() or not text.endswith("."):
            refuse(
                path, row, f"step is {text!r}; events are in lower case and end with a full stop"
            )
    inside(path, "step_id", whole(frame["step_id"]), 0, STEPS - 1)
    for name in ("choosen_id", "step_id"):
        different(path, name, whole(frame[name]))
    return frame


def check_held_out(folder: Path, held: dict[str, pl.DataFrame]) -> None:
    """Refuse validation and test files that are not those that were released."""
    for name, frame in held.items():
        counts = np.bincount(whole(frame["cat_id"]), minlength=CLASSES)
        if len(frame) != CLASSES * HELD or (counts != HELD).any():
            odd = int((counts != HELD).argmax())
            raise ValueError(
                f"{folder / name} has {len(frame):,} events, and {counts[odd]} of class {odd}; "
                f"released are {CLASSES * HELD:,}, {HELD} of each class. Get it again."
            )
    texts = [text for frame in held.values() for text in frame["step"].to_list()]
    repeated = [text for text, count in Counter(texts).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{folder}: {repeated[0]!r} is there twice in {' and '.join(held)}; no event is, as "
            "released. Get them again."
        )
    joined = sum(not text.endswith(" .") for text in texts)
    if joined != JOINED:
        raise ValueError(
            f"{folder}: {joined} events of {' and '.join(held)} have no space before their full "
            f"stop; as released {JOINED} have none. Get the files again."
        )
    ids = np.concatenate([whole(frame["choosen_id"]) for frame in held.values()])
    if len(np.unique(ids)) < len(ids):
        raise ValueError(f"{folder}: an event is in both {' and '.join(held)}. Get them again.")


def check_labels(path: Path, frame: pl.DataFrame, names: Sequence[str]) -> None:
    labels = whole(frame["cat_id"])
    inside(path, "cat_id", labels, 0, len(names) - 1)
    inside(path, "choosen_id", whole(frame["choosen_id"]), 0, EVENTS - 1)
    told = frame["cat"].to_list()
    row = first(np.array([names[k] != name for k, name in zip(labels.tolist(), told)]))
    if row is not None:
        refuse(
            path, row, f"cat is {told[row]!r}, and class {labels[row]} is {names[labels[row]]!r}"
        )


def read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    """A file with these columns and no empty cell, numbers of the numbered ones."""
    import polars as pl

    if not path.is_file():
        more = " noisy/ files go by mode and rate." if path.parent.name == "noisy" else ""
        raise FileNotFoundError(
            f"there is no file {path}.{more} Without the training files, noisywikihow:part=heldout "
            "has the clean events of val.csv and test.csv."
        )
    frame = read_frame(path, ",").frame
    if tuple(frame.columns) != tuple(columns):
        raise ValueError(
            f"{path} has the columns {', '.join(frame.columns)[:200]}, and the released file "
            f"{', '.join(columns)} (choosen_id is their spelling). Get it again."
        )
    for name in columns:
        if frame[name].null_count():
            refuse(path, int(frame[name].is_null().arg_max() or 0), f"{name} is empty")
        if name.endswith("_id") or name in ("steps", "noisy_label"):
            numbers = frame[name].cast(pl.Int64, strict=False)
            if numbers.null_count():
                row = int(numbers.is_null().arg_max() or 0)
                refuse(path, row, f"{name} is {frame[name][row]!r}, which is no whole number")
            frame = frame.with_columns(numbers)
    return frame


def whole(column: Any) -> np.ndarray:
    return np.asarray(column.to_numpy(), np.int64)


def inside(path: Path, name: str, values: np.ndarray, low: int, high: int) -> None:
    row = first((values < low) | (values > high))
    if row is not None:
        refuse(path, row, f"{name} is {values[row]}; it lies in {low:,} to {high:,}")


def different(path: Path, name: str, values: np.ndarray) -> None:
    kept = np.unique(values, return_index=True)[1]
    again = np.ones(len(values), bool)
    again[kept] = False
    row = first(again)
    if row is not None:
        refuse(path, row, f"{name} is {values[row]}, as in a row before")


def first(rows: np.ndarray) -> int | None:
    return int(rows.argmax()) if len(rows) and rows.any() else None


def refuse(path: Path, row: int, what: str) -> NoReturn:
    raise ValueError(f"{path}, row {row}: {what}. It is not the released file; get it again.")


def _rate(text: str, name: str) -> str:
    return word(*RATES)(f"{number()(text, name):g}", name)


NOISYWIKIHOW = Source(
    name="noisywikihow",
    title="NoisywikiHow",
    files=(CATEGORIES,),
    size_bytes=None,
    sha256=None,
    url=None,
    page="https://github.com/tangminji/NoisywikiHow-dataset",
    licence="see the source repository; the texts are from wikiHow articles",
    citation="T. Wu, X. Ding, M. Tang, H. Zhang, B. Qin, T. Liu. NoisywikiHow: a benchmark for"
    " learning with real-world noisy labels in natural language processing. Findings of ACL 2023.",
    expected=Expected(
        EVENTS - CLASSES * HELD,
        None,
        CLASSES,
        n_test=CLASSES * HELD,
        texts=TextSize(words=18_000, longest=122, usual=39),
    ),
    steps=11_460,
    loader=load_noisywikihow,
    options={
        "part": NameOption(
            "train: the training file; heldout: the validation file in its place",
            "train",
            word("train", "heldout"),
        ),
        "noise": NameOption(
            "mix: texts of other categories in place of some; neighbor, uncommon, tail: from a"
            " single source; sym: labels of some flipped",
            "",
            word(*COLUMNS),
            resizes=False,
        ),
        "validation": NameOption(
            "clean: the validation file, by which the paper chose; share: none of its own",
            "share",
            word("share", "clean"),
        ),
        "rate": NameOption("of the noise", "0.1", _rate, needs="noise", resizes=False),
    },
    note="The validation and the test file are clean; bring the files, of which cat158.csv is found"
    " first.",
)
