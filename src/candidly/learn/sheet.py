"""What there is of pictures: their shape, and a sheet of examples as training sees them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from ..data.ingest.media import checked_file, header_of
from ..data.inputs import Table
from ..data.labels.labelled import Labelled
from ..data.labels.votes import votes_to_given
from ..ground.numbers import count_of
from ..ground.spec import undigested
from .written.views import read_view

FEW, MANY = 12, 100  # classes with many examples each on a sheet, and classes on a sheet
SHOTS, FEWER_SHOTS = 10, 5  # examples a class
LOOKED_AT = 1000  # files whose sizes are said
NO_CLASS = -1


def check_pictures(data: Labelled, view: str) -> str:
    """Refuse to draw a sheet of anything but pictures, or a view of what is no array of them.

    Returns:
        the view, as it is called.

    Raises:
        ValueError: a table, texts or sounds; pictures in files; no such view.
    """
    if not data.kind.pictures:
        raise ValueError(
            f"a contact sheet is of pictures, and the inputs of {data.source or 'this'} are"
            f" {data.kind if data.kind == 'texts' else 'a table'}; leave `out` out."
        )
    if view != "plain" and not data.kind.pixels:
        raise ValueError(
            f"`view` {view} is of arrays of pictures, and {data.source or 'this'} holds files; "
            "leave it out."
        )
    return read_view(view, "`view`")


def pictures_in_words(data: Labelled) -> str | None:
    """Sizes and channels of the pictures; None where the inputs are none."""
    if data.kind.pixels:
        high, wide, *channels = data.inputs.shape[1:]
        number = channels[0] if channels else 1
        return f"{wide} x {high} pixels, {count_of(number, 'channel')}"
    if not data.kind.files or isinstance(data.inputs, Table):
        return None
    rows = _spread(np.arange(data.n), LOOKED_AT)
    sizes: set[tuple[int, int]] = set()
    modes: set[str] = set()
    unread = []
    for path in data.inputs[rows]:
        try:
            if checked_file(path).kind != "image":
                return "sounds"
            head = header_of(path)
            sizes.add((head.wide, head.high))
            modes.add(head.mode)
        except (OSError, ValueError):
            unread.append(path)
    parts = []
    if sizes:
        wide, high = zip(*sizes)
        both = f"{min(wide)} to {max(wide)} pixels wide, {min(high)} to {max(high)} high"
        parts += [both if len(sizes) > 1 else f"{wide[0]} x {high[0]} pixels"]
        parts += [", ".join(sorted(modes))]
    if len(rows) < data.n:
        parts.append(f"of {len(rows):,} looked at")
    if unread:
        parts.append(f"{len(unread):,} that cannot be read, the first {unread[0]}")
    return "; ".join(parts)


def write_sheet(data: Labelled, path: Path, view: str) -> None:
    """Draw examples of each class on a contact sheet, and say below each what its labels are.

    The class is the truth where there is one; else the given label, or every label of a set.

    Args:
        view: the view of the pictures, as ``check_pictures`` gives it.

    Raises:
        ValueError: a file that is no picture. OSError: ``path`` cannot be written.
    """
    from ..data.ingest.contact_sheet import SheetPicture, SheetRow, draw_sheet

    by, rows_of = _classes_of(data)
    below, labels_of = _labels_of(data)
    inputs = np.asarray(data.inputs)
    seen = (lambda row: inputs[row]) if view == "plain" else partial(_seen, inputs, view)

    def shot(row: int) -> SheetPicture:
        labels = labels_of(row)
        wrong = bool(labels) and data.truth is not None and int(data.truth[row]) not in labels
        return SheetPicture(seen(row), tuple(data.classes[k] for k in labels), wrong)

    most = SHOTS if data.q <= FEW else FEWER_SHOTS
    rows = []
    for k in (*range(data.q)[:MANY], NO_CLASS):
        found = rows_of(k)
        if k != NO_CLASS or len(found):
            name = "no class" if k == NO_CLASS else data.classes[k]
            rows.append(SheetRow(name, len(found), tuple(map(shot, _spread(found, most)))))
    note = (
        f"rows: {by}" if data.q <= MANY else f"the first {MANY} of {data.q:,} classes; rows: {by}"
    )
    if below:
        red = ", red where the true class is not among them" if data.truth is not None else ""
        note += f"; below each picture: {below}{red}"
    if view != "plain":
        note += f"; each picture as the view {undigested(view)[0]} draws it once"
    title = f"{data.source or 'pictures'}: {data.n:,} pictures, {data.q:,} classes"
    if words := pictures_in_words(data):
        title += f", {words}"
    draw_sheet(path, title, note, rows)


def _seen(inputs: np.ndarray, view: str, row: int) -> np.ndarray:
    """One picture as a view draws it: (h, w, c)."""
    import torch

    from ..ground.seeds import words
    from .views import view_of_pictures

    picture = inputs[row] if inputs.ndim == 4 else inputs[row][..., None]
    pixels = torch.from_numpy(picture.transpose(2, 0, 1)[None].copy())
    changed = view_of_pictures(view)(
        pixels, lambda block: words(0, view, 0, np.array([row]), block)
    )
    return changed[0].permute(1, 2, 0).numpy()


def _classes_of(data: Labelled) -> tuple[str, Callable[[int], np.ndarray]]:
    """What a row of the sheet is, and the examples of a class; of ``NO_CLASS``, those of none."""
    known = {"true class (oracle)": data.truth, "given label": data.given}
    if data.votes is not None:
        known["label named most often"] = votes_to_given(data.votes, data.n, data.q)
    for by, labels in known.items():
        if labels is not None and (labels >= 0).any():
            return by, partial(_where, labels)
    for by, sets in (("candidate label", data.candidates), ("tag", data.tags)):
        if sets is not None:
            return by, partial(_where_in, sets)
    return "no labels", partial(_where, np.full(data.n, NO_CLASS))


def _where(labels: np.ndarray, k: int) -> np.ndarray:
    return np.flatnonzero(labels == k)


def _where_in(sets: np.ndarray, k: int) -> np.ndarray:
    return np.flatnonzero(~sets.any(1) if k == NO_CLASS else sets[:, k])


def _labels_of(data: Labelled) -> tuple[str, Callable[[int], list[int]]]:
    """What is written below an example, and the numbers of these labels."""
    for what, sets in (("candidate labels", data.candidates), ("tags", data.tags)):
        if sets is not None:
            return what, partial(_members, sets)
    if data.given is not None and data.truth is not None:
        given = data.given
        return "given label", lambda row: [int(given[row])] if given[row] >= 0 else []
    return "", lambda row: []


def _members(sets: np.ndarray, row: int) -> list[int]:
    return [int(k) for k in np.flatnonzero(sets[row])]


def _spread(rows: np.ndarray, most: int) -> np.ndarray:
    """At most so many of them, from the first to the last at even distances."""
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).round().astype(np.int64)]
