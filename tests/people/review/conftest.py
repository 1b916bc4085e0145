"""Projects on SQLite, and the same on a private PostgreSQL where its programs are installed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from candidly import review

from review_cases import Clock, some_items, some_rules
from review_databases import server, url

__all__ = ["server", "url"]


@pytest.fixture
def make(tmp_path, url):
    """Makes a project of ``n`` items by rules that differ from the usual ones as said."""
    made = []

    def make(n: int = 8, items=None, gold=None, order=None, examples=None, **changes):
        project = review.make_project(
            tmp_path / f"project{len(made)}",
            some_items(n) if items is None else items,
            some_rules(**changes),
            gold=gold,
            order=order,
            examples=examples,
            url=url if not made else None,
        )
        project = replace(project, clock=Clock())
        made.append(project)
        return project

    yield make
    for project in made:
        project.close()
