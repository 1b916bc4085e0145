"""``candidly algorithms``, through the same door as a user."""

from __future__ import annotations

import json
import re

import pytest

from candidly.learn.algorithms import ALGORITHMS


def test_list_names_every_algorithm_and_what_it_reads(candidly):
    status, out, err = candidly("algorithms", "list")
    assert (status, err) == (0, "")
    assert all(name in out for name in ALGORITHMS)
    listed = json.loads(candidly("algorithms", "list", "--json")[1])
    assert [entry["name"] for entry in listed] == list(ALGORITHMS)
    assert [entry["name"] for entry in listed if entry["oracle"]] == ["supervised-oracle"]
    assert all(entry["summary"] and entry["reads"] for entry in listed)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_show_says_all_that_is_known(candidly, name):
    page = ALGORITHMS[name]
    status, out, err = candidly("algorithms", "show", name)
    assert (status, err) == (0, "")
    assert page.summary in " ".join(out.split())
    assert all(setting in out for setting in page.settings())
    shown = json.loads(candidly("algorithms", "show", name.lower(), "--json")[1])
    assert shown["name"] == name
    assert shown["paper"] == page.paper
    own = page.settings()["lr"]  # of most, that of all
    lr = {"default": own.default, "search": own.shown, "published": ""}
    assert shown["hyper_parameters"]["lr"] == lr
    assert shown["variants"] == list(page.variants)
    assert set(shown["differences"]) == {"plench", *page.variants}
    for sentence in [*shown["differences"].values(), *shown["needs"]]:
        assert "".join(sentence.split()) in "".join(out.split())


def test_show_prints_published_settings(candidly):
    out = " ".join(candidly("algorithms", "show", "elr")[1].split())
    assert "Published settings, for train --as-published" in out
    assert "lr=0.02, weight_decay=0.001, batch_size=128, beta=0.7, lam=3. Source: the" in out
    listed = json.loads(candidly("algorithms", "show", "dividemix", "--json")[1])["published"]
    assert [(one["algorithm"], one["dataset"], one["epochs"]) for one in listed] == [
        ("dividemix:asymmetric", "cifar10n", 300),
        ("dividemix:asymmetric", "cifar100n", 300),
    ]
    assert listed[0]["hyper"] == {"warm_up": 10, "lambda_u": 0}
    assert "Published settings" not in candidly("algorithms", "show", "CC")[1]
    assert json.loads(candidly("algorithms", "show", "CC", "--json")[1])["published"] == []


def test_show_a_variant(candidly):
    out = candidly("algorithms", "show", "cavl:plench")[1]
    assert out.startswith("CAVL:plench")
    assert json.loads(candidly("algorithms", "show", "CAVL:plench", "--json")[1])["variant"] == (
        "plench"
    )


def test_show_says_what_a_variant_changes(candidly):
    def said(name, variant):
        shown = json.loads(candidly("algorithms", "show", name, "--json")[1])
        return shown["differences"][variant]

    assert "multiplied by the candidate mask" in said("CAVL", "plench")
    assert re.search(r"version +1, :plench 2 *\n", candidly("algorithms", "show", "LWS")[1])
    assert re.search(r"version +2 *\n", candidly("algorithms", "show", "LWS:plench")[1])
    assert "before the update" in said("PRODEN", "pre")
    # without an entry of its own, the released program's algorithm is the fixed one
    assert candidly("algorithms", "show", "CC:plench")[1].startswith("CC:plench")
    assert said("CC", "plench").startswith("The formula is the same.")
    for name in ("CAVL", "CC", "PRODEN"):
        assert said(name, "plench").endswith("scaling and record times.")
    assert "scaling" not in said("PRODEN", "pre")


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("CC", ["labels: candidates"]),
        ("LWS", ["labels: candidates", "a row for every training row: weights (n × q)"]),
        ("NN", ["labels: candidates", "once, from the training labels: prior (q)"]),
        ("supervised-oracle", ["labels: truth (an oracle)"]),
    ],
)
def test_show_says_what_is_needed(candidly, name, needs):
    shown = json.loads(candidly("algorithms", "show", name, "--json")[1])
    assert shown["needs"] == needs


def test_show_says_where_the_paper_differs_from_its_program(candidly):
    shown = json.loads(candidly("algorithms", "show", "CC", "--json")[1])["hyper_parameters"]
    assert {name: s["published"] for name, s in shown.items() if s["published"]} == {
        "batch_size": "2^U(5, 8)"
    }


def test_a_search_space_of_ones_own_is_shown(candidly):
    shown = json.loads(candidly("algorithms", "show", "LWS", "--json")[1])
    assert shown["hyper_parameters"]["beta"] == {
        "default": 2,
        "search": "one of 1, 2",
        "published": "",
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("PRODENN", "no algorithm named 'PRODENN'; did you mean 'PRODEN'?"),
        ("abs gcee", "did you mean 'ABS-GCE'?"),
        ("CAVL:plenc", "variant is 'plenc'; did you mean 'plench'?"),
    ],
)
def test_unknown_names_suggest_the_nearest(candidly, name, message):
    status, out, err = candidly("algorithms", "show", name)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
