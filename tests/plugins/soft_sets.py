"""A plug-in: the mean probability of what is no candidate, as a loss. No state."""

import candidly
from candidly.algorithms import Algorithm, Stage


def step(s, b):
    outside = s.net(b.x).logits.softmax(-1).masked_fill(b.candidates, 0)
    return outside.sum(-1).mean(-1)


candidly.register("algorithm", Algorithm("soft-sets", (Stage(step),)))
