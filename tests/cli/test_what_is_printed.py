"""Odd little tables: what is printed has no NaN, no count below 0, no share above 1, no slip."""

import re

import numpy as np
import polars as pl
import pytest

SLIPS = re.compile(
    r"\b(?:nan|inf|NaN|None)\b"  # but as names of options and cells, which are not in these tables
    r"|\bnp\.\w+\("
    r"|(?<![\w.,-])1 (?:rows|labels|items|answers|annotators|classes|models|pairs|points)\b"
    r"|\b1\d\d\.\d+ ?%(?<!100\.0%)(?<!100\.0 %)"
)
COUNT = re.compile(r"(?<![\w.(−+-])-\d[\d,]* (?:to \d[\d,]* )?of \d")  # such as -1 to 80 of 300


def slips(said: str) -> list[str]:
    """What stands around each slip."""
    found = [*SLIPS.finditer(said), *COUNT.finditer(said)]
    return [said[max(one.start() - 60, 0) : one.end() + 40] for one in found]


@pytest.mark.parametrize(
    "said",
    [
        "-1 to 80 of 300 labels are wrong",
        "(nan to nan)",
        "it is np.str_('cat')",
        "contradicts 1 labels",
        "101.0% of",
        "137.2 %",
    ],
)
def test_slips_are_seen(said):
    assert slips(said)


@pytest.mark.parametrize(
    "said", ["100.0% of", "-11.9 to +23.6", "1 label", "21 labels", "2,001 rows", "1.1 points"]
)
def test_what_is_no_slip_is_not(said):
    assert not slips(said)


def column(rng, what, truth):
    n, x = len(truth), rng.normal(size=len(truth)) + truth * rng.uniform(0, 3)
    return {
        "number": lambda: x.round(3),
        "gaps": lambda: np.where(rng.random(n) < 0.3, "", x.round(2).astype(str)),
        "code": lambda: np.where(
            rng.random(n) < 0.1, "-999", (x * 500 + 3000).round(2).astype(str)
        ),
        "category": lambda: np.array(list("abcdef"))[truth],
        "constant": lambda: np.full(n, "x"),
        "heavy": lambda: np.exp(6 * x),
        "words": lambda: np.array([" ".join(rng.choice(["red", "big", "old"], 4)) for _ in truth]),
    }[what]()


@pytest.mark.parametrize("seed", range(8))
def test_of_a_table(seed, candidly, tmp_path):
    rng = np.random.default_rng(seed)
    n, q = int(rng.choice([25, 120, 300])), int(rng.choice([2, 3, 5]))
    truth = rng.integers(0, q, n)
    given = np.where(rng.random(n) < rng.choice([0, 0.1, 0.5]), rng.integers(0, q, n), truth)
    kinds = ["number", "gaps", "code", "category", "constant", "heavy", "words"]
    columns = {
        f"{what}{k}": column(rng, what, truth)
        for k, what in enumerate(rng.choice(kinds, rng.integers(1, 5)))
    }
    label = np.array([f"k{k}" for k in given], object)
    label[rng.random(n) < (seed % 2) / n] = None
    pl.DataFrame({**columns, "label": pl.Series(label.tolist())}).write_csv(tmp_path / "t.csv")
    for command in (("check", "t.csv"), ("train", "t.csv", "--out", "m.safetensors")):
        _, out, err = candidly(*command)
        assert not slips(out.partition("Rows to look at first")[0])
        assert not slips(err)
        assert "no name" not in err


@pytest.mark.parametrize("seed", range(12))
def test_of_a_crowd(seed, candidly, tmp_path):
    rng = np.random.default_rng(seed)
    n, q, people = (int(rng.choice(some)) for some in ([1, 2, 10, 60], [2, 3, 6], [1, 2, 3, 8]))
    truth = rng.integers(0, q, n)
    rows = [
        (f"i{i}", f"p{a}", f"k{truth[i] if rng.random() < 0.7 else rng.integers(0, q)}")
        for i in range(n)
        for a in rng.permutation(people)[: rng.integers(1, people + 1)]
    ]
    frame = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    frame.write_csv(tmp_path / "a.csv")
    by = rng.choice(["opinion-pool", "majority", "dawid-skene", "glad", "wawa", "ibcc"])
    for more in ((), ("--by", by)):
        _, out, err = candidly("crowd", "consensus", "a.csv", "--html", "p.html", *more)
        assert not slips(out + err)
        page = tmp_path / "p.html"
        if page.exists():
            text = re.sub(r"<(style|script|svg)[^>]*>.*?</\1>", " ", page.read_text(), flags=re.S)
            assert not slips(re.sub(r"<[^>]+>", " ", text))


@pytest.mark.parametrize("seed", range(6))
def test_of_models(seed, candidly, tmp_path):
    rng = np.random.default_rng(seed)
    n, m = int(rng.choice([1, 3, 40])), int(rng.choice([1, 2, 4]))
    scores = (rng.random((n, m)) < rng.uniform(0.2, 1, m)).astype(float)
    names = [f"m{j}" for j in range(m)]
    pl.DataFrame(scores, schema=names).write_csv(tmp_path / "s.csv")
    _, out, err = candidly("rank", "s.csv")
    assert not slips(out + err)
