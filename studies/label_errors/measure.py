"""Tables 1 and 2 recomputed from the released files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from candidly import errors, validation
from candidly.people.validation.label_errors import CARDS, Study, study

from .models import measure_models

LEVELS = (3, 4, 5)


def measure(root: Path | str) -> dict[str, Any]:
    """Everything that the page says, as JSON holds it."""
    return {
        "sets": {card.title: measure_set(study(name, root)) for name, card in CARDS.items()},
        "models": measure_models(),
    }


def measure_set(made: Study) -> dict[str, Any]:
    """One data set: verdicts at every threshold, both readings, estimates, agreement."""
    card, votes = made.card, made.votes
    verdicts = validation.judge(votes, LEVELS[0])
    found = validation.totals(verdicts)
    whole = max(card.flagged, len(votes)) if card.checked < card.flagged else len(votes)
    errors = found.errors["exact"]
    estimate = validation.estimate(errors.count, found.decided, whole, card.size)
    agreed = validation.agreement(verdicts)
    sets = isinstance(votes, validation.SetTally)
    return {
        "rows": len(votes),
        "categories": found.categories,
        "degenerate": found.degenerate,
        "errors": {name: share.count for name, share in found.errors.items()},
        "flagged": whole,
        "size": card.size,
        "labels": None if made.given is None else len(made.given),
        "estimate": _told(estimate),
        "kappa": None if agreed.kappa is None else asdict(agreed.kappa),
        "ac1": None if agreed.ac1 is None else asdict(agreed.ac1),
        "slight": agreed.slight,
        "fragile": None if sets else agreed.fragile,
        "settings": [
            {"name": s.name, "level": s.threshold, "reading": s.reading, "fragile": s.fragile}
            | asdict(s.sets)
            | {"pruned": s.sets.pruned, "percent": s.sets.percent_error}
            for s in validation.thresholds(votes, card.size, whole, LEVELS)
        ],
        "catch-all": _catch_all(verdicts),
        "offered": [] if isinstance(votes, validation.SetTally) else list(votes.offered),
        "prediction is not the label": _disagreements(made),
        "guessed": _guessed(made),
    }


def measure_sample(found: int, checked: int, flagged: int, size: int) -> dict[str, Any]:
    """The estimate from a published row whose votes were not released."""
    return _told(validation.estimate(found, checked, flagged, size))


def _told(estimate: validation.Estimate) -> dict[str, Any]:
    return asdict(estimate) | {"percent": estimate.percent, "census": estimate.census}


def _catch_all(verdicts: validation.Verdicts) -> dict[str, int]:
    """Non-agreements in which most people gave one of the answers that make no category."""
    disagree = verdicts.category == validation.CATEGORIES.index("non-agreement")
    others = getattr(verdicts.tally, "others", {})
    return {
        name: int((disagree & (votes >= verdicts.threshold)).sum())
        for name, votes in others.items()
    }


def _disagreements(made: Study) -> int | None:
    if made.given is None or made.predicted is None:
        return None
    return int(np.count_nonzero(made.given != made.predicted))


def _guessed(made: Study) -> dict[str, Any] | None:
    """How many labels each rule flags; and of the lowest margins, as many as people were asked
    about, how many these are."""
    if made.given is None or not made.probs:
        return None
    evidence = errors.examine(made.given, made.probs[0], normalise=True)
    counts = errors.counts(evidence)
    asked = np.unique(made.votes.item)
    lowest = errors.find(evidence, by="margin", count=len(asked)).indices
    return {
        **{name: counts.named(name) for name in errors.COUNTS},
        "exactly": counts.expected,
        "asked": len(asked),
        "asked and lowest": int(np.isin(lowest, asked).sum()),
    }
