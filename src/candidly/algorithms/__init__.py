"""How to learn from imperfect labels: the table of algorithms, one page each."""

from __future__ import annotations

from .._names import UnknownName, lookup, nearest
from ._algorithm import Algorithm, Own, Row, Stage
from ._space import configuration
from ._views import View
from .abs_gce import ABS_GCE
from .abs_mae import ABS_MAE
from .cavl import CAVL
from .cc import CC
from .ce import CE, SUPERVISED_ORACLE
from .cnlcu import CNLCU_HARD, CNLCU_SOFT
from .co_teaching import CO_TEACHING
from .co_teaching_plus import CO_TEACHING_PLUS
from .crdpll import CRDPLL
from .data_parameters import DATA_PARAMETERS
from .dividemix import DIVIDEMIX
from .elr import ELR
from .exp import EXP
from .forward import FORWARD
from .fredis import FREDIS
from .ga import GA
from .idgp import IDGP
from .jocor import JOCOR
from .l_w import L_W
from .log import LOG
from .lws import LWS
from .mcl import MCL_GCE, MCL_MSE
from .nn import NN
from .op_w import OP_W
from .pc import PC
from .pop import POP
from .proden import PRODEN
from .rc import RC
from .scl_exp import SCL_EXP
from .scl_nl import SCL_NL
from .sop import SOP
from .valen import VALEN

# in the order of the documentation and of a list: families, and by year within one
_IDENTIFICATION = (PRODEN, RC, LWS, VALEN, CAVL, IDGP, POP)
_AVERAGE = (ABS_MAE, ABS_GCE)
_SET_LIKELIHOOD = (CC, LOG, EXP)
_COMPLEMENTARY = (PC, FORWARD, NN, GA, MCL_GCE, MCL_MSE, SCL_EXP, SCL_NL, L_W, OP_W)
_ROW_BY_ROW = (DATA_PARAMETERS, ELR, SOP)
_SMALL_LOSSES = (CO_TEACHING, CO_TEACHING_PLUS, JOCOR, DIVIDEMIX, CNLCU_SOFT, CNLCU_HARD)
_PAGES = (
    *_IDENTIFICATION,
    *_AVERAGE,
    *_SET_LIKELIHOOD,
    *_COMPLEMENTARY,
    CRDPLL,
    FREDIS,
    CE,
    *_ROW_BY_ROW,
    *_SMALL_LOSSES,
    SUPERVISED_ORACLE,
)

ALGORITHMS: dict[str, Algorithm] = {page.name: page for page in _PAGES}
if len(ALGORITHMS) != len(_PAGES):
    raise RuntimeError("two algorithms share a name")

VARIANTS = ("fixed", "plench")  # every algorithm answers to these, whether they differ or not


def algorithm(name: str, variant: str = "fixed") -> Algorithm:
    """The algorithm a person names: ``"CAVL"``, or ``"CAVL:plench"`` for one of its variants.

    Args:
        name: a name of the table, in any case, with a variant after a colon if it is to overrule
            ``variant``.
        variant: ``fixed`` or ``plench``. Where the page has no ``plench``, both compute the same.

    Raises:
        UnknownName: no such algorithm or variant; suggests the nearest.
    """
    base, _, own = name.partition(":")
    _, page = lookup(ALGORITHMS, base, "algorithm")
    wanted = own or variant
    known = list(dict.fromkeys((*VARIANTS, *page.variants)))
    if wanted not in known:
        raise UnknownName(
            f"{page.name} has no variant {wanted!r}{nearest(wanted, known)} "
            f"Choose from: {', '.join(known)}."
        )
    return page.as_variant(wanted)


__all__ = [
    "ALGORITHMS",
    "VARIANTS",
    "Algorithm",
    "Own",
    "Row",
    "Stage",
    "View",
    "algorithm",
    "configuration",
]
