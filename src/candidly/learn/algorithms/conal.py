"""conal: each answer is a confusion that is common to all, or the annotator's own.

Annotator a answers softmax(w p W + (1 - w) p W_a): W is common, and w = sigmoid(u_a . v_x) says how
likely the common confusion is. v_x, of length 1, is what a second network makes of the inputs; u_a,
of length 1, is learned for each annotator. All matrices are twice the identity at first. The loss
is the mean over answers of their cross-entropy, less ``apart`` times the sum of |W_a - W|, which
keeps the own ones apart from the common one. Predictions are p's.

Departs from the released program: the second network has the classifier's shape, where there it is
two linear layers; so it takes pictures and texts. There the optimiser starts anew in every epoch.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor
from torch.nn.functional import normalize

from ..nets import with_classifier
from ._algorithm import Algorithm, Own, Stage
from ._annotators import answered, entries, mean_of_answers, products
from ._protocol import Batch, Trials
from ._space import one_of
from .crowd_layer import scores

SIZE = 20  # of an embedding
FIRST = 2.0  # times the identity


def embedding(net, classes, hyper):
    return with_classifier(net, "embedding", SIZE)


def common(classes: int) -> np.ndarray:
    """Twice the identity: (q, q)."""
    return FIRST * np.eye(classes)


def own(annotators: int, classes: int) -> np.ndarray:
    """Twice the identity for everybody: (annotators, q, q)."""
    return np.broadcast_to(common(classes), (annotators, classes, classes)).copy()


def annotator(annotators: int, classes: int) -> np.ndarray:
    """What u_a is made of, in a direction of its own for each: (annotators, 20)."""
    return np.random.default_rng(0).normal(size=(annotators, SIZE)) / SIZE**0.5


def common_share(inputs: Tensor, annotators: Tensor) -> Tensor:
    """w of each answer: (..., B, 20), (..., B, R, 20) -> (..., B, R), in (0, 1)."""
    u, v = normalize(annotators, dim=-1), normalize(inputs, dim=-1)
    return (u * v[..., None, :]).sum(-1).sigmoid()


def step(s: Trials, b: Batch):
    who, said, there = answered(b.votes)
    probs = s.net(b.x).logits.softmax(-1)
    inputs = s.embedding.head(s.embedding.trunk(b.x), "embedding")
    share = common_share(inputs, entries(s.parameters["annotator"], who))[..., None]
    shared, mine = s.parameters["common"], s.parameters["own"]
    by_all = products(probs, shared)[..., None, :]
    made = share * by_all + (1 - share) * scores(probs, mine, who)
    nats = made.logsumexp(-1) - made.gather(-1, said[..., None])[..., 0]
    between = (mine - shared[:, None]).flatten(2).norm(dim=-1).sum(-1)
    return mean_of_answers(nats, there) - s.hp.apart[:, 0] * between


CONAL = Algorithm(
    "conal",
    (Stage(step, own={"common": Own(), "own": Own(), "annotator": Own()}),),
    paper="Chu, Ma and Wang, Learning from crowds by modeling common confusions, AAAI 2021",
    kind="several annotators",
    summary="learns confusions common to all annotators beside those of each",
    reads=("votes",),
    modules={"embedding": embedding},
    parameters={"common": common},
    per_annotator={"own": own, "annotator": annotator},
    space={"apart": one_of(1e-5, (1e-6, 1e-5, 1e-4), within="[0, inf)")},
)
