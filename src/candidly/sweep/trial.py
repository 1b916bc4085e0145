"""A trial: everything that defines one training, and nothing about where it runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property


@dataclass(frozen=True)
class Trial:
    """One training, as planned.

    A field with a default came later than journals did: at its default it is not in the key, so
    that keys of before stand.

    Attributes:
        dataset: the name a person gave; not part of the key.
        data: the content fingerprint.
        algorithm, variant, version: which page, and which state of it.
        config: hyper-parameter seed; ``hyper`` the values it stands for.
        scaling: ``train``, ``plench`` or ``none``.
        split, test, validation: split seed and shares.
        mode: what the validation rows are for: ``tune`` or ``train-oracle``.
        seed: of initialisation, order and everything random in training.
        steps, eval_every, timing: updates, and the rule of ``record_steps``.
        recipe: how it is trained, as text (``Recipe.text``).
        test_set: which rows are the test set: a ``random`` share, or the ``official`` ones.
        pruned_by: the search that may stop it early, as text; '' for none.
    """

    dataset: str
    data: str
    algorithm: str
    variant: str
    version: int
    config: int
    hyper: Mapping[str, float | int]
    net: str
    scaling: str
    split: int
    test: float
    validation: float
    mode: str
    seed: int
    steps: int
    eval_every: int
    timing: str
    dtype: str
    test_set: str = "random"
    recipe: str = "adam"
    pruned_by: str = ""

    @cached_property
    def key(self) -> str:
        """A hash of what defines the trial: moving the data or the results changes nothing."""
        what = {field.name: getattr(self, field.name) for field in fields(self)}
        what["hyper"] = dict(self.hyper)
        del what["dataset"]
        for field in fields(self):
            if what.get(field.name) == field.default:
                del what[field.name]
        text = json.dumps(what, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    @property
    def label(self) -> str:
        """The algorithm as a person writes it."""
        return self.algorithm if self.variant == "fixed" else f"{self.algorithm}:{self.variant}"

    @property
    def record_steps(self) -> tuple[int, ...]:
        return record_steps(self.steps, self.eval_every, self.timing)

    @property
    def stack_key(self) -> tuple[object, ...]:
        """What a stack's trials have in common, whatever the algorithm."""
        return (
            *(self.data, self.algorithm, self.variant, self.version, self.net, self.scaling),
            *(self.test, self.validation, self.mode, self.hyper["batch_size"]),
            *(self.steps, self.eval_every, self.timing, self.dtype, self.test_set, self.recipe),
        )


def record_steps(steps: int, eval_every: int, timing: str = "fixed") -> tuple[int, ...]:
    """After how many updates to record.

    ``fixed``: f, 2f, ... and ``steps``. ``plench``, the released program's: its record labelled t
    is taken after t + 1 updates, for t = 0, f, 2f, ... and T - 1; the first is never selected.

    >>> record_steps(2500, 1000), record_steps(2500, 1000, "plench")
    ((1000, 2000, 2500), (1, 1001, 2001, 2500))
    """
    if timing == "plench":
        due = {t + 1 for t in range(0, steps, eval_every)}
    else:
        due = set(range(eval_every, steps + 1, eval_every))
    return tuple(sorted(due | {steps}))


def selectable_from(record_at: tuple[int, ...], timing: str) -> int:
    """The first step that selection may choose; ``plench`` excludes the record labelled 0."""
    return 2 if timing == "plench" else record_at[0]
