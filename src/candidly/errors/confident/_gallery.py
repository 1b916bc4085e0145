"""Examples beside one another on a page: what each looks like, its label and the proposed one.

Where scripts are allowed, ``show/gallery.js`` shows them in pages, and finds by class and by words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ...data.ingest.previews import Field
from ...ground.numbers import count_of
from ...show.escapes import breakable
from ...show.grid import Column, Datum, Grid
from ...show.pieces import Folded, Markup
from ...show.words import percent

FIELDS = 6  # columns of a row that are shown at once


def gallery(cards: Sequence[Mapping[str, Any]]) -> Markup:
    """A list of examples.

    Args:
        cards: at least one: ``item`` (a ``Preview``), ``rank``, ``index``, ``called`` (its id, or
            None), ``given``, ``proposed``, ``own`` and ``chance`` (their probabilities, the
            latter None where unknown).
    """
    first = cards[0]["item"]
    kind = " rows" if first.fields else " texts" if first.text is not None else ""
    lines = (
        f'<li id="example-{card["index"]}" data-given="{escape(card["given"])}" '
        f'data-proposed="{escape(card["proposed"])}">\n'
        f"{_rows(card) if card['item'].fields else _card(card)}\n</li>"
        for card in cards
    )
    return Markup("\n".join([f'<ol class="gallery{kind}">', *lines, "</ol>"]))


def _card(card: Mapping[str, Any]) -> str:
    item = card["item"]
    if item.uri is not None:
        crisp = ' class="crisp"' if item.crisp else ""
        about = f"example {card['index']}, given {escape(card['given'])}"
        seen = f'<img src="{item.uri}"{crisp} alt="{about}">'
    elif item.text is not None:
        seen = f"<blockquote>{escape(item.text)}</blockquote>"
    else:
        seen = f'<p class="missing">{escape(item.missing)}</p>'
    return "\n".join([seen, _labels(card), _where(card)])


def _rows(card: Mapping[str, Any]) -> str:
    """A row of a table: its columns beside what is usual for both classes."""
    fields: Sequence[Field] = card["item"].fields
    left = len(fields) - FIELDS
    parts = [_where(card), _labels(card), fields_grid(card, fields[:FIELDS]).html()]
    if left > 0:
        more = count_of(left, "more column")
        parts.append(Folded(more, (fields_grid(card, fields[FIELDS:]),)).html())
    return "\n".join(parts)


def fields_grid(card: Mapping[str, Any], fields: Sequence[Field]) -> Grid:
    """Columns of one row; a value that is far more usual for the proposed class stands out."""
    known = any(field.usual or field.usual_there for field in card["item"].fields)
    usual = [Column(f"usual for {card[what]}", "name") for what in ("given", "proposed")]
    columns = (Column("column", "name"), Column("this row", "name"), *(usual if known else ()))
    rows = [
        (field.name, Datum(field.value, best=field.speaks), field.usual, field.usual_there)
        for field in fields
    ]
    return Grid("", columns, [row[: len(columns)] for row in rows])


def _labels(card: Mapping[str, Any]) -> str:
    return "\n".join(
        f'<div class="label"><span>{what} <b>{breakable(card[what])}</b></span>'
        f"<span>{'' if share is None else f'{percent(share, 0)} %'}</span></div>"
        for what, share in (("given", card["own"]), ("proposed", card["chance"]))
    )


def _where(card: Mapping[str, Any]) -> str:
    number = card["index"]
    named = f'{breakable(str(card["called"]))} <span class="row">row {number}</span>'
    who = f"example {number}" if card["called"] is None else named
    return f'<div class="where">{card["rank"]}. {who}</div>'
