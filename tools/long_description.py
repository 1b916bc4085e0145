"""README.md as a package index can show it: an index has neither its pictures nor its pages.

A hook of the build (``[tool.hatch.metadata.hooks.custom]``). Pictures become their description, and
links to files of the repository become the files' names; links to the web stay as they are.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

NOTE = "*Names such as `docs/data.md` are files of the source distribution.*"
FENCE = re.compile(r"^(```.*?^```\n?)", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?:)[^)]*\)")
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|mailto:)([^)]*)\)")


def long_description(readme: str) -> str:
    """The same text without links and pictures that lead nowhere.

    >>> print(long_description("# A\\n\\nSee [the page](docs/a.md#b).\\n").splitlines()[-1])
    See the page (`docs/a.md`).
    """
    parts = FENCE.split(readme)  # code blocks are every second part
    parts[::2] = [LINK.sub(_link, PICTURE.sub(r"*(Picture: \1.)*", part)) for part in parts[::2]]
    title, _, rest = "".join(parts).partition("\n\n")
    return f"{title}\n\n{NOTE}\n\n{rest}"


def _link(found: re.Match[str]) -> str:
    text, target = found.groups()
    file = target.partition("#")[0]
    if text == file:
        return f"`{file}`"
    return f"{text} (`{file}`)" if file else text


class LongDescription(MetadataHookInterface):
    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": long_description(text)}
