"""docs/encoders.md says what bench/encoders.py has measured."""

from __future__ import annotations

import json
from pathlib import Path

from candidly.learn.encoders import advised

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"
CLAIMS = [
    claim
    for name in ("encoders", "encoder_fit", "encoder_speed", "picture_reading")
    for claim in json.loads((RESULTS / f"{name}.json").read_text())["claims"]
]
MEASURED = {claim["name"]: claim["value"] for claim in CLAIMS}
NAME, LOOP = "efficientnet-lite0", "time over that of 32 pictures at once"


def test_the_table_is_what_was_measured():
    page = (ROOT / "docs" / "encoders.md").read_text()
    for label_set in ("aggre", "rand1", "worst"):
        own, seen = f"{label_set}, own", f"{label_set}, {NAME}"
        cells = [f"{100 * MEASURED[f'{who}: right']:.1f} %" for who in (own, seen)]
        for what in ("F1 of find", "F1 of check's list"):
            cells += [f"{100 * MEASURED[f'{who}: {what}']:.1f}" for who in (own, seen)]
        (line,) = [one for one in page.splitlines() if one.startswith(f"| {label_set} |")]
        assert [cell.strip() for cell in line.split("|")[3:-1]] == cells
    assert f"{MEASURED['50000 pictures encoded: GB in all']:.1f} GB in all" in page


def test_the_sentences_are_what_was_measured():
    page = " ".join((ROOT / "docs" / "encoders.md").read_text().split())
    plain, like = (
        f"{100 * MEASURED[f'CIFAR-10, {how} padding: right']:.1f} %"
        for how in ("TensorFlow's", "the same")
    )
    assert f"is right on {like} instead of {plain}" in page
    own, seen = (f"{100 * MEASURED[f'MNIST, {who}: right']:.1f} %" for who in ("own", NAME))
    assert f"the descriptors put {own} right and EfficientNet-Lite0 {seen}" in page
    times = {side: MEASURED[f"{side} pixels: {LOOP}"] for side in (224, 96)}
    assert f"takes {times[224]:.2f} of the time of 32 pictures at once where" in page
    assert f"and {times[96]:.2f} where they have 96" in page
    bits = {MEASURED[f"{what}: time of bf16 over float32's"] for what in ("pictures", "texts")}
    assert {f"pictures and texts take {ratio:.2f} of the time" in page for ratio in bits} == {True}
    right = {
        MEASURED[f"CIFAR-10 by logistic regression, {name}: right"] for name in ("float32", "bf16")
    }
    assert {f"is right on {100 * share:.1f} % of 8,000 others" in page for share in right} == {True}
    assert (
        f"lowest cosine of a picture's two vectors is {MEASURED['pictures: lowest cosine']:.3f}"
        in page
    )
    share = 100 * MEASURED["share of reading and decoding"]
    assert f"reading and decoding is {share:.0f} % of the work" in page


def test_all_that_was_asked_for_is_reached():
    missed = {claim["name"] for claim in CLAIMS if claim["holds"] is False}
    assert missed == {"share of reading and decoding"}  # by little, as the network became faster


def test_the_advice_is_what_was_measured():
    shares = [f"{100 * MEASURED[f'worst, {who}: right']:.0f} %" for who in (NAME, "own")]
    assert f"right on {shares[0]} with it and on {shares[1]} without" in advised()
