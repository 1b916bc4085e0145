"""Small challenges and submissions for tests: programs that know what they answer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from candidly import load
from candidly.compare.challenge import Baseline, Given, Protocol, make_challenge
from candidly.compare.challenge._data import Truth, read_truth
from candidly.data.labels.labelled import Labelled

Q = 10
ROWS = 200


def labelled(rate: float, seed: int) -> Labelled:
    """The first digits; a share of the given labels is the next class."""
    digits = load("digits")[:ROWS]
    wrong = np.random.default_rng(seed).random(ROWS) < rate
    return replace(digits, given=np.where(wrong, (digits.truth + 1) % Q, digits.truth))


def small(
    folder: Path, seeds: int = 2, test_rows: int = 50, sets=("easy", "hard"), **options
) -> Protocol:
    """Label sets ``easy`` and ``hard`` of digits, or one; scored on all test rows, each once."""
    test = load("digits")[ROWS : ROWS + test_rows]
    both = {"easy": labelled(0.2, 1), "hard": labelled(0.4, 2)}
    given = [Given(name, "digits", both[name], test) for name in sets]
    options = {"subset": str(test_rows), "seed": 5, "baseline": Baseline(epochs=1)} | options
    return make_challenge(folder, given, seeds=seeds, **options)


def timed(folder: Path, limit: float, data_set: str = "digits") -> None:
    """As if the baseline had been timed, so that a run may take so many seconds."""
    value = {data_set: {"training": [limit / 10], "starting": [0.0], "device": "as told"}}
    (folder / "baseline.json").write_text(json.dumps(value))


def submission(at: Path, name: str, program: str, task: str = "learning", **manifest) -> Path:
    """A folder with ``run.sh``, and beside it what ``files`` holds."""
    at = at / name
    at.mkdir(parents=True)
    about = {"name": name, "task": task, "hyperparameters": {}} | manifest
    (at / "manifest.json").write_text(json.dumps(about))
    (at / "run.sh").write_text(program)
    return at


# answers that were written beforehand, by who knows the truth: their scores are known by hand
COPY = 'cp "$(dirname "$0")/answers/$2"/*.npy "$5"\n'


def knowing(
    at: Path, name: str, challenge: Path, sets: dict[str, int], program: str = COPY
) -> Path:
    """Predictions with so many right, by label set; the first ones are right."""
    made = submission(at, name, program)
    for one, right in sets.items():
        truth = read_truth(challenge, one).tested
        answer = np.where(np.arange(len(truth)) < right, truth, (truth + 1) % Q)
        place = made / "answers" / one
        place.mkdir(parents=True)
        np.save(place / "predictions.npy", answer)
    return made


def flagging(at: Path, name: str, challenge: Path, sets: dict[str, np.ndarray]) -> Path:
    """Flags by label set, in another order than the challenge's, with ids."""
    made = submission(at, name, COPY, "detection")
    for one, flags in sets.items():
        truth: Truth = read_truth(challenge, one)
        order = np.random.default_rng(3).permutation(len(flags))
        place = made / "answers" / one
        place.mkdir(parents=True)
        np.save(place / "detection.npy", flags[order])
        np.save(place / "ids.npy", truth.ids[order])
    return made
