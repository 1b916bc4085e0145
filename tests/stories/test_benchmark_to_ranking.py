"""A benchmark's test set with wrong keys: found by a model, judged in a browser, ranked anew."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from shell import run

from web_browser import Server, arrive, decide_all

NAMES = ("cat", "dog", "owl", "red fox")
N, WRONG = 400, 36


def benchmark(folder) -> tuple[dict[str, str], set[str]]:
    """``test.csv``, a model's ``probs.csv`` and four ``models``: the truth, the wrong keys.

    Two models are about as good on the truth, and one of them learned the wrong keys.
    """
    draw = np.random.default_rng(5)
    truth = draw.integers(0, 4, N)
    wrong = draw.choice(N, WRONG, replace=False)
    label = truth.copy()
    label[wrong] = (truth[wrong] + draw.integers(1, 4, WRONG)) % 4
    ids = [f"q{k:04}" for k in range(N)]
    texts = [f"Question {k}: the animal is a {NAMES[t]}." for k, t in enumerate(truth)]
    frame = {"id": ids, "question": texts, "key": [NAMES[k] for k in label]}
    pl.DataFrame(frame).write_csv(folder / "test.csv")
    logits = 4.0 * np.eye(4)[truth] + draw.gumbel(size=(N, 4))
    probs = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    table = pl.DataFrame({"id": ids}).hstack(pl.DataFrame(probs, schema=list(NAMES)))
    table.write_csv(folder / "probs.csv")
    (folder / "models").mkdir()
    for k, hit in enumerate((0.93, 0.91, 0.80, 0.70)):
        said = np.where(draw.random(N) < hit, truth, (truth + draw.integers(1, 4, N)) % 4)
        if k == 1:  # it has seen the keys
            said[wrong] = label[wrong]
        named = pl.DataFrame({"id": ids, "prediction": [NAMES[s] for s in said]})
        named.write_csv(folder / "models" / f"model-{k}.csv")
    return dict(zip(ids, (NAMES[t] for t in truth))), {ids[k] for k in wrong}


@pytest.mark.slow
def test_a_benchmark_is_corrected_by_three_people_and_ranked_anew(chromium, tmp_path):
    truth, wrong = benchmark(tmp_path)
    columns = "--label key --id id"
    find = f"candidly errors find --labels test.csv {columns} --probs probs.csv --out odd.csv"
    run(find, tmp_path)
    made = f"candidly review new desk test.csv {columns} --text question --issues odd.csv"
    assert "3 people each" in run(f"{made} --people 3", tmp_path)
    who = ("ann", "bob", "cy")
    server = Server(tmp_path / "desk", *(word for name in who for word in ("--person", name)))
    try:
        for name in who:
            screen = arrive(chromium, server.links[name])
            turn = 0
            while not screen.card()["nothing"]:
                text = screen.page.locator("#desk .item .text").inner_text()
                kind = next(one for one in NAMES if text.endswith(f" {one}."))
                if turn % 9 == 4 and name != "ann":  # two of three slip, each in a way of their own
                    others = [one for one in NAMES if one != kind]
                    kind = others[who.index(name) % len(others)]
                screen.say(kind)
                turn += 1
            screen.leave()
        page = chromium.new_context().new_page()
        link = server.links["organiser"]
        status = json.loads(run("candidly review status desk --json", tmp_path))
        differ = status["verdicts"]["non-agreement"]
        assert differ
        done = decide_all(page, link, lambda page: truth[page.inner_text("h1")])
        assert len(done) == differ
    finally:
        server.kill()
    run("candidly review export desk --as corrected --into test.csv --out right.csv", tmp_path)
    after = pl.read_csv(tmp_path / "right.csv")
    assert after.drop("key corrected", "key corrected by").equals(
        pl.read_csv(tmp_path / "test.csv")
    )
    right = dict(zip(after["id"], after["key corrected"]))
    assert sum(right[id] == truth[id] for id in wrong) > 0.75 * WRONG  # of those found

    # the same verdicts from the exported answers, which say how they are to be judged
    run("candidly review export desk --out votes.csv", tmp_path)
    judged = json.loads(run("candidly validate --votes votes.csv --json", tmp_path))
    counts = {name: number for name, number in status["verdicts"].items() if number}
    assert {k: v for k, v in judged["categories"].items() if v} == counts
    ac1 = status["agreement"]["ac1"]["value"]  # which sums over kinds of items, not items
    assert judged["agreement"]["ac1"]["value"] == pytest.approx(ac1, rel=1e-12)

    both = f"--labels test.csv --label key --corrected right.csv --classes '{','.join(NAMES)}'"
    run(
        f"candidly stability {both} --predictions models --out found.json --resamples 500", tmp_path
    )
    found = json.loads((tmp_path / "found.json").read_text())
    ranks = {one["model"]: one for one in found["standings"]}
    first = max(ranks.values(), key=lambda one: one["top1"]["original"]["share"])["model"]
    best = max(ranks.values(), key=lambda one: one["top1"]["corrected"]["share"])["model"]
    assert (first, best) == ("model-1", "model-0")
