"""``candidly review demo``: flagged labels of real images, ready to be checked in the browser."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from ...ground.bounds import PORTS
from ...ground.numbers import count_of
from .. import _progress
from .._types import whole
from .project import by, check_installed
from .serve import serve

if TYPE_CHECKING:
    from ...data.labels.labelled import Labelled
    from ...people.review import Item, Rules

VOTES, IMAGES = "cifar10_mturk.json", "cifar10_jpeg.parquet"
WRONG = 0.08  # share of the digits' labels that are made wrong


def demo(
    out: Annotated[Path, typer.Option(help="Where to make the project, once.")] = Path(
        "candidly-review"
    ),
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            envvar="CANDIDLY_DATA",
            help=f"Where {VOTES} and {IMAGES} may be: then its 275 flagged test images are asked "
            "about, otherwise handwritten digits.",
        ),
    ] = None,
    port: Annotated[int, whole("0 takes a free one.", most=PORTS)] = 8765,
    browser: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
) -> None:
    """Check labels in the browser: flagged digits, or the flagged test images of CIFAR-10.

    The next time it goes on where it was.

    Example:  candidly review demo --open
    """
    check_installed()
    if not (out / "review.db").exists():
        _make(out, data)
    serve(out, port=port, browser=browser)


def _make(out: Path, folder: Path | None) -> None:
    from ...people.review import PRESETS, make_project

    found = {name: _find(folder, name) for name in (VOTES, IMAGES)}
    usual = replace(PRESETS["verdict"], title="Check labels", guidelines=GUIDELINES)
    votes, images = found[VOTES], found[IMAGES]
    if votes is not None and images is not None:
        items, examples, rules, gold = _cifar(out, votes, images, usual)
    else:
        print(f"no {VOTES} and {IMAGES} in --data: digits are asked about", file=sys.stderr)
        items, examples, rules, gold = _digits(out, usual)
    made = make_project(out, items, rules, gold=gold, examples=examples, by=by())
    made.close()
    print(f"{out}: {count_of(len(items) - len(gold), 'item')}", file=sys.stderr)


def _find(folder: Path | None, name: str) -> Path | None:
    return None if folder is None else next(iter(sorted(folder.rglob(name))), None)


Made = tuple[list["Item"], "Labelled", "Rules", dict[str, str]]


def _cifar(out: Path, votes: Path, images: Path, rules: Rules) -> Made:
    """The flagged test images; examples of the classes come from the training images."""
    import polars as pl

    from ...data.ingest.media import pixels_of
    from ...people.review import MEDIA_FOLDER, items_of_tally, looks_of
    from ...people.validation import Tally, read_released

    tally = read_released(votes)
    assert isinstance(tally, Tally)
    table = pl.scan_parquet(images).with_columns(pl.col("split").cast(pl.String))

    def pixels(rows: pl.DataFrame) -> np.ndarray:
        return np.stack([pixels_of(file, colour=True) for file in rows["jpeg"]])

    asked = tally.item.tolist()
    test = pl.col("split") == "test"
    flagged = table.filter(test & pl.col("index").is_in(asked)).sort("index").collect()
    if sorted(asked) != flagged["index"].to_list():
        raise ValueError(f"{images} does not hold all test images that {votes} is about.")
    shown = _images(flagged["label"].to_numpy(), pixels(flagged), tally.classes)
    look = looks_of(shown, out / MEDIA_FOLDER)
    place = {int(row): k for k, row in enumerate(flagged["index"])}
    items = [replace(item, shown=look(place[item.row])) for item in items_of_tally(tally)]
    train = table.filter((pl.col("split") == "train") & (pl.col("index") < 1000)).collect()
    examples = _images(train["label"].to_numpy(), pixels(train), tally.classes)
    return items, examples, replace(rules, classes=tuple(tally.classes or ())), {}


def _images(labels: np.ndarray, pixels: np.ndarray, classes: Any) -> Labelled:
    from ...data.labels.labelled import Labelled

    return Labelled(inputs=pixels, given=labels.astype(np.int64), classes=classes)


def _digits(out: Path, rules: Rules) -> Made:
    """Digits with some labels made wrong, and what confident learning flags among them."""
    from ...data.imperfect import apply
    from ...data.sources import load
    from ...errors.confident import find
    from ...errors.crossval import cross_validate
    from ...people.review import MEDIA_FOLDER, items_of_data, looks_of

    data = apply(load("digits"), f"symmetric:rate={WRONG}")
    assert data.given is not None
    with _progress.reading("fitting", "done") as watch:
        probs = cross_validate("logistic", data, watch=watch).probs
    guessed = probs.argmax(1)
    flagged = find(data.given, probs).indices
    pixels = (np.asarray(data.inputs).reshape(-1, 8, 8) / 16 * 255).round().astype(np.uint8)
    images = _images(data.given, pixels, data.classes)
    sure = np.sort(probs.max(1))[-200]
    clear = np.flatnonzero((guessed == data.given) & (probs.max(1) >= sure))[:8]
    other = (data.given[clear] + 1) % data.q  # a label that is clearly not theirs
    items = items_of_data(
        replace(data, inputs=images.inputs, truth=None),
        [*flagged, *clear],
        guessed=_at(guessed, clear, other),
        looks=looks_of(images, out / MEDIA_FOLDER),
    )
    keys = {str(data.ids[row]): "given" for row in clear}
    return items, images, replace(rules, classes=data.classes), keys


def _at(values: np.ndarray, rows: np.ndarray, new: np.ndarray) -> np.ndarray:
    changed = values.copy()
    changed[rows] = new
    return changed


GUIDELINES = """\
You see an image in the middle, and examples of two classes beside it.

Say which class it is. "Both" when both are in the image, "neither" when it is something else.
When you cannot tell, skip: somebody else will be asked.

Some images are ones whose answer is known, and some come twice; that is how we see how reliable
answers are. Take your time.
"""
