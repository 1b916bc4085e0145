"""A plug-in with a table and two stages: weights of candidates that move slowly, by momentum."""

import candidly
from candidly.algorithms import Algorithm, Setting, Stage
from candidly.algorithms._rates import epochs
from candidly.algorithms._tensors import cross_entropy, masked_softmax, uniform_over


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
            "warm_up": Setting(5, (2, 5, 10), whole=True, static=True),
            "momentum": Setting(0.9, (0.5, 0.9, 0.99)),
        },
        shortened={"warm_up": 2},
    ),
)
