"""``candidly data``: what data there is, and what is in it. ``candidly labels``: making labels."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from ...data import imperfect
from ...data.ingest import Roles, is_table
from ...data.ingest.made_labels import write_made
from ...data.inputs import Table, fit_encoding
from ...data.labels.describe import describe, track_of
from ...data.labels.labelled import Labelled
from ...data.sources import SOURCES, Source, as_words, compare, source_of
from ...ground.checks import OFFICIAL
from ...ground.names import UnknownName
from ...learn.sheet import check_pictures, pictures_in_words, write_sheet
from ...learn.written.views import VIEWS
from ...people.crowd.labels_grids import (
    FACTS,
    as_text,
    comparison_grid,
    description_grid,
    histograms,
    transitions,
)
from ...show.grid import Column, Grid
from .. import _print
from .._column_options import ANY, OF_PARTS
from .._issues import check_place
from .._print import AsJson
from .._progress import reading
from .common import Data, What, loaded_from, print_json, save, tell
from .features import join, make_features
from .narrow import narrow
from .spelling import spelling

SheetView = Annotated[
    str,
    typer.Option(
        "--view",
        metavar="VIEW",
        help=f"Draw the pictures as training sees them: {', '.join(VIEWS)}, or a policy's file.",
    ),
]
app = typer.Typer(
    no_args_is_help=True,
    help="Data sets by name, and files of your own: list, show, describe, convert, features, join.",
)
labels_app = typer.Typer(
    no_args_is_help=True,
    help="Make imperfect labels from true ones, and describe what came out.",
)

SPEC_HELP = (
    "Process and parameters: candidate sets such as flip:rate=0.3,seed=1, flip-matrix:file=R.csv,"
    " empirical-sets, complementary:count=2, instance:rate=0.3 or uniform+noise:rate=0.1; one "
    "noisy label by symmetric:rate=0.2, pair, matrix, empirical, lookalike or instance-label, "
    "each for all or for classes=0-4; inputs of no class by "
    "hold-out:classes=8/9+open-set:rate=0.2 (or pool:file=X.npz); long-tail:factor=100 in front."
)


@app.command("list")
def list_sources(as_json: AsJson = False) -> None:
    """The data sets that candidly knows by name.

    Example:  candidly data list
    """
    if as_json:
        print_json([_source_dict(source) for source in SOURCES.values()])
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
        numbers = [as_text(x) for x in (e.n, e.d, e.q, e.avg_candidates, rate)]
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
        print_json(_source_dict(source))
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
        rows.append((key, ", ".join(value) or "-" if listed else as_text(value)))
    _print.show(Grid(source.name, FACTS, rows))


@app.command("describe")
@labels_app.command("describe")
@OF_PARTS
def describe_data(
    what: What,
    root: Data = None,
    roles: Roles = ANY,
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

    Examples:

        candidly data describe digits --labels flip:rate=0.3

        candidly labels describe cifar10h:k=3 --html labels.html
    """
    check_place(out, "--out", (".png",))
    check_place(html, "--html", (".html", ".htm"))
    loaded = loaded_from(what, root, roles)
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
    for name in OFFICIAL:
        if (rows := getattr(loaded, name)) is not None:
            beside[name] = int(rows.sum())
    if known and known.note:
        beside["note"] = known.note
    if track := track_of(loaded.source):
        beside["track"] = track
    if out is not None:
        write_sheet(loaded, out, view)
        tell(f"wrote {out}: a contact sheet")
    if html is not None:
        from ...people.crowd.labels_document import labels_document

        read = {"file": what} if known is None else {"from": known.page, "paper": known.citation}
        notes = [known.note] if known and known.note else []
        labels_document(loaded, read=read, notes=notes).write(html)
        tell(f"wrote {html}: a page of the labels")
    if as_json:
        published = [row._asdict() for row in compared]
        print_json({**description.to_dict(), **beside, "published": published})
        return
    _print.show(
        description_grid(description, beside),
        *histograms(loaded, description),
        *transitions(loaded, description),
        comparison_grid(compared),
    )


@app.command()
@OF_PARTS
def convert(
    what: What,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .npz file to write.")],
    root: Data = None,
    roles: Roles = ANY,
    numbers: Annotated[
        bool,
        typer.Option(
            "--numbers",
            help="Make numbers of columns with categories, dates, texts or gaps, which candidly "
            "bench needs: by the medians, scales and levels of all rows, and no label.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write any data set as one .npz file, which loads fast and needs no MATLAB or pickle.

    Examples:

      candidly data convert lost.mat lost.npz

      candidly data convert shop.csv shop.npz --label category --numbers
    """
    check_place(out, "OUT", (".npz",))
    loaded = loaded_from(what, root, roles)
    if numbers and isinstance(loaded.inputs, Table):
        encoding = fit_encoding(loaded.inputs)
        inputs, features = encoding.encode(loaded.inputs), encoding.features
        loaded = dataclasses.replace(loaded, inputs=inputs, features=features)
    save(loaded, out, as_json)


app.command()(join)
app.command("features")(make_features)


labels_app.command("spelling")(spelling)
labels_app.command("narrow")(narrow)


@labels_app.command()
@OF_PARTS
def make(
    what: What,
    spec_and_out: Annotated[
        list[str],
        typer.Argument(
            metavar="[SPEC] OUT",
            help=f"{SPEC_HELP} Then the .npz file to write; or, of a table, the same with a column "
            "of these labels, in a file of its ending.",
        ),
    ],
    noise: Annotated[
        str | None, typer.Option("--noise", metavar="SPEC", help="SPEC, as an option.")
    ] = None,
    root: Data = None,
    roles: Roles = ANY,
    as_json: AsJson = False,
) -> None:
    """Make imperfect labels from the truth of a data set, and write the result.

    Examples:

      candidly labels make digits uniform+noise:rate=0.1 noisy.npz

      candidly labels make shop.csv flip:rate=0.3 sets.csv --truth category
    """
    places = ([] if noise is None else [noise]) + spec_and_out
    if len(places) != 2:
        raise ValueError(
            f"labels make needs one SPEC and one OUT, not {' '.join(places)!r}; write for example"
            f" candidly labels make {what} symmetric:rate=0.2 noisy.npz."
        )
    spec, out = places
    of_table = is_table(Path(what)) and not Path(what).is_dir() and not roles.files
    check_place(Path(out), "OUT", (".npz", Path(what).suffix) if of_table else (".npz",))
    loaded = loaded_from(what, root, roles)
    made = _apply(loaded, spec)
    if Path(out).suffix == ".npz":
        save(made, Path(out), as_json)
        return
    column = write_made(Path(what), roles, loaded, made, Path(out))
    if as_json:
        print_json({"path": out, "column": column, "fingerprint": made.fingerprint()})
    else:
        truth = roles.truth or "truth"
        tell(f"wrote {out}: {what} with a column {column} (--label {column} --truth {truth})")


def _apply(data: Labelled, spec: str) -> Labelled:
    with reading("comparing examples", "of the examples compared") as watch:
        return imperfect.apply(data, spec, watch)


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
