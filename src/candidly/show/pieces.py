"""What a document is made of: each piece is a value that knows itself in every form.

On a page a piece is HTML; elsewhere it is paragraphs, tables and headings. What people wrote is
escaped where it becomes HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from .escapes import breakable
from .grid import Grid, Part, Title


@dataclass(frozen=True)
class Markup:
    """HTML that is there already, and what stands in its place in other forms."""

    markup: str
    instead: Sequence[Part] = ()

    def html(self) -> str:
        return self.markup

    def parts(self) -> Iterator[Part]:
        yield from self.instead


@dataclass(frozen=True)
class Paragraph:
    """One paragraph, of a class where one is given."""

    text: str
    kind: str = ""

    def html(self) -> str:
        return f"<p{_class(self.kind)}>{breakable(self.text)}</p>"

    def parts(self) -> Iterator[Part]:
        yield self.text


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str

    def html(self) -> str:
        return f"<h3>{escape(self.text)}</h3>"

    def parts(self) -> Iterator[Part]:
        yield Title(self.text, 3)


@dataclass(frozen=True)
class Command:
    """What may be typed into a terminal."""

    line: str

    def html(self) -> str:
        return f'<pre tabindex="0"><code>{escape(self.line)}</code></pre>'

    def parts(self) -> Iterator[Part]:
        yield self.line


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    texts: Sequence[str]

    def html(self) -> str:
        lines = "\n".join(f"<li>{breakable(text)}</li>" for text in self.texts)
        return f"<ul>\n{lines}\n</ul>"

    def parts(self) -> Iterator[Part]:
        yield from self.texts


@dataclass(frozen=True)
class Tiles:
    """Numbers that lead: the name of each, the number, what it means."""

    counts: Sequence[tuple[str, str, str]]

    def html(self) -> str:
        lines = "\n".join(
            f'<div><dt>{escape(name)}</dt><dd class="number">{escape(number)}</dd>'
            f"<dd>{escape(meaning)}</dd></div>"
            for name, number, meaning in self.counts
        )
        return f'<dl class="counts">\n{lines}\n</dl>'

    def parts(self) -> Iterator[Part]:
        yield from (f"{name}: {number} ({meaning})" for name, number, meaning in self.counts)


@dataclass(frozen=True)
class Figure:
    """A figure, drawn when a page is made; other forms leave it out.

    Attributes:
        caption: above it. below: a line below the caption.
        draw: the SVG, or what draws it; '' where there is nothing to draw.
    """

    caption: str
    below: str
    draw: str | Callable[[], str]

    def html(self) -> str:
        svg = self.draw if isinstance(self.draw, str) else self.draw()
        more = f"<span>{escape(self.below)}</span>" if self.below else ""
        caption = f"<figcaption>{escape(self.caption)}{more}</figcaption>" if self.caption else ""
        return f"<figure>{caption}{svg}</figure>" if svg else ""


@dataclass(frozen=True)
class Figures:
    """Figures next to one another."""

    shown: Sequence[Figure]

    def html(self) -> str:
        drawn = list(filter(None, (one.html() for one in self.shown)))
        return "\n".join(['<div class="figures">', *drawn, "</div>"]) if drawn else ""

    def parts(self) -> Iterator[Part]:
        yield from ()


@dataclass(frozen=True)
class Pieces:
    """Pieces one after the other, in a box of a class where one is given."""

    pieces: Sequence[Piece]
    kind: str = ""

    def html(self) -> str:
        inside = html_of(self.pieces)
        return f"<div{_class(self.kind)}>\n{inside}\n</div>" if self.kind else inside

    def parts(self) -> Iterator[Part]:
        return parts_of(self.pieces)


@dataclass(frozen=True)
class SideBySide:
    """Pieces next to one another where there is room."""

    pieces: Sequence[Piece]

    def html(self) -> str:
        inside = (f"<div>\n{html}\n</div>" for html in map(_html, self.pieces) if html)
        return '<div class="beside">\n' + "\n".join(inside) + "\n</div>"

    def parts(self) -> Iterator[Part]:
        return parts_of(self.pieces)


@dataclass(frozen=True)
class Folded:
    """Pieces that show when their summary is opened; ``id``: where links lead."""

    summary: str
    pieces: Sequence[Piece]
    id: str = ""

    def html(self) -> str:
        named = f' id="{escape(self.id)}"' if self.id else ""
        inside = f"<summary>{escape(self.summary)}</summary>\n{html_of(self.pieces)}"
        return f"<details{named}>\n{inside}\n</details>"

    def parts(self) -> Iterator[Part]:
        return parts_of(self.pieces)


@dataclass(frozen=True)
class Links:
    """A line of links to places of the same page: what each says, and the id that it leads to."""

    before: str
    to: Sequence[tuple[str, str]]
    behind: str = ""

    def html(self) -> str:
        there = ", ".join(f'<a href="#{escape(id)}">{escape(name)}</a>' for name, id in self.to)
        return f'<p class="soft">{escape(self.before)} {there}{escape(self.behind)}</p>'

    def parts(self) -> Iterator[Part]:
        yield from ()


@dataclass(frozen=True)
class Section:
    """Pieces under a heading; ``label`` names a section that has none."""

    title: str
    pieces: Sequence[Piece]
    label: str = ""
    kind: str = ""

    def html(self) -> str:
        label = f' aria-label="{escape(self.label)}"' if self.label else ""
        heading = [f"<h2>{escape(self.title)}</h2>"] if self.title else []
        inside = "\n".join(filter(None, (*heading, html_of(self.pieces))))
        return f"<section{_class(self.kind)}{label}>\n{inside}\n</section>\n"

    def parts(self) -> Iterator[Part]:
        inside = list(parts_of(self.pieces))
        if self.title and inside:
            yield Title(self.title, 2)
        yield from inside


Made = (
    Markup | Paragraph | Heading | Command | Bullets | Tiles | Figures | Pieces | SideBySide
    | Folded | Links | Section
)  # fmt: skip
Piece = str | Grid | Made
"""A text among pieces is a soft paragraph; an empty text and a table without rows are nothing."""


def html_of(pieces: Iterable[Piece]) -> str:
    """One after the other, as HTML."""
    return "\n".join(filter(None, map(_html, pieces)))


def parts_of(pieces: Iterable[Piece]) -> Iterator[Part]:
    """One after the other, as paragraphs, tables and headings."""
    for piece in pieces:
        if not isinstance(piece, str | Grid):
            yield from piece.parts()
        elif piece if isinstance(piece, str) else piece.rows:
            yield piece


def _html(piece: Piece) -> str:
    if isinstance(piece, str):
        return Paragraph(piece, "soft").html() if piece else ""
    return piece.html() if not isinstance(piece, Grid) or piece.rows else ""


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""
