"""Self-contained pages: one template, one writer, and the pieces that a page is made of.

Pieces are HTML: what people wrote is escaped where a piece is made. Texts among them become
paragraphs, tables their HTML form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from ..ground.files import replacing
from .escapes import breakable
from .grid import Grid


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()

    def __html__(self) -> str:
        """So that the template leaves it as it is."""
        return str(self)


Piece = str | Html | Grid


def make_page(
    title: str,
    *pieces: Piece,
    over: str = "",
    lead: Piece = "",
    facts: Mapping[str, object] | None = None,
    facts_title: str = "What was read",
    notes: Iterable[Piece] = (),
    made_of: str = "",
    kind: str = "",
    tables: bool = False,
) -> str:
    """A page as HTML text that refers to nothing outside itself; the same input, the same text.

    Args:
        title: of the window, and the first heading; under ``over`` where that is given, which is
            the window's title then.
        pieces: the pieces of the page, mostly from ``section``.
        lead: below the heading.
        facts: what is listed at the end, by name; without any there is no list.
        notes: below that list.
        made_of: what the page was made from.
        kind: a class of the page in ``blocks.css``.
        tables: whether tables can be sorted and filtered, where scripts are allowed.
    """
    import jinja2

    from ..ground.version import __version__
    from .figures import SERIES

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    heading = [Html(f'<p class="over">{escape(over)}</p>')] if over else []
    heading.append(Html(f"<h1>{breakable(title)}</h1>"))
    page = environment.get_template("page.html").render(
        title=over or title,
        header=together(*heading, lead),
        main=together(*pieces),
        facts=facts or {},
        facts_title=facts_title,
        notes=together(*notes),
        made_of=made_of,
        kind=kind,
        tables=tables,
        series=SERIES,
        version=__version__,
    )
    return page.rstrip() + "\n"


def write_page(page: str, path: Path | str) -> None:
    """Write a page, whole or not at all.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
    """
    with replacing(path) as file:
        file.write(page.encode("utf-8", "replace"))


# pieces


def together(*pieces: Piece) -> Html:
    """One after the other; empty ones and tables without rows are left out."""
    return Html("\n".join(filter(None, map(_html, pieces))))


def _html(piece: Piece) -> str:
    if isinstance(piece, Html):
        return piece
    if isinstance(piece, Grid):
        return piece.html() if piece.rows else ""
    return paragraph(piece, "soft") if piece else ""


def paragraph(text: str, kind: str = "") -> Html:
    """One paragraph, of a class where one is given."""
    told = f' class="{kind}"' if kind else ""
    return Html(f"<p{told}>{breakable(text)}</p>")


def section(title: str, *pieces: Piece, label: str = "", kind: str = "") -> Html:
    """Pieces under a heading; ``label`` names a section that has none."""
    told = (f' class="{kind}"' if kind else "") + (f' aria-label="{escape(label)}"' * bool(label))
    heading = [Html(f"<h2>{escape(title)}</h2>")] if title else []
    return Html(f"<section{told}>\n{together(*heading, *pieces)}\n</section>\n")


def heading(title: str) -> Html:
    """A heading inside a section."""
    return Html(f"<h3>{escape(title)}</h3>")


def command(line: str) -> Html:
    """What may be typed into a terminal."""
    return Html(f"<pre><code>{escape(line)}</code></pre>")


def bullets(texts: Iterable[str]) -> Html:
    """A list of sentences."""
    lines = "\n".join(f"<li>{breakable(text)}</li>" for text in texts)
    return Html(f"<ul>\n{lines}\n</ul>")


def tiles(counts: Iterable[tuple[str, str, str]]) -> Html:
    """Numbers that lead a page: the name of each, the number, what it means."""
    lines = "\n".join(
        f'<div><dt>{escape(name)}</dt><dd class="number">{escape(number)}</dd>'
        f"<dd>{escape(meaning)}</dd></div>"
        for name, number, meaning in counts
    )
    return Html(f'<dl class="counts">\n{lines}\n</dl>')


def beside(*pieces: Piece) -> Html:
    """Pieces next to one another where there is room."""
    inside = (f"<div>\n{html}\n</div>" for html in map(_html, pieces) if html)
    return Html('<div class="beside">\n' + "\n".join(inside) + "\n</div>")


def figure_row(shown: Sequence[tuple[str, str, str]]) -> Html:
    """Figures next to one another: caption, a line below it, and the SVG, which is HTML."""
    if not shown:
        return Html()
    lines = []
    for caption, below, svg in shown:
        more = f"<span>{escape(below)}</span>" if below else ""
        told = f"<figcaption>{escape(caption)}{more}</figcaption>" if caption else ""
        lines.append(f"<figure>{told}{svg}</figure>")
    return Html('<div class="figures">\n' + "\n".join(lines) + "\n</div>")


def folded(summary: str, *pieces: Piece, id: str = "") -> Html:
    """Pieces that show when their summary is opened; ``id``: where links lead."""
    told = f' id="{escape(id)}"' if id else ""
    inside = f"<summary>{escape(summary)}</summary>\n{together(*pieces)}"
    return Html(f"<details{told}>\n{inside}\n</details>")


def links(before: str, to: Iterable[tuple[str, str]], behind: str = "") -> Html:
    """A line of links to places of the same page: what each says, and the id that it leads to."""
    there = ", ".join(f'<a href="#{escape(id)}">{escape(name)}</a>' for name, id in to)
    return Html(f'<p class="soft">{escape(before)} {there}{escape(behind)}</p>')
