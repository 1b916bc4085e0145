"""RC: PRODEN's loss, derived as an importance-weighted risk.

Where every set that contains the label is as likely as any other, weighing the candidates' losses
by the probability of each, given the set, makes the risk that of the true labels. With the model's
own probabilities as weights that is PRODEN: the same functions, and the same numbers from the same
training seed (a benchmark seeds by the algorithm's name, so its rows differ).
"""

from __future__ import annotations

from ._algorithm import Algorithm, Stage
from .proden import after, rows, step

RC = Algorithm(
    "RC",
    (Stage(step, after),),
    paper="Feng et al., Provably consistent partial-label learning, NeurIPS 2020",
    kind="identification",
    summary="PRODEN's weights, derived as a consistent risk",
    rows=rows,
)
