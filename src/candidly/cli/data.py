"""``candidly data``: what data there is, and what is in it. ``candidly labels``: making labels."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from .. import imperfect
from .._names import UnknownName
from ..describe import Description, describe
from ..grid import Column, Grid
from ..ingest import Roles
from ..ingest.labels import read_classes
from ..labelled import Labelled
from ..sources import SOURCES, Comparison, Source, as_words, compare, load, source_of
from . import _print
from ._column_options import (
    Annotator,
    Drop,
    Id,
    Image,
    Item,
    Label,
    Separator,
    Text,
    roles_of,
)
from ._contact_sheet import SheetView, check_pictures, pictures_in_words, write_sheet
from ._issues import check_place
from ._progress import reading

app = typer.Typer(
    no_args_is_help=True,
    help="Data sets by name, and files of your own: list, show, describe, convert.",
)
labels_app = typer.Typer(
    no_args_is_help=True,
    help="Make imperfect labels from true ones, and describe what came out.",
)

What = Annotated[
    str,
    typer.Argument(metavar="NAME_OR_PATH", help="A known name, a file, or a folder of pictures."),
]
Data = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="Folder to look for files in, first.")
]
Classes = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Names of the classes of a file, in order: a text file with a name a line, or a list "
        "such as cat,dog; or how many there are.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
SPEC_HELP = (
    "Process and parameters: candidate sets such as flip:rate=0.3,seed=1, instance:rate=0.3 or"
    " uniform+noise:rate=0.1; one noisy label by symmetric:rate=0.2, pair, matrix, empirical,"
    " lookalike or instance-label, each for all or for classes=0-4; inputs of no class by"
    " hold-out:classes=8/9+open-set:rate=0.2 (or pool:file=X.npz); long-tail:factor=100 in front."
)

SHOWN_CLASSES = 20  # longer histograms hide the rest of the page
WHOLE_MATRIX = 12  # classes of a matrix that fits beside its names
FACTS = (Column("", "word"), Column("", "text"))


@app.command("list")
def list_sources(as_json: AsJson = False) -> None:
    """The data sets that candidly knows by name.

    Example:  candidly data list
    """
    if as_json:
        _print_json([_source_dict(source) for source in SOURCES.values()])
        return
    columns = (
        Column("name", "word"),
        *map(Column, ("n", "features", "classes", "candidates", "noise %")),
        Column("file", "word"),
    )
    rows = []
    for source in SOURCES.values():
        e = source.expected
        rate = None if e.noise_rate is None else round(100 * e.noise_rate, 2)
        numbers = [_text(x) for x in (e.n, e.d, e.q, e.avg_candidates, rate)]
        rows.append((source.name, *numbers, _availability(source)))
    more = ", ".join(source.name for source in SOURCES.values() if source.options)
    note = f"Options stand behind the names of {more}: candidly data show cifar10h explains them."
    _print.show(Grid("Known data sets (published numbers)", columns, rows, (note,)))


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A known name.")],
    as_json: AsJson = False,
) -> None:
    """Where a known data set comes from: licence, citation, file, checksum, characteristics.

    Options that may stand behind its name are explained, such as cifar10h:k=3,seed=1.

    Example:  candidly data show lost
    """
    source = source_of(name)
    if as_json:
        _print_json(_source_dict(source))
        return
    rows = []
    for key, value in _source_dict(source).items():
        if key == "expected":
            value = _pairs(value)
        if key == "options":
            rows += [(f"option {name}", text) for name, text in value.items()]
            continue
        if key == "parts":
            value = "; ".join(_pairs(part) for part in value) or None
        listed = isinstance(value, (list, tuple))
        rows.append((key, ", ".join(value) or "-" if listed else _text(value)))
    _print.show(Grid(source.name, FACTS, rows))


@app.command("describe")
@labels_app.command("describe")
def describe_data(
    what: What,
    data: Data = None,
    classes: Classes = None,
    label: Label = None,
    separator: Separator = None,
    id: Id = None,
    text: Text = None,
    image: Image = None,
    annotator: Annotator = None,
    item: Item = None,
    drop: Drop = None,
    labels: Annotated[
        str | None, typer.Option("--labels", "--noise", metavar="SPEC", help=SPEC_HELP)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE.png",
            help="Draw a contact sheet: pictures of each class with their labels.",
        ),
    ] = None,
    view: SheetView = "plain",
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE.html",
            help="Write a page with figures: how often each class is named, sizes of sets, noise"
            " against the number of annotators, what is named where which class is true.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What is in a data set, and whether a known one has its published characteristics.

    \b
    Examples:
      candidly data describe digits --labels flip:rate=0.3
      candidly labels describe cifar10h:k=3 --html labels.html
    """
    check_place(out, "--out", (".png",))
    check_place(html, "--html", (".html", ".htm"))
    loaded = _load(
        what, data, classes, roles_of(label, separator, id, text, image, annotator, item, drop)
    )
    if out is None and view != "plain":
        raise ValueError("--view is of the contact sheet: name its file with --out FILE.png.")
    if out is not None:
        view = check_pictures(loaded, view)
    known = _known(loaded.source)
    compared = compare(loaded, known) if known else []
    if labels is not None:
        loaded = _apply(loaded, labels)
    description = describe(loaded)
    beside: dict[str, Any] = {"pictures": words} if (words := pictures_in_words(loaded)) else {}
    if loaded.official_test is not None:
        beside["official_test"] = int(loaded.official_test.sum())
    if known and known.note:
        beside["note"] = known.note
    if out is not None:
        write_sheet(loaded, out, view)
        _tell(f"wrote {out}: a contact sheet")
    if html is not None:
        from ..report import write_labels_page

        read = {"file": what} if known is None else {"from": known.page, "paper": known.citation}
        notes = [known.note] if known and known.note else []
        write_labels_page(loaded, html, read=read, notes=notes)
        _tell(f"wrote {html}: a page of the labels")
    if as_json:
        published = [row._asdict() for row in compared]
        _print_json({**description.to_dict(), **beside, "published": published})
        return
    _print.show(
        _description_grid(description, beside),
        *_histograms(loaded, description),
        *_transitions(loaded, description),
        _comparison_grid(compared),
    )


@app.command()
def convert(
    what: What,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .npz file to write.")],
    data: Data = None,
    classes: Classes = None,
    label: Label = None,
    separator: Separator = None,
    id: Id = None,
    text: Text = None,
    image: Image = None,
    annotator: Annotator = None,
    item: Item = None,
    drop: Drop = None,
    as_json: AsJson = False,
) -> None:
    """Write any data set as one .npz file, which loads fast and needs no MATLAB or pickle.

    Example:  candidly data convert lost.mat lost.npz
    """
    check_place(out, "OUT", (".npz",))
    _save(
        _load(
            what, data, classes, roles_of(label, separator, id, text, image, annotator, item, drop)
        ),
        out,
        as_json,
    )


@labels_app.command()
def make(
    what: What,
    spec_and_out: Annotated[
        list[str],
        typer.Argument(metavar="[SPEC] OUT", help=f"{SPEC_HELP} Then the .npz file to write."),
    ],
    noise: Annotated[
        str | None, typer.Option("--noise", metavar="SPEC", help="SPEC, as an option.")
    ] = None,
    data: Data = None,
    classes: Classes = None,
    label: Label = None,
    separator: Separator = None,
    id: Id = None,
    text: Text = None,
    image: Image = None,
    annotator: Annotator = None,
    item: Item = None,
    drop: Drop = None,
    as_json: AsJson = False,
) -> None:
    """Make imperfect labels from the truth of a data set, and write the result.

    Example:  candidly labels make digits uniform+noise:rate=0.1 noisy.npz
    """
    places = ([] if noise is None else [noise]) + spec_and_out
    if len(places) != 2:
        raise ValueError(
            f"labels make needs one SPEC and one OUT, not {' '.join(places)!r}; write for example"
            f" candidly labels make {what} symmetric:rate=0.2 noisy.npz."
        )
    spec, out = places
    check_place(Path(out), "OUT", (".npz",))
    _save(
        _apply(
            _load(
                what,
                data,
                classes,
                roles_of(label, separator, id, text, image, annotator, item, drop),
            ),
            spec,
        ),
        Path(out),
        as_json,
    )


def _apply(data: Labelled, spec: str) -> Labelled:
    with reading("comparing examples", "of the examples compared") as watch:
        return imperfect.apply(data, spec, watch)


def _load(what: str, root: Path | None, classes: str | None, roles: Roles) -> Labelled:
    names = int(classes) if classes and classes.isdecimal() else read_classes(classes)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        with reading("reading images", "of the images read") as watch:
            loaded = load(what, root, watch=watch, classes=names, roles=roles)
    for warning in caught:
        _tell(f"warning: {warning.message}")
    return loaded


def _save(data: Labelled, out: Path, as_json: bool) -> None:
    data.save(out)
    if as_json:
        _print_json({"path": str(out), "source": data.source, "fingerprint": data.fingerprint()})
    else:
        _tell(f"wrote {out}: {data!r}")


def _known(name: str) -> Source | None:
    try:
        return source_of(name)
    except (UnknownName, ValueError):
        return None


def _source_dict(source: Source) -> dict[str, Any]:
    values = {
        field.name: getattr(source, field.name)
        for field in dataclasses.fields(source)
        if field.name not in ("loader", "finds", "values")
    }
    values["expected"] = dataclasses.asdict(source.expected)
    values["files"] = list(source.files)
    values["parts"] = [dataclasses.asdict(part) for part in source.parts]
    values["options"] = as_words(source.options)
    values["availability"] = _availability(source)
    return values


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{k}={v}" for k, v in values.items() if v not in (None, "", ()))


def _availability(source: Source) -> str:
    if not source.files:
        return "built in"
    return "download" if source.url else "bring your own"


def _description_grid(description: Description, beside: Mapping[str, Any]) -> Grid:
    rows = [(name.replace("_", " "), _text(value)) for name, value in beside.items()]
    elsewhere = {"candidate_sizes", "oracle_class_counts", "oracle_flipping"}
    elsewhere |= {"source", "oracle_transition", "oracle_diagonal"}
    for key, value in description.to_dict().items():
        if value is None or key in elsewhere:
            continue
        if isinstance(value, list):
            listed = ", ".join(str(item) for item in value[:SHOWN_CLASSES])
            more = ", ..." if len(value) > SHOWN_CLASSES else ""
            value = f"{len(value)} ({listed}{more})" if value else "none"
        label = {"n": "examples", "q": "classes"}.get(key, key)
        label = label.removeprefix("oracle_").replace("_", " ")
        rows.append((label + (" (oracle)" if key.startswith("oracle_") else ""), _text(value)))
    return Grid(description.source or "data", FACTS, rows)


def _histograms(data: Labelled, description: Description) -> Iterator[Grid]:
    if description.candidate_sizes is not None:
        sizes = [(str(s), c) for s, c in enumerate(description.candidate_sizes) if c]
        yield _bars("labels in a set", sizes)
    if description.oracle_class_counts is not None:
        counts = list(zip(data.classes, description.oracle_class_counts))
        title = "examples of a class (oracle)"
        if len(counts) > SHOWN_CLASSES:
            counts = sorted(counts, key=lambda pair: -pair[1])[:SHOWN_CLASSES]
            title = f"examples of the {SHOWN_CLASSES} largest of {data.q} classes (oracle)"
        yield _bars(title, counts)


def _transitions(data: Labelled, description: Description) -> Iterator[Grid]:
    """Given labels by true class: how many are right, what the others are, and the whole matrix."""
    if description.oracle_transition is None:
        return
    shares = np.array(description.oracle_transition)
    right = shares.diagonal()
    wrong = np.where(np.eye(data.q, dtype=bool), -1, shares)
    known = np.flatnonzero(~np.isnan(right))
    shown = known[np.argsort(right[known], kind="stable")][:SHOWN_CLASSES]
    title = "given labels that are right, by true class (oracle)"
    if len(shown) < len(known):
        title = f"the {len(shown)} true classes with the fewest right given labels (oracle)"
    columns = (
        *(Column("true class", "name"), Column("right %", form=".1f")),
        *(Column("most often wrong as", "name"), Column("%", form=".1f")),
    )
    rows = []
    for label in shown if len(shown) < len(known) else known:
        other = wrong[label].argmax()
        name = data.classes[other] if wrong[label, other] > 0 else "-"
        share = 100 * max(float(wrong[label, other]), 0)
        rows.append((data.classes[label], 100 * float(right[label]), name, share))
    yield Grid(title, columns, rows)
    if data.q <= WHOLE_MATRIX:
        yield _matrix_grid(data.classes, shares)


def _matrix_grid(classes: tuple[str, ...], shares: np.ndarray) -> Grid:
    columns = (Column("", "name"), *(Column(str(k), form=".1f") for k in range(len(classes))))
    rows = [
        (name if name == str(k) else f"{k} {name}", *(100 * row).tolist())
        for k, (name, row) in enumerate(zip(classes, shares))
    ]
    title = "given label (columns, by number) by true class (rows), % (oracle)"
    return Grid(title, columns, rows)


def _bars(title: str, counts: list[tuple[str, int]]) -> Grid:
    largest = max(count for _, count in counts)
    columns = (Column("", "name"), Column(""), Column("", "bar"))
    return Grid(title, columns, [(name, count, count / largest) for name, count in counts])


def _comparison_grid(rows: list[Comparison]) -> Grid:
    columns = (Column("published", "name"), *map(Column, ("expected", "measured", "agrees")))
    lines = [
        (row.what, _text(row.expected), _text(row.measured), "yes" if row.agrees else "NO")
        for row in rows
    ]
    return Grid("", columns, lines)


def _text(value: Any) -> str:
    if value in (None, ""):
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _tell(message: str) -> None:
    typer.echo(message, err=True)


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, allow_nan=False))
