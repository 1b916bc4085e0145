"""A notebook for each tutorial, made from its page: the same words, the same code, the same output.

    python tools/notebooks.py           # write docs/tutorials/*.ipynb
    python tools/notebooks.py --check   # exit 1 when one differs from its page

In a page a ``python`` or ``console`` block is run, and a ``text`` block right behind it shows what
it prints, where ``…`` stands for what is left out. A ``sh`` block is for a terminal of its own,
such as one that starts a server; in a notebook it is text.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

PAGES = Path(__file__).parents[1] / "docs" / "tutorials"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """A part of a page.

    Attributes:
        kind: ``prose``, or the language of a block that is run: ``python`` or ``console``.
        text: Markdown, or the block's lines.
        output: what the page says that the block prints; empty where it shows nothing.
    """

    kind: str
    text: str
    output: str = ""


def steps(page: str) -> list[Step]:
    """The parts of a page, in order."""
    found: list[Step] = []
    prose = ""
    end = 0
    for block in BLOCK.finditer(page):
        between = page[end : block.start()]
        prose += between
        end = block.end()
        language, text = block.groups()
        if language in ("python", "console"):
            if prose.strip():
                found.append(Step("prose", prose.strip()))
            found.append(Step(language, text.rstrip("\n")))
            prose = ""
        elif language == "text" and found and not prose.strip():
            found[-1] = Step(found[-1].kind, found[-1].text, text)
            prose = ""
        else:
            prose += block.group()
    prose += page[end:]
    if prose.strip():
        found.append(Step("prose", prose.strip()))
    return found


def commands(text: str) -> list[str]:
    """The lines of a ``console`` block behind ``$``; a line that ends in a backslash goes on."""
    joined = re.sub(r"\\\n\s*", "", text)
    return [line[2:] for line in joined.splitlines() if line.startswith("$ ")]


def notebook(page: str, name: str) -> str:
    """The notebook of a page, as its file's text."""
    note = (
        f"*This notebook is made from [{name}]({name}). It writes files into the folder in which "
        "it runs, so begin in an empty one.*"
    )
    cells = []
    for step in steps(page):
        if step.kind == "prose":
            text = step.text if cells else step.text.replace("\n\n", f"\n\n{note}\n\n", 1)
            cells.append(new_markdown_cell(text))
            continue
        code = step.text
        if step.kind == "console":
            code = "\n".join(["%%bash -e", *commands(step.text)])
        shown = [new_output("stream", name="stdout", text=step.output)] if step.output else []
        cells.append(new_code_cell(code, outputs=shown))
    for number, cell in enumerate(cells):
        cell["id"] = f"part-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.validate(made)
    return nbformat.writes(made, version=4) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit 1 when a notebook would change")
    asked = parser.parse_args()
    late = False
    for page in sorted(PAGES.glob("*.md")):
        path = page.with_suffix(".ipynb")
        wanted = notebook(page.read_text(encoding="utf-8"), page.name)
        if path.exists() and path.read_text(encoding="utf-8") == wanted:
            continue
        if asked.check:
            late = True
            print(f"{path} is not up to date: run `python tools/notebooks.py`.", file=sys.stderr)
        else:
            path.write_text(wanted, encoding="utf-8")
            print(f"wrote {path}")
    sys.exit(late)


if __name__ == "__main__":
    main()
