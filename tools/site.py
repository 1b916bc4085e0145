"""What the documentation site has beside the pages in ``docs``: hooks of mkdocs.

The pages at the root of the repository become pages of the site, and so does the help of every
command.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
FROM_ROOT = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
COMMANDS = "reference/command-line.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in ``docs``."""
    for name, page in FROM_ROOT.items():
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        for other, target in FROM_ROOT.items():
            text = text.replace(f"]({other}", f"]({target}")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, COMMANDS, content=command_line()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links to the root's pages lead to these pages of the site."""
    up = "../" * page.file.src_uri.count("/")
    for name, target in {**FROM_ROOT, "README.md": "index.md"}.items():
        markdown = markdown.replace(f"]({up}../{name}", f"]({up}{target}")
    return markdown


def command_line() -> str:
    """Every command with its help, as a page."""
    from candidly.cli import NOUNS, command

    parts = [
        "# Command line",
        "Each command says the same with `--help`. Results go to stdout, messages to stderr; what "
        "went wrong is one sentence and exit status 2. `--json` is wherever a script may read.",
    ]
    for noun in NOUNS:
        whole = command(noun)
        parts += [f"## candidly {noun}", _help(whole, noun)]
        for name, one in getattr(whole, "commands", {}).items():
            parts += [f"### candidly {noun} {name}", _help(one, f"{noun} {name}")]
    return "\n\n".join(parts) + "\n"


def _help(command: Any, name: str) -> str:
    context = command.context_class(command, info_name=f"candidly {name}", terminal_width=80)
    text = re.sub(r"\x1b\[[0-9;]*m", "", command.get_help(context))
    return f"```text\n{text.rstrip()}\n```"
