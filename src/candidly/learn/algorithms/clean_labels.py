"""Why some algorithms fall behind where labels are right, classes clear and of unequal size.

By ``bench/sanity.py``: with the defaults, an algorithm that ends 2 points or more below plain
cross-entropy with 2, 10, 40 or 108 classes has a sentence here, and no other has; a test compares.
"""

_SMALL_LOSS = (
    "It leaves out the noise rate's share of rows, 0.2 by default, those with the largest "
    "losses: of right labels those of small classes, which are then not learned. With a noise "
    "rate of 0 it learns all. The estimated rate is no help: a mixture of two divides right "
    "labels as well."
)
_NOT_THESE = (
    "With 108 classes about a third are not found: the loss says which classes are wrong, and "
    "its gradient on the right one's score is in proportion to that one's probability, which "
    "is small among many. Four times the updates find no more."
)
_RENEWED = (
    "With many classes the stage that renews the head, 0.04 of the updates that are left by "
    "default, ends before the small ones are predicted, and a class without a confident row "
    "weighs nothing from then on. With four times the updates `pes` finds all."
)
_SCORES_OF_PROBABILITIES = (
    "Its scores are probabilities times weights that begin near 1; among many classes their "
    "softmax hardly tells one from the others, and some small classes are not found, also with "
    "four times the updates."
)

BEHIND = {
    "RECORDS": (
        "With two classes, one ten times as large, the mean of confident logits lies further "
        "towards the large one than it is larger: less that, some of its rows become the other's."
    ),
    "LWS": (
        "With 108 classes some small ones are not found, also with four times the updates: a "
        "sigmoid is flat where the right class's score is far below 0."
    ),
    "Forward": _NOT_THESE,
    "NN": (
        "With many classes its estimate is a small difference of large numbers, of few rows "
        "in a batch; small classes are not found."
    ),
    "GA": (
        "Gradient ascent on the parts that are negative takes back what was learned, with "
        "Adam from ten classes on."
    ),
    "SCL-EXP": _NOT_THESE,
    "SCL-NL": _NOT_THESE,
    "L-W": _NOT_THESE,
    "OP-W": (
        "With 108 classes some small ones are not found: the loss weighs classes that are "
        "wrong and likely, and hardly reaches the right one."
    ),
    "sr": (
        "Its penalty favours probabilities of 0 and 1 also where they are wrong, so that some "
        "small classes are not found; `norm-ce`, the same without a penalty, finds them."
    ),
    "cores2": (
        "With `beta` above 1, and 2 is the default, any confident prediction lowers the loss, "
        "right or wrong. Rows that are not learned before `beta` grows cost more than average "
        "and are sieved out for good: of small classes, and with many classes nearly all. A "
        "`beta` of 0.5 loses less."
    ),
    "elr+": (
        "With two classes, one ten times as large, the pull towards the teachers' average has "
        "its full weight from the first update and makes all rows the larger class. `lam` 1, "
        "or a `lam_ramp` of half the updates, learns both."
    ),
    "co-teaching": _SMALL_LOSS,
    "jocor": _SMALL_LOSS,
    "dividemix": (
        "Its mixture of two divides right labels, too, into clean and wrong: hard rows, of "
        "small classes, lose theirs."
    ),
    "cnlcu-soft": _SMALL_LOSS,
    "cnlcu-hard": _SMALL_LOSS,
    "seal": (
        "Its rounds share the updates, and each begins with a new network and with the "
        "averages of the round before as labels: what a short round hardly predicts is lost. "
        "With four times the updates it is level."
    ),
    "pes": _RENEWED,
    "pes-semi": _RENEWED,
    "bbn": (
        "The weight moves from the branch that learns all rows alike to the other, and "
        "predictions take both in equal parts: it is best before the end."
    ),
    "crowd-layer": _SCORES_OF_PROBABILITIES,
    "conal": _SCORES_OF_PROBABILITIES,
}
