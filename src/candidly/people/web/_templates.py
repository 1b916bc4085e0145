"""Templates: what people wrote is escaped, and an unknown name is an error."""

from __future__ import annotations

from functools import cache
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from ...ground.version import __version__

if TYPE_CHECKING:
    from ._site import Site
    from .links import Session

_GALLERY = (("/gallery", "Gallery"),)
_PROGRESS = (("/organiser", "Progress"),)
NAV = {  # of each role; the first page is where one arrives
    "person": (("/review", "Review"),),
    "viewer": (*_PROGRESS, *_GALLERY),
    "organiser": (*_PROGRESS, *_GALLERY),
}


@cache
def environment() -> Environment:
    """Read once; templates are compiled when first used."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"number": number, "percent": percent, "markdown": markdown}
    return made


def number(value: float | None, digits: int = 0) -> str:
    """For reading, with a dash for what is not known.

    >>> number(1234567), number(2.5, 1), number(float("nan"))
    ('1,234,567', '2.5', '–')
    """
    return "–" if value is None or isnan(value) else f"{value:,.{digits}f}"


def percent(part: float, whole: float = 1.0, digits: int = 0) -> str:
    """A share, for reading.

    >>> percent(1, 3), percent(0.5, digits=1), percent(0, 0)
    ('33 %', '50.0 %', '–')
    """
    return f"{number(100 * part / whole, digits)} %" if whole and not isnan(part) else "–"


def markdown(text: str) -> Markup:
    """What people wrote in Markdown, as HTML: nothing of it runs, and nothing is loaded.

    A line that ends stays one. HTML in it is shown as it stands, and so are pictures.

    >>> print(markdown("# A *cat*\\nor `<b>`"))
    <h2>A <em>cat</em></h2>
    <p>or <code>&lt;b&gt;</code></p>
    <BLANKLINE>
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False, "breaks": True})
    tokens = reader.enable("table").disable("image").parse(text)
    for token in tokens:
        if token.tag in ("h1", "h2", "h3", "h4", "h5"):  # below the heading of the page
            token.tag = f"h{int(token.tag[1]) + 1}"
    return Markup(reader.renderer.render(tokens, reader.options, {}))


def part(name: str, **values: Any) -> str:
    """A piece of a page."""
    return environment().get_template(name).render(**values)


def page(
    site: Site, name: str, session: Session | None, status: int = 200, **values: Any
) -> HTMLResponse:
    """A whole page for whoever is signed in."""
    text = part(name, site=site, session=session, nav=NAV, version=__version__, **values)
    return HTMLResponse(text, status)
