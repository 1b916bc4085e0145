"""Posterior probabilities of verdicts: by hand, and against people who were made up."""

from __future__ import annotations

import numpy as np
import pytest

from candidly.people.validation import ANSWERS, from_answers, judge, posteriors


def made_up(items: int, people: int, seed: int = 0):
    """A long table of answers; person 0 to 1 are careless, the others right nine times in ten."""
    rng = np.random.default_rng(seed)
    right = rng.integers(0, 4, items)
    item, person = (a.ravel() for a in np.meshgrid(range(items), range(people), indexing="ij"))
    chance = np.where(person < 2, 0.3, 0.9)
    other = (right[item] + rng.integers(1, 4, len(item))) % 4
    said = np.where(rng.random(len(item)) < chance, right[item], other)
    return right, item, person, np.array(ANSWERS, object)[said]


def test_probabilities_are_what_they_say():
    """Of verdicts that are p probable, the share p is right: a simulation, at 4 standard errors."""
    right, item, person, answer = made_up(3000, 5)
    found = posteriors(item, person, answer, offered=ANSWERS[:4], by="dawid-skene")
    assert np.allclose(found.probability.sum(1), 1)
    assert (found.probability[:, 4] == 0).all()
    best = found.probability[:, :4].argmax(1)
    sure = found.probability.max(1)
    for low, high in ((0.5, 0.8), (0.8, 0.95), (0.95, 1.01)):
        rows = (sure >= low) & (sure < high)
        error = 4 * np.sqrt((sure[rows] * (1 - sure[rows])).sum()) / rows.sum() + 0.01
        assert abs((best == right)[rows].mean() - sure[rows].mean()) < error
    careless = [found.quality[str(who)] for who in (0, 1)]
    careful = [found.quality[str(who)] for who in (2, 3, 4)]
    assert max(careless) < 0.45 < 0.8 < min(careful)


def test_errors_that_people_share_are_allowed_for():
    """Half of the people believe the same wrong hint on every fifth item."""
    right, item, person, answer = made_up(1500, 6)
    hint = (right[item] + 1) % 4
    follow = (item % 5 == 0) & (person >= 3) & (np.random.default_rng(1).random(len(item)) < 0.9)
    answer = np.where(follow, np.array(ANSWERS, object)[hint], answer)
    claimed = {}
    for by in ("dawid-skene", "opinion-pool"):
        found = posteriors(item, person, answer, offered=ANSWERS[:4], by=by)
        best = found.probability[:, :4].argmax(1)
        claimed[by] = found.probability.max(1).mean() - (best == right).mean()
    assert claimed["dawid-skene"] > 0.03
    assert abs(claimed["opinion-pool"]) < claimed["dawid-skene"] / 2


def test_it_is_told_of_verdicts():
    _, item, person, answer = made_up(400, 5)
    kept = item != 17
    item, person, answer = item[kept], person[kept], answer[kept]
    verdicts = judge(from_answers(item, person, answer, asked=np.arange(400)), 3)
    of = posteriors(item, person, answer, offered=ANSWERS[:4])
    found = of.of(verdicts)
    settled = verdicts.category < 4
    assert np.isnan(found[~settled]).all()
    assert np.isnan(found[17])
    for place in np.flatnonzero(settled)[:50]:
        row = np.flatnonzero(of.item == place)[0]
        assert found[place] == of.probability[row, verdicts.category[place]]
    careless_majority = found[settled] < 0.5  # two careless people and one slip: not to be trusted
    assert 0 < careless_majority.mean() < 0.2


def test_skips_do_not_count_and_nonsense_is_refused():
    item, person = [0, 0, 0, 1, 1, 1, 1], ["a", "b", "c", "a", "b", "c", "d"]
    answer = ["given", "given", "both", "guessed", "guessed", "guessed", "skip"]
    found = posteriors(item, person, answer)
    assert set(found.quality) == {"a", "b", "c"}
    assert found.probability.argmax(1).tolist() == [0, 1]
    with pytest.raises(ValueError, match="maybe"):
        posteriors([0], ["a"], ["maybe"])
    with pytest.raises(ValueError):
        posteriors([0], ["a"], ["skip"])
    with pytest.raises(ValueError, match="twice"):
        posteriors([0, 0], ["a", "a"], ["given", "both"])
