"""Which algorithms take weights of rows: those whose objective is a mean over rows.

What each row adds depends on the network's answer to that row alone, and on what is kept of it: so
the gradient at its logits times its weight is the gradient of the weighted mean. An algorithm that
mixes, ranks, pairs or counts the rows of a batch gives a weight no such meaning. For every name
here a row of weight 2 is two rows, which ``tests/learn/algorithms/test_weighted.py`` measures.
"""

from __future__ import annotations

WEIGHTED = frozenset(
    (
        "PRODEN", "RC", "LWS", "CAVL", "IDGP", "POP", "ABS-MAE", "ABS-GCE", "CC", "LOG", "EXP",
        "PC", "Forward", "MCL-GCE", "MCL-MSE", "SCL-EXP", "SCL-NL", "L-W", "OP-W", "CRDPLL", "ce",
        "mae", "gce", "sce", "nce+rce", "nce+mae", "agce", "focal", "label-smoothing", "norm-ce",
        "sr", "eps-softmax", "elr", "seal", "soft-ce", "supervised-oracle",
    )
)  # fmt: skip
