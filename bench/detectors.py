"""Detectors of label errors: neighbours at scale, and what watching costs.

python bench/detectors.py               about five minutes; writes bench/results/detectors.json
python bench/detectors.py --quick       under a minute

Which of them find the most wrong labels is a study: ``python -m studies.detectors``.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from _bench import Claim, at_most, interleaved, main, median_ratio

# rows, features, classes, networks in a stack
WATCHED = ((1_797, 64, 10, 1), (1_797, 64, 10, 10), (20_000, 256, 10, 1), (20_000, 256, 100, 1))


def neighbours(n: int, d: int) -> list[Claim]:
    from candidly.errors.detectors import nearest
    from candidly.errors.detectors._cost import measured

    table = np.random.default_rng(0).standard_normal((n, d), dtype=np.float32)
    nearest(table[:300], 10)
    started = time.perf_counter()
    cost = measured(lambda: nearest(table, 10))
    seconds = time.perf_counter() - started
    label = f"{n} x {d}: 10 nearest, cosine"
    claims = [Claim(f"{label}, CPU s", cost.seconds)]
    scale = (n / 50_000) ** 2 * d / 512
    claims.append(at_most(f"{label}, s", seconds, 60 * max(scale, 0.1)))
    if cost.extra_bytes is not None:
        claims.append(at_most(f"{label}, extra MB", cost.extra_bytes / 1e6, 2000))
    return claims


def watching(n: int, d: int, q: int, trials: int, rounds: int, probs: bool) -> list[Claim]:
    """CPU seconds of whole epochs, watched and not, in turns."""
    import torch

    from candidly.data.labels.building import from_arrays
    from candidly.errors.detectors import Watch
    from candidly.errors.detectors._train import batch_size, examples_of
    from candidly.learn.algorithms import algorithm, configuration
    from candidly.learn.engine.stack import Member
    from candidly.learn.engine.start import start
    from candidly.learn.engine.train import update
    from candidly.learn.nets import mlp

    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    data = from_arrays(
        rng.standard_normal((n, d), dtype=np.float32), given=rng.integers(0, q, n), classes=q
    )
    page, examples = algorithm("ce"), examples_of(data)
    hyper = configuration(page.settings(), 0, 0) | {"batch_size": batch_size(n)}

    def side(watchers: list) -> Callable[[], float]:
        members = [Member(k, np.arange(n), hyper) for k in range(trials)]
        stack = start(page, mlp(d, q), examples, members, 10**9)

        def epochs() -> float:
            start = time.thread_time()
            for _ in range(max(1, 300 // (stack.E * trials)) * stack.E):
                update(stack, watchers)
            for watch in watchers:
                watch.record()  # what it has put off is part of its time
            return time.thread_time() - start

        epochs()
        return epochs

    plain, watched = interleaved(rounds, side([]), side([Watch(probs=probs)]))
    what = "watching, probabilities kept" if probs else "watching"
    label = f"{n} x {d}, {q} classes, {trials} at once: {what}"
    share = median_ratio(watched, plain) - 1
    if probs:
        return [Claim(f"{label}, share of the time", share)]
    return [at_most(f"{label}, share of the time", share, 0.1)]


def measure(quick: bool) -> list[Claim]:
    claims = neighbours(5_000, 64) if quick else neighbours(50_000, 512)
    for shape in WATCHED[:1] if quick else WATCHED:
        for probs in (False, True):
            claims += watching(*shape, rounds=5 if quick else 31, probs=probs)
    return claims


if __name__ == "__main__":
    main("detectors", __doc__ or "", measure)
