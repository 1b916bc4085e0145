"""A trial: everything that defines one training, and nothing about where it runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from types import MappingProxyType


@dataclass(frozen=True)
class Trial:
    """One training, as planned.

    A field with a default came later than journals did: at its default it is not in the key, so
    that keys of before stand.

    Attributes:
        dataset: the name a person gave; not part of the key.
        data: the content fingerprint.
        algorithm, variant, version: which method, and which state of it.
        config: hyper-parameter seed; ``hyper`` the values it stands for.
        scaling: ``train``, ``plench`` or ``none``.
        split, test, validation: split seed and shares.
        mode: what the validation rows are for: ``tune`` or ``train-oracle``.
        seed: the seed of initialisation, order and everything random in training.
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
        return _hash(_text(self))

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


def keys_of(like: Trial, rows: Iterable[Row], written: dict[int, str] | None = None) -> list[str]:
    """Keys of trials that differ from ``like`` in these fields alone, at a tenth of the time.

    Args:
        rows: configuration, split, hyper-parameters and seed of each.
        written: texts of hyper-parameters by ``id`` of their mapping; kept up to date here. So
            those that several data sets share are written once.
    """
    before, *between, after = _text(like, dict.fromkeys(VARIED, GAP)).split(GAP)
    to_hyper, to_seed, to_split = between
    written = {} if written is None else written
    keys = []
    for config, split, hyper, seed in rows:
        text = written.get(id(hyper))
        if text is None:
            text = written[id(hyper)] = json.dumps(dict(hyper), sort_keys=True)
        keys.append(
            _hash(f"{before}{config}{to_hyper}{text}{to_seed}{seed}{to_split}{split}{after}")
        )
    return keys


Row = tuple[int, int, Mapping[str, float | int], int]
VARIED = ("config", "hyper", "seed", "split")  # in the order in which a key's text has them
GAP = "\0"  # which JSON writes otherwise


def _text(trial: Trial, instead: Mapping[str, str] = MappingProxyType({})) -> str:
    """What a key is the hash of: JSON, in order of names; ``instead``: texts of some values."""
    written = {}
    for field in fields(trial):
        value = getattr(trial, field.name)
        if field.name != "dataset" and value != field.default:
            value = dict(value) if field.name == "hyper" else value
            written[field.name] = instead.get(field.name) or json.dumps(value, sort_keys=True)
    return "{" + ", ".join(f'"{name}": {written[name]}' for name in sorted(written)) + "}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@cache
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
