"""Time per update as a multiple of another's: medians of ``bench/costs.py`` (its committed result).

What learns from candidate sets is compared with CC, what learns from one label with ce.
"""

from . import ALGORITHMS

SHAPES = ("1122 x 108 x 16", "22991 x 163 x 219")

COSTS = {
    "PRODEN": (1.2, 1.2),
    "RC": (1.3, 1.2),
    "LWS": (1.4, 1.3),
    "VALEN": (5.2, 5.5),
    "CAVL": (1.3, 1.1),
    "IDGP": (2.3, 2.3),
    "POP": (1.3, 1.2),
    "ABS-MAE": (1.0, 0.9),
    "ABS-GCE": (1.0, 0.9),
    "CC": (1.0, 1.0),
    "LOG": (1.1, 1.0),
    "EXP": (1.0, 0.9),
    "PC": (1.3, 1.4),
    "Forward": (1.1, 1.1),
    "NN": (1.0, 0.9),
    "GA": (1.0, 0.9),
    "MCL-GCE": (1.0, 1.0),
    "MCL-MSE": (1.1, 1.0),
    "SCL-EXP": (0.9, 0.9),
    "SCL-NL": (1.1, 1.2),
    "L-W": (0.9, 1.0),
    "OP-W": (0.9, 1.0),
    "CRDPLL": (1.4, 1.6),
    "FREDIS": (1.4, 1.5),
    "ce": (0.9, 0.9),
    "supervised-oracle": (0.9, 0.9),
}


def compared_with(name: str) -> str:
    """Whose time per update is 1."""
    return "CC" if "candidates" in ALGORITHMS[name].reads else "ce"
