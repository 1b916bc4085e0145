"""What methods need of a loop, as the documentation and the command line say it."""

from __future__ import annotations

import re
from dataclasses import replace
from inspect import signature
from pathlib import Path

import pytest

from candidly import losses
from candidly.learn.algorithms import ALGORITHMS, algorithm
from candidly.learn.own_loop import needs_of
from candidly.learn.own_loop._needs import _found

PAGE = (Path(__file__).parents[3] / "docs" / "own-loop.md").read_text()
EVERY = [
    f"{name}:{variant}" if variant else name
    for name, page in ALGORITHMS.items()
    for variant in ("", *page.variants)
]


def said() -> dict[str, tuple[str, ...]]:
    """What the page says of each label that it names."""
    rows = re.findall(r"^\| (`.*?`) \|(.*)\|$", PAGE, re.MULTILINE)
    found = {
        label: tuple(cell.strip() for cell in cells.split("|"))
        for labels, cells in rows
        for label in re.findall(r"`(.*?)`", labels)
    }
    alone = re.search(r"^`x` and `ids` alone: (.*?)\. A variant", PAGE, re.MULTILINE | re.DOTALL)
    assert alone is not None
    return found | dict.fromkeys(re.findall(r"`(.*?)`", alone[1]), ("",) * 6)


def needed(label: str) -> tuple[str, ...]:
    needs = needs_of(algorithm(label))
    views = (view.split()[0] for view in (*needs.views, *needs.views_of_others))
    flags = needs.inputs, needs.optimizer, needs.sampler, needs.head, needs.networks
    inputs, drive, batches, head, networks = ("•" if flag else "" for flag in flags)
    return inputs, drive, batches, " ".join(dict.fromkeys(views)), head, networks


def test_the_page_says_of_every_algorithm_and_variant_what_it_needs():
    page = said()
    for label in EVERY:
        assert page.get(label, page[label.partition(":")[0]]) == needed(label), label
    assert page.keys() <= set(EVERY)


def test_what_takes_the_place_of_published_code_has_these_names():
    called = re.findall(r'attach\("([^"]+)", ([a-z_=, ]+)\)', PAGE)
    assert len(called) >= 6
    for label, arguments in called:
        names = set(re.findall(r"(\w+)=", arguments))
        assert names <= algorithm(label).settings().keys(), label
    functions = re.findall(r"losses\.(\w+)\(\.\.\., ([a-z_=, ]+)\)", PAGE)
    assert len(functions) >= 6
    for name, arguments in functions:
        names = set(re.findall(r"(\w+)=", arguments))
        assert names <= signature(getattr(losses, name)).parameters.keys(), name


def test_a_plug_in_is_watched_as_it_is():
    method = replace(ALGORITHMS["co-teaching"], name="mine")
    assert needs_of(method).networks
    assert _found(ALGORITHMS["ce"]).told() == ()


@pytest.mark.parametrize("name", ["cores*", "promix", "pes"])
def test_needs_are_told_in_words(name):
    told = " ".join(needs_of(ALGORITHMS[name]).told())
    assert "drive" in told
    assert "inputs=" in told
