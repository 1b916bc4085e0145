"""Templates: what people wrote is escaped, and an unknown name is an error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from .. import __version__

if TYPE_CHECKING:
    from ._links import Session
    from ._site import Site

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
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def part(name: str, **values: Any) -> str:
    """A piece of a page."""
    return environment().get_template(name).render(**values)


def page(
    site: Site, name: str, session: Session | None, status: int = 200, **values: Any
) -> HTMLResponse:
    """A whole page for whoever is signed in."""
    text = part(name, site=site, session=session, nav=NAV, version=__version__, **values)
    return HTMLResponse(text, status)
