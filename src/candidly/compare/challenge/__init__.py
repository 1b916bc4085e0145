"""A challenge of learning with wrong labels, or of finding them, as a program.

``make_challenge`` writes a folder: what runs see, and the truth that they do not. ``submit`` takes
submissions in, which are programs; ``run_challenge`` runs them, shut off from all but their own
label set, within a multiple of the baseline's time; ``score_challenge`` scores and ranks. What a
submission in Python needs is in ``candidly.compare.challenge.entry``. Names load on first use.

Source: the first Learning with Noisy Labels Challenge, on CIFAR-N (Wei et al., IJCAI 2022), whose
rules this follows.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# public name -> module that holds it
_WHERE = {
    "Baseline": "_protocol",
    "Bounds": "_protocol",
    "SetScore": "_result",
    "Contest": "_result",
    "Difference": "_rank",
    "Given": "_new",
    "LabelSet": "_protocol",
    "Manifest": "_manifest",
    "Protocol": "_protocol",
    "Result": "_result",
    "ScoredRun": "_result",
    "Placing": "_rank",
    "Submission": "_submit",
    "BaselineTime": "_run",
    "copy_example": "examples",
    "examples_there": "examples",
    "make_challenge": "_new",
    "read_manifest": "_manifest",
    "read_protocol": "_protocol",
    "run_challenge": "_run",
    "score_challenge": "_result",
    "standings": "_rank",
    "submissions": "_submit",
    "submit": "_submit",
}

if TYPE_CHECKING:
    from ._manifest import Manifest, read_manifest
    from ._new import Given, make_challenge
    from ._protocol import Baseline, Bounds, LabelSet, Protocol, read_protocol
    from ._rank import Difference, Placing, standings
    from ._result import Contest, Result, ScoredRun, SetScore, score_challenge
    from ._run import BaselineTime, run_challenge
    from ._submit import Submission, submissions, submit
    from .examples import copy_example, examples_there


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'candidly.compare.challenge' has no attribute {name!r}")
    value = getattr(import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])


__all__ = [
    "Baseline",
    "BaselineTime",
    "Bounds",
    "Contest",
    "Difference",
    "Given",
    "LabelSet",
    "Manifest",
    "Placing",
    "Protocol",
    "Result",
    "ScoredRun",
    "SetScore",
    "Submission",
    "copy_example",
    "examples_there",
    "make_challenge",
    "read_manifest",
    "read_protocol",
    "run_challenge",
    "score_challenge",
    "standings",
    "submissions",
    "submit",
]
