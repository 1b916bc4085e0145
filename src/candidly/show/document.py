"""What is told of something, as one value: a page, text, Markdown, LaTeX, a table, JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from ..ground.files import replacing
from ..ground.jsons import to_json
from ..ground.names import lookup
from .escapes import breakable
from .figures import SERIES, keep_drawings, write_drawings
from .grid import FORMS, WIDTH, Grid, Part, Title, render
from .pieces import Piece, html_of, parts_of

DOCUMENT_FORMS = (*FORMS, "json")


@dataclass(frozen=True)
class Document:
    """A document; the same input gives the same bytes in every form.

    Attributes:
        title: its first heading; a document without one is a part of something else.
        pieces: in their order, mostly sections.
        over: stands above the heading and is the title of a page's window.
        lead: below the heading.
        facts: what is listed at the end of a page, by name, under ``facts_title``; without any
            there is no list.
        notes: below that list, and at the end of other forms.
        made_of: what it was made from.
        kind: a class of the page in ``blocks.css``.
        scripts: names of ``show/NAME.js``, for where scripts are allowed: ``tables`` can be sorted
            and filtered, cards of a ``gallery`` turned over in pages, filtered and searched.
        table: what CSV holds; by default the first table.
        data: makes what JSON holds; a document without it has no such form.
    """

    title: str
    pieces: Sequence[Piece]
    over: str = ""
    lead: Piece = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    facts_title: str = "What was read"
    notes: Sequence[Piece] = ()
    made_of: str = ""
    kind: str = ""
    scripts: Sequence[str] = ()
    table: Grid | None = None
    data: Callable[[], Mapping[str, object]] | None = None

    def page(self) -> str:
        """One self-contained page, as HTML text; it refers to nothing outside itself."""
        import jinja2

        from ..ground.version import __version__

        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(Path(__file__).parent),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        over = f'<p class="over">{escape(self.over)}</p>\n' if self.over else ""
        heading = f"{over}<h1>{breakable(self.title)}</h1>"
        page = environment.get_template("page.html").render(
            title=self.over or self.title,
            header="\n".join(filter(None, (heading, html_of([self.lead])))),
            main=html_of(self.pieces),
            facts=self.facts,
            facts_title=self.facts_title,
            notes=html_of(self.notes),
            made_of=self.made_of,
            kind=self.kind,
            scripts=self.scripts,
            series=SERIES,
            version=__version__,
        )
        return page.rstrip() + "\n"

    def write(self, path: Path | str, figures_in: Path | str | None = None) -> None:
        """Write the page, whole or not at all.

        Args:
            figures_in: a folder for every figure as SVG, PDF and PNG; made if it is not there.

        Raises:
            OSError: the folder cannot be written, or the disk is full; the message names ``path``.
        """
        with keep_drawings() as drawings:
            page = self.page()
        with replacing(path) as file:
            file.write(page.encode("utf-8", "replace"))
        if figures_in is not None:
            write_drawings(drawings, Path(figures_in))

    def write_figures(self, folder: Path | str) -> None:
        """Every figure as SVG, PDF and PNG, without the page; the folder is made if need be.

        Raises:
            OSError: the folder cannot be written, or the disk is full.
        """
        with keep_drawings() as drawings:
            self.page()
        write_drawings(drawings, Path(folder))

    def render(self, form: str = "text", width: int = WIDTH) -> str:
        """Without the page around it, in a form of ``DOCUMENT_FORMS``.

        Args:
            form: ``text``, ``markdown``, ``csv`` (one table), ``latex``, ``html`` or ``json``
                (everything). Figures are on the page alone.
            width: columns that text may use.

        Raises:
            UnknownName: a form that this document does not have; suggests the nearest.
        """
        form, _ = lookup(dict.fromkeys(DOCUMENT_FORMS if self.data else FORMS), form, "format")
        if form == "json":
            assert self.data is not None
            return to_json(self.data(), ensure_ascii=False)
        if form == "csv" and self.table is not None:
            return self.table.csv()
        return render(self.parts(), form, width)

    def parts(self) -> list[Part]:
        """Its paragraphs, tables and headings, in their order."""
        title = [Title(self.title, 1)] if self.title else []
        return [*title, *parts_of((self.lead, *self.pieces, *self.notes))]

    def __str__(self) -> str:
        return self.render()

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        return self.render("markdown")
