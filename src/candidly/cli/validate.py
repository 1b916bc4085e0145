"""``candidly validate``: from people's answers to verdicts, totals and corrected labels."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from ..data.ingest import Roles
from ..ground.files import write_table
from ..ground.jsons import to_json
from ._column_options import ANSWERS, ANY, CELLS, LABELS, reads
from ._issues import check_place
from ._print import Form, check_form, show
from ._types import whole
from ._verdicts import parts

if TYPE_CHECKING:
    import numpy as np

    from ..data.ingest import Sheet
    from ..people.validation import Corrected, Reading, SetTally, Tally

OUT = (".npz", ".npy", ".parquet", ".csv")


@reads(*LABELS, *CELLS, "id", *ANSWERS, "drop")
def validate(
    votes: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="The answers: a released .json file, or a table with a row per answer and the "
            "columns item, person, answer; given and guessed where --labels says less.",
        ),
    ],
    votes_format: Annotated[
        str | None,
        typer.Option(help="Of the answers: released or long. (default: by the file's ending)"),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="All labels of the data set: a table or an .npy. Corrected labels are made of "
            "them.",
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The table with these labels, in place of --labels. --out is the same table with "
            "the corrected labels, and where each comes from, beside the old ones.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="With --into: --out may be that very file.")
    ] = False,
    index: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A JSON list of file names in order of the data set, for answers whose ids are "
            "file names (ImageNet, IMDB).",
        ),
    ] = None,
    threshold: Annotated[
        int | None,
        whole("People that make a verdict. (default: more than half)", least=1),
    ] = None,
    reading: Annotated[
        str,
        typer.Option(
            help="For corrected labels: exact, or seen, which keeps what people saw at all."
        ),
    ] = "exact",
    size: Annotated[
        int | None, whole("Examples of the data set. (default: the labels)", least=1)
    ] = None,
    flagged: Annotated[
        int | None,
        whole("Examples that were flagged, if those checked are a random sample.", least=1),
    ] = None,
    audited: Annotated[int, whole("Unflagged examples drawn at random and checked.")] = 0,
    audit_errors: Annotated[int, whole("Errors among these.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write corrected labels: .npz (can be applied and undone), .npy (labels alone, "
            "-1: pruned), or a table with where each label comes from, .parquet .csv.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one self-contained page.")
    ] = None,
    form: Form = "text",
    roles: Roles = ANY,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """What people's answers say about labels: errors, how sure that is, and what to put instead.

    Examples:

      candidly validate --votes cifar10_mturk.json --size 10000

      candidly validate --votes quickdraw_mturk.json --size 50426266 --flagged 6825383

      candidly validate --votes answers.csv --labels labels.npy --out corrected.npz --html page.html

      candidly validate --votes answers.csv --into pets.csv --label kind --out pets-corrected.csv
    """
    from ..data.ingest.unused import ANSWERS, LABELS, as_read, refuse_unused
    from ..people.validation import judge, missed
    from ..people.validation.verdicts_page import summarise, write_verdicts_page

    if form in ("released", "long"):
        raise ValueError(f"--format is of what is printed; give --votes-format {form}.")
    check_form(form)
    check_place(out, "--out", OUT if into is None else ())
    check_place(html, "--html", (".html", ".htm"))
    if out is not None and labels is None and into is None:
        raise ValueError("--out writes corrected labels; say with --labels what to correct.")
    if into is not None and (labels is not None or out is None):
        why = (
            "has the labels itself, so leave --labels out" if labels else "needs --out, a new file"
        )
        raise ValueError(f"--into {into} {why}.")
    if overwrite and into is None:
        raise ValueError("--overwrite is for --into; other files are written over anyway.")
    read_as = checked_reading(reading)
    released = _is_released(votes, votes_format)
    of_answers = () if released else [name for name in ANSWERS if name != "label"]
    others = [] if labels is None else [as_read(labels, LABELS)]
    others += [] if into is None else [as_read(into, set(LABELS) - {"label_separator"})]
    refuse_unused(roles, as_read(votes, of_answers), *others)
    roles.refuse_several()
    names = roles.declared
    of_labels = replace(roles, item=None, annotator=None, drop=())
    table = None if into is None else _Table.read(into, of_labels, names)
    own: np.ndarray | None = None
    ids = None
    if table is not None:
        own, names = table.labels, list(table.classes)
    elif labels is not None:
        own, ids = _labels(labels, names, of_labels)
    of_votes = replace(roles, label=None, id=None)
    tally = _tally(votes, released, own, index, names, of_votes)
    verdicts = judge(tally, threshold)
    size = _size(size, own, flagged, len(tally))
    unflagged = None if size is None else size - (flagged or len(tally))
    if unflagged is None and audited:
        raise ValueError("--audited is about the unflagged examples; say with --size how many.")
    about_missed = None if unflagged is None else missed(unflagged, audited, audit_errors)
    made = None if own is None else _corrected(own, verdicts, read_as, bool(out))
    about = summarise(verdicts, size=size, flagged=flagged, missed=about_missed, corrected=made)
    source = labels or into
    if html is not None:
        read = {"answers": str(votes)} | ({} if source is None else {"labels": str(source)})
        write_verdicts_page(verdicts, html, about=about, read=read)
    if out is not None:
        assert made is not None
        if table is not None:
            table.write(made, out, overwrite)
        else:
            _write(made, out, ids, names)
    written = {"out": out, "html": html}
    if as_json:
        about["read"] = {"votes": str(votes), "labels": None if source is None else str(source)}
        about["written"] = {name: str(path) for name, path in written.items() if path is not None}
        print(to_json(about))
        return
    show(*parts(about, getattr(tally, "offered", None)), form=form)
    for path in written.values():
        if path is not None:
            print(f"wrote {path}", file=sys.stderr)


@dataclass(frozen=True, eq=False)
class _Table:
    """A table, its column of labels, and these as numbers of the classes."""

    sheet: Sheet
    label: str
    classes: Sequence[str]
    labels: np.ndarray
    merge: Any

    @classmethod
    def read(cls, path: Path, roles: Roles, classes: Sequence[str] | None) -> _Table:
        from ..data import ingest

        sheet = ingest.read_frame(path, roles.separator, roles.table(), roles.sheet, roles.reads)
        label = ingest.label_column(sheet, roles)
        merge = roles.merge_labels
        classes = ingest.classes_in(sheet, label, merge) if classes is None else classes
        return cls(sheet, label, classes, ingest.labels_in(sheet, label, classes, merge), merge)

    def write(self, made: Corrected, out: Path, overwrite: bool) -> None:
        from ..data import ingest

        new = ingest.corrected_columns(
            self.sheet, self.label, self.classes, made.labels, made.sources, self.merge
        )
        ingest.write_back(self.sheet, new, out, self.label, overwrite)


def checked_reading(text: str) -> Reading:
    """What counts as an error: exact or seen.

    Raises:
        ValueError: something else.
    """
    from ..people.validation import Reading

    known: tuple[Reading, ...] = get_args(Reading)
    for reading in known:
        if reading == text:
            return reading
    raise ValueError(f"--reading is {text!r}; choose {' or '.join(known)}.")


def _is_released(path: Path, form: str | None) -> bool:
    """Whether answers are as the researchers of label errors released theirs; else a table."""
    from ..data.ingest.arrays import check_kind
    from ..ground.names import lookup

    if form is None:
        check_kind(path, ())
    by_ending = "released" if path.suffix.lower() == ".json" else "long"
    return lookup({"released": True, "long": False}, form or by_ending, "format")[1]


def _tally(
    path: Path,
    released: bool,
    labels: np.ndarray | None,
    index: Path | None,
    classes: list[str] | None,
    roles: Roles,
) -> Tally | SetTally:
    from ..people.validation import read_answers, read_released

    if released:
        return read_released(path, index)
    if index is not None:
        raise ValueError("--index is for released files; in a table, item is the row number.")
    return read_answers(path, labels=labels, classes=classes, roles=roles)


def _labels(
    path: Path, classes: list[str] | None, roles: Roles | None = None
) -> tuple[np.ndarray, Any]:
    """Labels as numbers, and the names of their rows where the file has them."""
    import numpy as np

    from ..data.ingest.labels import label_numbers, read_labels

    read = read_labels(path, roles, classes)
    labels = label_numbers(read, classes)
    if labels.dtype.kind not in "iu":
        raise ValueError(f"--labels holds {labels.dtype}; labels are whole numbers, or names.")
    if labels.ndim != 1:
        raise ValueError(f"--labels has shape {labels.shape}; labels are one an example.")
    return np.asarray(labels), read.ids


def _size(size: int | None, labels: Any, flagged: int | None, checked: int) -> int | None:
    if size is not None and labels is not None and size != len(labels):
        raise ValueError(f"--size is {size:,}, but --labels has {len(labels):,} rows.")
    size = len(labels) if labels is not None else size
    if flagged is not None and size is None:
        raise ValueError("--flagged is of how many examples? Say with --size, or give --labels.")
    for option, number in (("checked", checked), ("--flagged", flagged)):
        if size is not None and number is not None and number > size:
            raise ValueError(f"{number:,} {option}, but the data set has {size:,} examples.")
    if flagged is not None and flagged < checked:
        raise ValueError(f"--flagged is {flagged:,}, but {checked:,} were checked.")
    return size


def _corrected(
    labels: np.ndarray, verdicts: Any, reading: Reading, needed: bool
) -> Corrected | None:
    """Corrected labels; None for sets of classes, which are not corrected, unless needed."""
    from ..people.validation import SetTally, corrected

    if isinstance(verdicts.tally, SetTally) and not needed:
        return None
    return corrected(labels, verdicts, reading)


def _write(made: Corrected, path: Path, ids: Any, classes: Sequence[str] | None) -> None:
    import numpy as np

    from ..ground.files import replacing

    if path.suffix == ".npz":
        made.save(path)
    elif path.suffix == ".npy":
        with replacing(path) as file:
            np.save(file, made.labels, allow_pickle=False)
    else:
        write_table(made.table(ids, classes), path)
