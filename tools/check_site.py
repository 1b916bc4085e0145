"""Checks the built documentation site: links lead somewhere, and nothing comes from elsewhere.

    python tools/check_site.py site

Links to other sites are not followed; what a page would load from them is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import lxml.html

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
NOT_LOADED = {"canonical", "prev", "next", "alternate"}  # kinds of <link> that only point


@dataclass(frozen=True)
class Page:
    """What a page of the site has.

    Attributes:
        ids: what a link may point at in it.
        links: targets of its links, as written.
        content: those of them that stand in the page's own text, not in menus.
        loads: what the browser fetches for it, as written.
        text: its own text, without menus, with single spaces.
    """

    ids: frozenset[str]
    links: tuple[str, ...]
    content: tuple[str, ...]
    loads: tuple[str, ...]
    text: str


def read_site(folder: Path) -> dict[Path, Page]:
    """Every page of a site by its path."""
    return {path.resolve(): _page(path) for path in sorted(folder.rglob("*.html"))}


def _page(path: Path) -> Page:
    tree = lxml.html.parse(str(path)).getroot()
    articles = tree.xpath("//article") or [tree]
    words = " ".join(" ".join(article.text_content().split()) for article in articles)
    loads = [
        node.get(attribute)
        for tag, attribute in LOADED.items()
        for node in tree.iter(tag)
        if node.get(attribute) and not set((node.get("rel") or "").split()) & NOT_LOADED
    ]
    return Page(
        frozenset(tree.xpath("//@id | //a/@name")),
        tuple(tree.xpath("//a/@href")),
        tuple(link for article in articles for link in article.xpath(".//a/@href")),
        tuple(loads),
        words,
    )


def target(page: Path, link: str, top: Path) -> tuple[Path, str] | None:
    """The file and the id that a link of a page means; None where it leads to another site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = unquote(parts.path)
    base = top if path.startswith("/") else page.parent
    file = (base / path.lstrip("/")).resolve() if path else page
    return (file / "index.html" if file.is_dir() else file), unquote(parts.fragment)


def faults(folder: Path) -> Iterator[str]:
    """A sentence for each link that leads nowhere, and for each file loaded from elsewhere."""
    top = folder.resolve()
    site = read_site(folder)
    for path, page in site.items():
        name = path.relative_to(top)
        for link in dict.fromkeys((*page.links, *page.loads)):
            found = target(path, link, top)
            if found is None:
                continue
            file, fragment = found
            if not file.is_relative_to(top) or not file.exists():
                yield f"{name}: {link} leads to no file of the site"
            elif fragment and file in site and fragment not in site[file].ids:
                yield f"{name}: {link} leads to no heading of that page"
        for link in page.loads:
            if target(path, link, top) is None and not link.startswith("data:"):
                yield f"{name} loads {link} from elsewhere"
    for style in top.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        if "url(http" in text or "url(//" in text or "@import" in text:
            yield f"{style.relative_to(top)} loads something from elsewhere"


def clicks(folder: Path, most: int) -> dict[Path, int]:
    """How many clicks on links in pages' own text lead from the first page to each page."""
    top = folder.resolve()
    site = read_site(folder)
    reached = {top / "index.html": 0}
    for number in range(1, most + 1):
        for page in [path for path, at in reached.items() if at == number - 1]:
            for link in site[page].content:
                found = target(page, link, top)
                if found and found[0] in site:
                    reached.setdefault(found[0], number)
    return reached


def main() -> None:
    folder = Path(sys.argv[1])
    found = list(faults(folder))
    for fault in found:
        print(fault, file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"{folder}: every link of {len(read_site(folder))} pages leads somewhere")


if __name__ == "__main__":
    main()
