"""Figures as SVG text: the same bytes from the same results, and legible on light and dark paper.

Drawn with matplotlib's objects, never ``pyplot``, so that nothing global changes. Colours are CSS
variables with a fallback (``var(--series-1, #0072b2)``), so a page may set them for dark paper; ink
is ``currentColor``. Every figure has a title and a description for readers who cannot see it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ..ground.files import replacing

# Okabe and Ito's colours, which colour-blind readers can tell apart, without their yellow
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
STROKES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)))  # for the second and third round of colours
INK, FAINT, PAPER = "#010203", "#040506", "#fcfdfe"  # stand-ins that become CSS values
PANEL = (4.6, 3.0)  # inches; two fit beside each other on a page, one on a telephone

FORMS = ("svg", "pdf", "png")

Draw = Callable[[Any], None]


@dataclass(frozen=True)
class PanelDrawing:
    """A figure of one panel, in any form.

    Attributes:
        draw: draws on matplotlib's axes.
        title, about: of the figure, for readers who cannot see it.
        rows: so many rows make its height; 0: it has the usual one, and ``extra`` inches.
        width: in inches.
    """

    draw: Draw
    title: str
    about: str
    rows: int = 0
    extra: float = 0.0
    width: float = PANEL[0]

    def svg(self) -> str:
        """An accessible SVG element."""
        return _for_a_page(self._saved("svg", transparent=True).decode(), self.title, self.about)

    def write(self, path: Path, form: str) -> None:
        """A file on white paper, of one of ``FORMS``; PNG has 200 dots per inch."""
        with replacing(path) as file:
            file.write(self._saved(form, dpi=200))

    def _saved(self, form: str, **options: Any) -> bytes:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        height = 0.75 + 0.27 * self.rows if self.rows else PANEL[1] + self.extra
        with rc_context(_style(self.title)):
            figure = Figure(figsize=(self.width, height), layout="constrained")
            (FigureCanvasSVG if form == "svg" else FigureCanvasAgg)(figure)
            self.draw(figure.subplots())
            page = io.BytesIO()
            figure.savefig(page, format=form, metadata=_UNDATED[form], **options)
        return page.getvalue()


_UNDATED: dict[str, Any] = {  # the same bytes each time
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    "pdf": dict.fromkeys(("CreationDate", "Creator", "Producer")),
    "png": {"Software": None},
}
_kept: ContextVar[list[PanelDrawing] | None] = ContextVar("kept", default=None)


@contextmanager
def keep_drawings() -> Iterator[list[PanelDrawing]]:
    """Whatever ``draw_svg`` draws inside the block, in order, to be written as files, too."""
    kept: list[PanelDrawing] = []
    token = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(token)


def write_drawings(drawings: Sequence[PanelDrawing], folder: Path) -> list[Path]:
    """Each as SVG, PDF and PNG, called by its number and title; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, one in enumerate(drawings, 1):
        name = re.sub(r"[^a-z0-9]+", "-", one.title.lower()).strip("-")[:80].strip("-")
        for form in FORMS:
            written.append(folder / f"{number:02}-{name}.{form}")
            one.write(written[-1], form)
    return written


def draw_svg(
    draw: Draw,
    title: str,
    about: str,
    rows: int = 0,
    extra: float = 0.0,
    width: float = PANEL[0],
) -> str:
    """Lay out one panel, draw on it, and return it as an accessible SVG element."""
    drawing = PanelDrawing(draw, title, about, rows, extra, width)
    kept = _kept.get()
    if kept is not None:
        kept.append(drawing)
    return drawing.svg()


def _style(title: str) -> Any:
    return {
        "svg.hashsalt": title,
        "svg.fonttype": "none",
        "font.size": 9,
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": FAINT,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.parse_math": False,
    }


def _for_a_page(svg: str, title: str, about: str) -> str:
    """The SVG element alone, with unique ids, page colours, and words for screen readers."""
    import hashlib

    prefix = "f" + hashlib.sha256(f"{title}\n{svg}".encode()).hexdigest()[:8]
    svg = svg[svg.index("<svg") :]
    # a style element would reach out into the page that holds the figure
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'(xlink:href="|url\()#', rf"\g<1>#{prefix}-", svg)
    svg = svg.replace("'DejaVu Sans'", "system-ui, 'DejaVu Sans'")
    svg = svg.replace(INK, "currentColor").replace(FAINT, "var(--faint, #888)")
    svg = svg.replace(PAPER, "var(--paper, #fff)")
    for number, colour in enumerate(SERIES, 1):
        svg = svg.replace(colour, f"var(--series-{number}, {colour})")
    head, body = svg.split(">", 1)
    head = re.sub(r' (width|height)="([\d.]+)pt"', "", head)
    words = (
        f'<title id="{prefix}-title">{escape(title)}</title>'
        f'<desc id="{prefix}-about">{escape(about)}</desc>'
    )
    named = f'role="img" aria-labelledby="{prefix}-title" aria-describedby="{prefix}-about"'
    joins = 'style="stroke-linejoin: round; stroke-linecap: butt"'
    return f"{head} {named} {joins}>{words}{body}".strip()
