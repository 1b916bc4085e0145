"""Articles from saved pages, and saved pages from articles."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from html import escape
from pathlib import Path
from urllib.parse import quote

from ...data.ingest.pages import CATEGORY, EVENT, LeftOut, page_reader, pages_in
from ...ground.files import replacing
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from .articles import Articles, PagesRead, make_articles


def read_pages(
    folder: Path | str,
    *,
    category: str = CATEGORY,
    event: str = EVENT,
    watch: OnProgress = lambda done, total: None,
) -> Articles:
    """Saved HTML pages of a folder and its subfolders, each an article that is called as its file.

    Pages that are cut off, and those without a category or without steps, are left out, and
    ``Articles.pages`` says so.

    Args:
        category, event: CSS selectors of the elements with the names of the category's path (the
            most general first), and with the steps' headers; the defaults are wikiHow's.
        watch: called with pages read and in all.

    Raises:
        FileNotFoundError: no such folder. RuntimeError: what reads pages is not installed.
        ValueError: no page, none with an article, no such selector; names what, and the next step.
    """
    place = Path(folder)
    found, read = pages_in(place), page_reader(category, event)
    pages, left_out = [], []
    for number, path in enumerate(found):
        watch(number, len(found))
        name = path.relative_to(place).as_posix()
        try:
            pages.append((name, read(path)))
        except LeftOut as error:
            left_out.append((name, str(error)))
    watch(len(found), len(found))
    if not pages:
        why, times = Counter(why for _, why in left_out).most_common(1)[0]
        raise Refusal(
            f"{place} has {len(found):,} pages and no article: of {times:,} the reason is {why!r}. "
            f"Categories were looked for at {category!r} and steps at {event!r}.",
            "look elsewhere with `category` and `event`",
        )
    articles = make_articles(
        [name for name, _ in pages],
        [page.category for _, page in pages],
        [page.events for _, page in pages],
    )
    encodings = Counter(page.encoding for _, page in pages)
    return replace(articles, pages=PagesRead(dict(sorted(encodings.items())), tuple(left_out)))


def write_pages(articles: Articles, folder: Path | str) -> None:
    """A page for each article, as ``read_pages`` reads it and as wikiHow's are built.

    Raises:
        ValueError: files are in the folder already.
    """
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise ValueError(f"{place} is there and not an empty folder. Name another one.")
    place.mkdir(parents=True, exist_ok=True)
    ends = articles.article.searchsorted(range(len(articles.ids) + 1))
    for number, name in enumerate(articles.ids):
        path = articles.categories[articles.category[number]]
        page = _page(path, articles.texts[ends[number] : ends[number + 1]].tolist())
        with replacing(place / f"{quote(name, safe='')}.html") as file:
            file.write(page.encode("utf-8", "xmlcharrefreplace"))


def _page(path: tuple[str, ...], events: list[str]) -> str:
    links = "".join(
        f'<li><a href="/Category:{quote(name)}">{escape(name)}</a></li>\n' for name in path
    )
    steps = "".join(
        f'<li><div class="step"><b class="whb">{escape(text)}</b> And so on.</div></li>\n'
        for text in events
    )
    return _PAGE.format(title=escape(path[-1]), links=links, steps=steps)


_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title></head>
<body>
<ul id="breadcrumb">
<li><a href="/Main-Page">Home</a></li>
{links}</ul>
<h1>{title}</h1>
<ol>
{steps}</ol>
</body>
</html>
"""
