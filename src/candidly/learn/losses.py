"""Losses that remember nothing, for a training loop of your own: functions of logits and labels.

They are what the methods of the same name train with, the very functions: scores before the
softmax, then labels, then what the method has as hyper-parameters, as numbers (``m`` of
``eps_softmax`` and ``tau`` of ``norm_ce`` as tensors). Labels are candidate sets, bool (..., q)
with a True in every row, or classes, int (...) in 0..q-1. An answer is a number per example, or one
for the batch where wrong labels are counted over all of it; each function says which, with its
range. ``candidly algorithms show NAME`` has the paper and the default of each hyper-parameter.

>>> import torch
>>> from candidly import losses
>>> logits = torch.tensor([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])
>>> sets = torch.tensor([[True, False, True], [False, True, False]])
>>> losses.cc(logits, sets)
tensor([0.0949, 0.0949])
>>> losses.gce(logits, torch.tensor([0, 1]), power=0.7).mean()
tensor(0.2572)
"""

from .algorithms.abs_gce import loss as abs_gce
from .algorithms.abs_mae import loss as abs_mae
from .algorithms.agce import loss as agce
from .algorithms.apl import loss_mae as nce_mae
from .algorithms.apl import loss_rce as nce_rce
from .algorithms.cc import loss as cc
from .algorithms.ce import loss as ce
from .algorithms.eps_softmax import loss as eps_softmax
from .algorithms.exp import loss as exp
from .algorithms.focal import loss as focal
from .algorithms.forward import loss as forward
from .algorithms.gce import loss as gce
from .algorithms.l_w import loss as l_w
from .algorithms.label_smoothing import loss as label_smoothing
from .algorithms.log import loss as log
from .algorithms.mae import loss as mae
from .algorithms.mcl import loss_gce as mcl_gce
from .algorithms.mcl import loss_mse as mcl_mse
from .algorithms.norm_ce import loss as norm_ce
from .algorithms.op_w import loss as op_w
from .algorithms.pc import loss as pc
from .algorithms.sce import loss as sce
from .algorithms.scl_exp import loss as scl_exp
from .algorithms.scl_nl import loss as scl_nl

__all__ = [
    "abs_gce",
    "abs_mae",
    "agce",
    "cc",
    "ce",
    "eps_softmax",
    "exp",
    "focal",
    "forward",
    "gce",
    "l_w",
    "label_smoothing",
    "log",
    "mae",
    "mcl_gce",
    "mcl_mse",
    "nce_mae",
    "nce_rce",
    "norm_ce",
    "op_w",
    "pc",
    "sce",
    "scl_exp",
    "scl_nl",
]
