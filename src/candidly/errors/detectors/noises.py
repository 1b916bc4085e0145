"""Detectors compared over kinds of noise and seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...data import imperfect
from ...data.labels.labelled import Labelled
from ...ground.arrays import door
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ...ground.progress import OnProgress, part
from ...learn.encoders import features
from ...learn.model.encoded import of_vectors
from ._compare import compare

CLEAN = "none"  # the given labels are the true ones
AS_GIVEN = "as given"
MADE = {"candidates": "candidate sets", "inputs": "other inputs", "examples": "other examples"}


@door
def compare_noises(
    data: Labelled,
    noises: Sequence[str] = (AS_GIVEN,),
    seeds: int = 1,
    detectors: Sequence[str] | None = None,
    *,
    encoder: str | None = None,
    watch: OnProgress = lambda done, total: None,
    **options: Any,
) -> list[dict[str, Any]]:
    """Judges detectors on labels that are made wrong in several ways.

    Args:
        data: see ``compare``, and ``with_noise``.
        noises: see ``with_noise``.
        seeds: so many seeds of each noise, from 0.
        detectors, options: see ``compare``.
        encoder: of pictures and texts, what makes numbers of them, which all detectors see; see
            ``encoders.features``.
        watch: called with work done and work in all.

    Returns:
        a row for each noise, seed and detector: ``ComparedDetector.values()``, with ``noise`` and
        ``seed``, as ``comparison_document`` takes them.

    Raises:
        KeyError, ValueError, FloatingPointError: see ``compare`` and ``with_noise``; probabilities
            for labels that are made.
    """
    seeds = whole(seeds, "seeds", 1)
    if options.get("probs") is not None:
        check_probs_of(noises)
    if encoder is not None:
        if options.get("features") is not None:
            raise Refusal("`encoder` makes what `features` holds.", "leave one of them out")
        seen = features(data, encoder, watch=part(watch, 0, 1, 2))
        data = of_vectors(data, seen, encoder)
        watch = part(watch, 1, 2, 2)
    rows = []
    all_of_them = len(noises) * seeds
    for number, (noise, seed) in enumerate((n, s) for n in noises for s in range(seeds)):
        labelled = with_noise(data, noise, seed)

        def step(done: int, total: int, before: int = number) -> None:
            watch(before * total + done, all_of_them * total)

        found = compare(labelled, detectors, seed=seed, watch=step, **options)
        rows += [{"noise": noise, "seed": seed, **row.values()} for row in found]
    return rows


def check_probs_of(noises: Sequence[str]) -> None:
    """Raises ValueError where probabilities are given, and labels are made that they are not of."""
    if any(noise != AS_GIVEN for noise in noises):
        raise ValueError("`probs` are of one set of labels; with `noise` they are made for each.")


def with_noise(data: Labelled, noise: str, seed: int) -> Labelled:
    """``data`` with given labels made from its truth.

    Args:
        noise: a process of ``imperfect.PROCESSES`` that makes given labels, with its parameters;
            ``none`` for the truth; ``as given`` for the labels that are there.
        seed: the seed of processes that have one and are not told which.

    Raises:
        ValueError: there is no truth, or a process that makes candidate sets.
    """
    if noise == AS_GIVEN:
        return data
    bare = replace(data, candidates=None, given=None)
    if noise.strip().lower() == CLEAN:
        return replace(bare, given=data.truth)
    for _, process, _ in imperfect.steps(noise):
        if process.makes != "given":
            raise ValueError(
                f"`noise` {noise!r} makes {MADE[process.makes]}, and detectors look at one given "
                "label; use for example symmetric:rate=0.2."
            )
    return imperfect.apply(bare, noise, seed=seed)
