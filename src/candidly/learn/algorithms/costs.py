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
    "PiCO": (14.9, 9.1),
    "ABLE": (7.8, 3.6),
    "DIRK": (17.2, 8.3),
    "ALIM": (16.7, 10.1),
    "PiCO+": (18.6, 12.0),
    "FREDIS": (1.4, 1.5),
    "ce": (1.0, 1.0),
    "mae": (1.0, 1.0),
    "gce": (1.0, 1.0),
    "sce": (1.1, 1.1),
    "nce+rce": (1.1, 1.1),
    "nce+mae": (1.1, 1.1),
    "agce": (1.0, 1.0),
    "focal": (1.1, 1.1),
    "label-smoothing": (1.0, 1.1),
    "norm-ce": (1.1, 1.1),
    "sr": (1.1, 1.2),
    "eps-softmax": (1.0, 1.3),
    "mixup": (1.2, 1.3),
    "forward-t": (1.0, 1.1),
    "backward-t": (1.0, 1.0),
    "t-revision": (1.1, 1.1),
    "volminnet": (1.3, 2.3),
    "peer": (2.1, 2.1),
    "f-div": (2.1, 2.0),
    "cores2": (1.1, 1.1),
    "cores*": (2.2, 2.2),
    "cal": (1.2, 1.2),
    "data-parameters": (1.1, 1.2),
    "elr": (1.2, 1.3),
    "elr+": (2.6, 2.7),
    "sop": (1.3, 1.6),
    "sop+": (1.8, 1.8),
    "co-teaching": (2.0, 1.8),
    "co-teaching+": (2.0, 2.0),
    "jocor": (2.1, 2.0),
    "dividemix": (12.0, 9.5),
    "promix": (7.6, 10.4),
    "cnlcu-soft": (2.1, 2.1),
    "cnlcu-hard": (2.3, 2.1),
    "disc": (3.9, 4.0),
    "sgd-ema": (1.3, 1.4),
    "seal": (1.2, 1.0),
    "pes": (2.1, 1.0),
    "pes-semi": (4.0, 2.5),
    "ldam": (1.6, 1.8),
    "bbn": (7.7, 3.7),
    "decoupling-ncm": (1.4, 1.0),
    "decoupling-crt": (1.0, 1.0),
    "decoupling-lws": (1.1, 1.1),
    "supervised-oracle": (1.0, 1.0),
    "RECORDS": (1.1, 0.9),
    "SoLar": (14.0, 13.9),
    "soft-ce": (1.0, 1.0),
    "crowd-layer": (1.5, 3.4),
    "conal": (3.0, 4.9),
    "annotator-t": (1.4, 2.6),
}


def compared_with(name: str) -> str:
    """Whose time per update is 1."""
    return "CC" if "candidates" in ALGORITHMS[name].reads else "ce"


# The same on pictures, where passes through the network are nearly all of an update: counted, not
# measured, as a forward pass 1 and a backward pass 2, of CC's 3. What is not here takes
# ``Algorithm.cost`` times as long: networks times batches of an update.
PICTURES = {
    "PRODEN": 1.33,
    "RC": 1.33,
    "LWS": 1.33,
    "VALEN": 2.0,
    "CAVL": 1.33,
    "POP": 1.33,
    "CRDPLL": 2.67,
    "FREDIS": 1.33,
    "PiCO": 1.33,
    "ABLE": 2.0,
    "DIRK": 2.67,
    "ALIM": 2.33,
    "PiCO+": 2.33,
    "peer": 2.0,
    "f-div": 2.0,
    "elr+": 2.67,
    "sop+": 2.0,
    "dividemix": 12.67,
    "promix": 8.67,
    "disc": 4.0,
    "cores*": 2.33,
    "seal": 1.33,
    "pes": 1.67,
    "pes-semi": 3.33,
    "decoupling-ncm": 1.33,
    "conal": 2.0,
    "SoLar": 3.33,
}


def is_measured(name: str) -> bool:
    """Whether ``cost_of`` says what was found out; of an algorithm of your own nobody has."""
    return name in COSTS


def cost_of(name: str, pictures: bool) -> float:
    """Time per update as a multiple of ``compared_with(name)``'s, on pictures or on large tables.

    An algorithm of your own counts as many times as it has networks times batches of an update,
    which is a guess.
    """
    counted = float(ALGORITHMS[name].cost)
    return PICTURES.get(name, counted) if pictures else COSTS.get(name, (counted, counted))[-1]
