"""A plug-in with a table and two stages: weights of candidates that move slowly, by momentum."""

import candidly
from candidly.algorithms import (
    Algorithm,
    Stage,
    cross_entropy,
    epochs,
    masked_softmax,
    one_of,
    uniform_over,
)


def rows(s):
    return {"weights": uniform_over(s.candidates, s.dtype)}


def step(s, b):
    return cross_entropy(b.weights, s.net(b.x).logits).mean(-1)


def after(s, b):
    new = masked_softmax(s.net(b.x).logits, b.candidates)
    keep = s.hp.momentum[..., None]
    return {"weights": keep * b.weights + (1 - keep) * new}


candidly.register(
    "algorithm",
    Algorithm(
        "slow-sets",
        (Stage(step, until=epochs("warm_up")), Stage(step, after)),
        rows=rows,
        space={
            "warm_up": one_of(5, (2, 5, 10), static=True, within="[0, inf)", whole=True),
            "momentum": one_of(0.9, (0.5, 0.9, 0.99), within="[0, 1)"),
        },
        shortened={"warm_up": 2},
    ),
)
