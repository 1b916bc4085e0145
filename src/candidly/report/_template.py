"""The pages' templates: what people wrote is escaped, and an unknown name is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def template(name: str) -> Any:
    """A Jinja template of this folder."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
