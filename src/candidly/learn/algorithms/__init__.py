"""How to learn from imperfect labels: the table of algorithms, a file for each."""

from __future__ import annotations

from ...ground.spec import read, word
from ._algorithm import Algorithm, Own, Row, Slots, Stage, Updates, epochs, pure
from ._protocol import Batch, OneTrial, Trials
from ._rates import Rate, schedule
from ._space import Setting, common, configuration, one_of, power_of_ten
from ._tensors import cross_entropy, masked_softmax, spread, uniform_over
from ._views import View
from .able import ABLE
from .abs_gce import ABS_GCE
from .abs_mae import ABS_MAE
from .agce import AGCE
from .alim import ALIM
from .annotator_t import ANNOTATOR_T
from .apl import NCE_MAE, NCE_RCE
from .backward_t import BACKWARD_T
from .bbn import BBN
from .cal import CAL
from .cavl import CAVL
from .cc import CC
from .ce import CE, SUPERVISED_ORACLE
from .cnlcu import CNLCU_HARD, CNLCU_SOFT
from .co_teaching import CO_TEACHING
from .co_teaching_plus import CO_TEACHING_PLUS
from .conal import CONAL
from .cores2 import CORES2
from .cores_star import CORES_STAR
from .crdpll import CRDPLL
from .crowd_layer import CROWD_LAYER
from .data_parameters import DATA_PARAMETERS
from .decoupling_crt import DECOUPLING_CRT
from .decoupling_lws import DECOUPLING_LWS
from .decoupling_ncm import DECOUPLING_NCM
from .dirk import DIRK
from .disc import DISC
from .dividemix import DIVIDEMIX
from .elr import ELR
from .elr_plus import ELR_PLUS
from .eps_softmax import EPS_SOFTMAX
from .exp import EXP
from .f_div import F_DIV
from .focal import FOCAL
from .forward import FORWARD
from .forward_t import FORWARD_T
from .fredis import FREDIS
from .ga import GA
from .gce import GCE
from .idgp import IDGP
from .jocor import JOCOR
from .l_w import L_W
from .label_smoothing import LABEL_SMOOTHING
from .ldam import LDAM
from .log import LOG
from .lws import LWS
from .mae import MAE
from .mcl import MCL_GCE, MCL_MSE
from .mixup import MIXUP
from .nn import NN
from .norm_ce import NORM_CE
from .op_w import OP_W
from .pc import PC
from .peer import PEER
from .pes import PES
from .pes_semi import PES_SEMI
from .pico import PICO
from .pico_plus import PICO_PLUS
from .pop import POP
from .proden import PRODEN
from .promix import PROMIX
from .published import PUBLISHED, Published, published
from .rc import RC
from .records import RECORDS
from .sce import SCE
from .scl_exp import SCL_EXP
from .scl_nl import SCL_NL
from .seal import SEAL
from .sgd_ema import SGD_EMA
from .soft_ce import SOFT_CE
from .solar import SOLAR
from .sop import SOP
from .sop_plus import SOP_PLUS
from .sr import SR
from .t_revision import T_REVISION
from .valen import VALEN
from .volminnet import VOLMINNET

# in the order of the documentation and of a list: families, and by year within one
_IDENTIFICATION = (PRODEN, RC, LWS, VALEN, CAVL, IDGP, POP)
_AVERAGE = (ABS_MAE, ABS_GCE)
_SET_LIKELIHOOD = (CC, LOG, EXP)
_COMPLEMENTARY = (PC, FORWARD, NN, GA, MCL_GCE, MCL_MSE, SCL_EXP, SCL_NL, L_W, OP_W)
_CONTRASTIVE = (PICO, ABLE, DIRK)
_NOISY_SETS = (FREDIS, ALIM, PICO_PLUS)
_ROBUST_LOSSES = (
    *(MAE, GCE, SCE, NCE_RCE, NCE_MAE, AGCE, FOCAL, LABEL_SMOOTHING, NORM_CE, SR),
    EPS_SOFTMAX,
)
_TRANSITIONS = (FORWARD_T, BACKWARD_T, T_REVISION, VOLMINNET)
_PEERS = (PEER, F_DIV, CORES2, CORES_STAR, CAL)
_ROW_BY_ROW = (DATA_PARAMETERS, ELR, ELR_PLUS, SOP, SOP_PLUS)
_SMALL_LOSSES = (
    CO_TEACHING,
    CO_TEACHING_PLUS,
    JOCOR,
    DIVIDEMIX,
    CNLCU_SOFT,
    CNLCU_HARD,
    PROMIX,
    DISC,
)
_IN_STAGES = (SGD_EMA, SEAL, PES, PES_SEMI)
_LONG_TAIL = (LDAM, BBN, DECOUPLING_NCM, DECOUPLING_CRT, DECOUPLING_LWS)
_ANNOTATORS = (SOFT_CE, CROWD_LAYER, CONAL, ANNOTATOR_T)
_METHODS = (
    *_IDENTIFICATION,
    *_AVERAGE,
    *_SET_LIKELIHOOD,
    *_COMPLEMENTARY,
    CRDPLL,
    *_CONTRASTIVE,
    *_NOISY_SETS,
    RECORDS,
    SOLAR,
    CE,
    *_ROBUST_LOSSES,
    MIXUP,
    *_TRANSITIONS,
    *_PEERS,
    *_ROW_BY_ROW,
    *_SMALL_LOSSES,
    *_IN_STAGES,
    *_LONG_TAIL,
    *_ANNOTATORS,
    SUPERVISED_ORACLE,
)

ALGORITHMS: dict[str, Algorithm] = {method.name: method for method in _METHODS}
if len(ALGORITHMS) != len(_METHODS):
    raise RuntimeError("two algorithms share a name")

VARIANTS = ("fixed", "plench")  # every algorithm answers to these, whether they differ or not


def algorithm(name: str, variant: str = "fixed") -> Algorithm:
    """The algorithm a person names: ``"CAVL"``, or ``"CAVL:plench"`` for one of its variants.

    Args:
        name: a name of the table, in any case, with a variant after a colon if it is to overrule
            ``variant``.
        variant: ``fixed`` or ``plench``. Where the method has no ``plench``, both compute the same.

    Raises:
        UnknownName: no such algorithm or variant; suggests the nearest.
        ValueError: no string.
    """
    asked = read(name, "algorithm", "PRODEN")
    base, method = asked.lookup(ALGORITHMS, "algorithm")
    known = word(*dict.fromkeys((*VARIANTS, *method.variants)))
    if asked.behind is None:
        return method.as_variant(known(variant, f"variant of {base}"))
    return method.as_variant(asked.argument(f"{base}:{VARIANTS[-1]}", known, "variant"))


__all__ = [
    "ALGORITHMS",
    "PUBLISHED",
    "VARIANTS",
    "Algorithm",
    "Batch",
    "OneTrial",
    "Own",
    "Published",
    "Rate",
    "Row",
    "Setting",
    "Slots",
    "Stage",
    "Trials",
    "Updates",
    "View",
    "algorithm",
    "common",
    "configuration",
    "cross_entropy",
    "epochs",
    "masked_softmax",
    "one_of",
    "power_of_ten",
    "published",
    "pure",
    "schedule",
    "spread",
    "uniform_over",
]
