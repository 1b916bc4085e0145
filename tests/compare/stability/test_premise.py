"""Accuracies on true labels, where nobody corrected the given ones."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from candidly.compare.stability import assess, make_case, read_case, read_report
from candidly.compare.stability.document import stability_document
from made_overlap import made


def simulated(rate, seed=0, n=3000, q=4):
    """Wrong labels, three models of falling skill, the first one's probabilities, the truth."""
    logs, true, labels = made(n, q, rate, seed, scale=4)
    rng = np.random.default_rng(seed)
    models = {}
    for k in range(3):
        guess = rng.random(n) < 0.15 * k
        models[f"m{k}"] = np.where(guess, rng.integers(q, size=n), logs.argmax(1))
    return labels, models, np.exp(logs), true


@pytest.mark.parametrize("rate", [0.1, 0.3])
def test_they_are_what_they_are_on_the_truth(rate):
    held, total = 0, 0
    for seed in range(6):
        labels, models, probs, true = simulated(rate, seed)
        report = assess(make_case(labels, None, models), resamples=0, probs=("m0", probs))
        told = report.premise
        assert told.model == "m0"
        assert told.headline.startswith("If errors strike clear and unclear rows alike, about")
        assert [one.model for one in told.accuracies] == [s.model for s in report.standings]
        for one in told.accuracies:
            right = (models[one.model] == true).mean()
            given = (models[one.model] == labels).mean()
            assert abs(one.share - right) < abs(given - right) / 2
            held += one.low <= right <= one.high
            total += 1
    assert held >= 0.9 * total


def test_where_labels_are_corrected_or_nothing_can_be_said_it_says_nothing():
    labels, models, probs, true = simulated(0.1)
    case = make_case(labels, None, models)
    assert assess(case, resamples=0).premise is None
    assert assess(case, resamples=0, probs=("m0", 10 * probs)).premise is None  # scores
    few = make_case(labels[:60], None, {name: rows[:60] for name, rows in models.items()})
    assert assess(few, resamples=0, probs=("m0", probs[:60])).premise is None
    corrected = make_case(labels, true, models)
    assert assess(corrected, resamples=0, probs=("m0", probs)).premise is None
    with pytest.raises(ValueError, match=r"`probs` has shape \(3000, 3\); there are 3000 items"):
        assess(case, resamples=0, probs=("m0", probs[:, :3]))


def test_the_report_has_it_in_every_form(tmp_path):
    labels, models, probs, _ = simulated(0.2)
    np.save(tmp_path / "labels.npy", labels)
    (tmp_path / "models").mkdir()
    np.save(tmp_path / "models" / "m0.npy", probs)
    for name in ("m1", "m2"):
        pl.DataFrame({"predicted": models[name]}).write_csv(tmp_path / "models" / f"{name}.csv")
    read = read_case(tmp_path / "labels.npy", tmp_path / "models")
    assert read.probs[0] == "m0"
    assert (read.probs[1] == probs).all()
    report = assess(read.case, resamples=0, probs=read.probs)
    assert read_report(json.loads(json.dumps(report.as_dict()))) == report
    document = stability_document(report)
    for form in ("text", "markdown", "html"):
        told = " ".join(document.render(form, 100).split())
        assert report.premise.headline in told.replace("<p>", "")
        assert "The order of the models is the same." in told
    turned = replace(report.premise, accuracies=report.premise.accuracies[::-1])
    other = [replace(one, share=k / 3) for k, one in enumerate(turned.accuracies)]
    turned = replace(turned, accuracies=tuple(other))
    told = stability_document(replace(report, premise=turned)).render("text", 100)
    assert "The order would be: m0, m1, m2." in told
    np.save(tmp_path / "truth.npy", labels)
    again = read_case(tmp_path / "labels.npy", tmp_path / "models", tmp_path / "truth.npy")
    assert again.probs is None
