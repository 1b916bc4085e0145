"""The pages' templates: what people wrote is escaped, and an unknown name is an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LONG = 26  # characters of a word that a line may be too short for


def breakable(text: Any) -> Any:
    """Text as HTML in which long words may be broken behind ``_ / . : -``, where one would."""
    from markupsafe import Markup, escape

    words = re.split(r"(\s+)", str(text))
    return Markup().join(
        Markup("<wbr>").join(map(escape, re.split(r"(?<=[_/.:-])(?=[^_/.:-])", word)))
        if len(word) > LONG
        else escape(word)
        for word in words
    )


def rendered(name: str, facts: Mapping[str, Any], **values: Any) -> str:
    """A page as HTML text that refers to nothing outside itself.

    Args:
        name: of a template in this folder that extends ``base.html``.
        facts: what is listed at the end, by name; without any there is no list.
        values: names that the template knows.
    """
    import jinja2

    from .._version import __version__
    from .figures import SERIES

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = breakable
    page = environment.get_template(name).render(
        facts=facts, series=SERIES, version=__version__, **values
    )
    return page.rstrip() + "\n"
