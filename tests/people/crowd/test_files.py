"""What is read of files is what they hold."""

from __future__ import annotations

import numpy as np
import polars as pl

from candidly import crowd


def test_answers_probabilities_and_what_is_known_go_by_names(tmp_path):
    rng = np.random.default_rng(0)
    items = [f"i{k}" for k in range(12)]
    truth = rng.integers(0, 2, 12)
    rows = [(i, who, "ab"[truth[k] ^ (rng.random() < 0.2)])
            for k, i in enumerate(items) for who in ("ann", "bob", "cy")]  # fmt: skip
    item, who, said = zip(*rows)
    table = pl.DataFrame({"item": item, "annotator": who, "label": said})
    table.write_csv(tmp_path / "answers.csv")
    probs = np.column_stack([0.8 - 0.6 * truth, 0.2 + 0.6 * truth])
    beside = pl.DataFrame({"item": items, "b": probs[:, 1], "a": probs[:, 0]})
    beside[::-1].write_csv(tmp_path / "probs.csv")
    known = pl.DataFrame({"item": ["i3", "i1"], "label": ["ab"[truth[3]], "ab"[truth[1]]]})
    known.write_csv(tmp_path / "known.csv")
    read = crowd.read_crowd(
        tmp_path / "answers.csv", probs=tmp_path / "probs.csv", known=tmp_path / "known.csv"
    )
    place = {name: k for k, name in enumerate(items)}
    order = [place[name] for name in read.answers.items.tolist()]
    assert read.answers.classes == ("b", "a")  # as the columns of probabilities stand
    true = 1 - truth[order]
    np.testing.assert_array_equal(read.probs, probs[order][:, ::-1])
    np.testing.assert_array_equal(read.known, np.where(np.isin(order, [1, 3]), true, -1))
    found = crowd.consensus(read.answers, by="crowdlab", probs=read.probs)
    assert (found.labels == true).mean() > 0.8
