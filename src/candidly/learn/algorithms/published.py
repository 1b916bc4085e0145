"""Published settings: with which network, recipe and hyper-parameters a method's numbers came.

A table of values by algorithm and data set. ``cifar10n`` and ``cifar100n`` stand for all label sets
of these pictures: one set of hyper-parameters each, as the noisy-label challenge asks for. Those of
NoisywikiHow go by kind and percentage of the noise, as ``noisywikihow-mix-40``. What cannot be
repeated here is said beside each.

Sources: the programs and papers named in each entry; "the CIFAR-N reproduction" is K. Vovk and
others, ReScience C 11(1), 2026 (KlemenVovk/noisy-labels), whose best test accuracies agree with the
published ones for most methods.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...ground.names import UnknownName, lookup, named
from ...ground.spec import halves
from ._published import REPRODUCTION, Published
from ._published_texts import LEVELS, TEXTS

DATASETS = ("cifar10n", "cifar100n", *LEVELS)  # what settings are published for


def _sgd(schedule: str, more: str = "") -> str:
    """SGD as in torch's programs: weight decay on all parameters, pictures cropped and mirrored."""
    return f"sgd:{schedule},decay=all,views=weak{more}"


def _steps(epochs: int, *at: int, more: str = "") -> str:
    """A tenth of the rate from each of these epochs on."""
    return _sgd("schedule=steps,at=" + "/".join(repr(one / epochs) for one in at) + more)


OWN_STEPS = "the schedule moves at every update, and not once an epoch"
ADAM = "Adam's first moment decays with 0.9 throughout, not with 0.1 from that epoch on"
FIRST = "the first network predicts, not the mean of both networks' logits"
RELEASED_CE = "the CIFAR-N benchmark's released program, as it is on its main branch"

_CE = Published("resnet34", _steps(100, 60), 100, 128, 0.1, 5e-4, source=RELEASED_CE)
_GCE = Published(
    *("resnet34", _steps(100, 60), 100, 128, 0.01, 5e-4, {"power": 0.7}),
    not_followed="rows are not left out of the loss from epoch 40 on",
)
_FORWARD_T = Published(
    *("resnet34", _steps(120, 40, 80, more=",cycles=2"), 240, 128, 0.1, 5e-4),
    {"warm_up": 0.5, "quantile": 1},
    not_followed="the matrix comes from the end of the warm-up, not from the epoch that was best on"
    " noisy validation rows",
)
_VOLMINNET = Published(
    *("resnet34", _steps(80, 30, 60), 80, 128, 0.01, 1e-4, {"lam": 1e-4}),
    not_followed="accuracy is that of p, where the reproduction took p T",
)
_POSITIVE = Published(
    *("resnet34", _steps(200, 100, 150, more=",nesterov=true"), 200, 128, 0.1, 1e-4),
    {"rate": 0.1},
    source="the program of Wei et al., ICML 2022, for symmetric noise of 20 %, as the reproduction"
    " has it",
    not_followed="what was set for human labels is not known to us",
)
_NEGATIVE = Published(
    *("resnet34", _steps(100, 60), 100, 128, 0.01, 5e-4, {"rate": -0.2, "warm_up": 0.02}),
    not_followed="the optimiser does not start afresh behind the warm-up",
)
_EMA = Published(
    *("resnet34", "sgd:schedule=constant,decay=all,views=weak", 100, 128, 0.4, 5e-4),
    {"decay": 0.998},
    source="the weight-averaging paper behind 86.71 % on cifar10n-worst",
    not_followed="network, epochs, batch size and weight decay are not known to us: those of ce",
)
LINEAR = "adam:schedule=linear,at=0.4,views=weak"  # to 0 from epoch 80 of 200 on
_CO_TEACHING = Published(
    *("resnet34", "adam:views=weak", 200, 128, 1e-3, 0.0),
    {"noise_rate": 0.2, "ramp": 10, "decay_from": 80},
    not_followed=f"{FIRST}; {ADAM}",
)
_CO_TEACHING_PLUS = Published(
    *("resnet34", LINEAR, 200, 128, 1e-3, 0.0),
    {"noise_rate": 0.2, "ramp": 10, "warm_up": 20},
    not_followed=f"{ADAM}; {OWN_STEPS}",
)
_JOCOR = Published(
    *("resnet34", LINEAR, 200, 128, 1e-3, 0.0),
    {"noise_rate": 0.2, "ramp": 10, "lam": 0.9},
    not_followed=f"{ADAM}; {OWN_STEPS}",
)
_ELR_TEN = Published(
    *("resnet34", _sgd("cycles=12,lowest=0.05"), 120, 128, 0.02, 1e-3, {"beta": 0.7, "lam": 3}),
    not_followed=OWN_STEPS,
)
_ELR_HUNDRED = Published(
    *("resnet34", _steps(150, 80, 120, more=",factor=0.01"), 150, 128, 0.02, 1e-3),
    {"beta": 0.9, "lam": 7},
)
_SOP_TEN = Published(
    *("resnet34", _steps(120, 40, 80), 120, 128, 0.02, 5e-4, {"lr_u": 10, "lr_v": 10})
)
_SOP_HUNDRED = Published(
    *("resnet34", _steps(150, 40, 80), 150, 128, 0.02, 5e-4, {"lr_u": 1, "lr_v": 10})
)


def _dividemix(warm_up: int) -> Published:
    return Published(
        *("preact-resnet18-dividemix", _steps(300, 150), 300, 64, 0.02, 5e-4),
        {"warm_up": warm_up, "lambda_u": 0},
        source=f"{REPRODUCTION}; the batch size is the original program's",
        not_followed="both networks learn at once, and an epoch is as long behind the warm-up as in"
        " it",
    )


OWN_RATE = _sgd("schedule=constant")  # of methods whose stages have the published rate


def _pes_semi(first: int, lambda_u: float) -> Published:
    return Published(
        *("resnet34", _sgd("lowest=0.05"), 305, 128, 0.02, 5e-4),
        {
            "first": first / 305,
            "refine": 5 / (305 - first),
            "refine_lr": 1e-4,
            "lambda_u": lambda_u,
            "cap": 3,
        },
        not_followed="the schedule is one of all updates; the program's is of the 300 epochs"
        " without the 5 that train the renewed head, which it then leaves as it is, as"
        " pes-semi:frozen",
    )


def _elr_plus(epochs: int, decay_at: int, beta: float, lam: float, lam_ramp: int) -> Published:
    return Published(
        *("preact-resnet18", _steps(epochs, decay_at), epochs, 128, 0.02, 5e-4),
        {
            "beta": beta,
            "lam": lam,
            "alpha": 1,
            "decay": 0.997,
            "ramp": 40_000,
            "lam_ramp": lam_ramp,
        },
        not_followed="both networks learn at once, on the same batches",
    )


def _sop_plus(lr_u: float) -> Published:
    return Published(
        *("preact-resnet18", _sgd("lowest=0.01", ",strong=autoaugment"), 300, 128, 0.02, 5e-4),
        {"lr_u": lr_u, "lr_v": 10, "consistency": 0.9, "balance": 0.1},
    )


def _cal(alpha_sieve: float) -> Published:
    return Published(
        *("resnet34", OWN_RATE, 165, 128, 0.1, 5e-4),
        {
            "alpha_sieve": alpha_sieve,
            "alpha": 1,
            "threshold": -8,
            "sieving": 65,
            "plain": 10,
            "growth": 30,
            "drop": 60,
        },
    )


def _promix(warm_up: int, tau: float, debias: float) -> Published:
    return Published(
        *("resnet18", _sgd("lowest=0.001"), 600, 256, 0.05, 5e-4),
        {
            "warm_up": warm_up,
            "rho_first": 0.5,
            "rho": 0.5,
            "ramp": 50,
            "tau": tau,
            "guess": 350 / 600,
            "debias": debias,
            "mean_momentum": 0.9999,
        },
        source="the program of its authors",
        not_followed="the strong view's three random operations are candidly's; both heads learn"
        " from the same mixtures; from epoch 100 on the program has no loss on the rows that are"
        " not chosen, as promix:released",
    )


_EPS_TEN = Published(
    *("cnn", _sgd("schedule=cosine"), 120, 128, 0.01, 1e-4, {"alpha": 0.01, "beta": 5, "m": 1e5}),
    source="the program of its authors, for symmetric noise on CIFAR-10",
    not_followed="its convolutional network is another one; gradients are not clipped at 5; what"
    " was set for human labels is not in the program",
)
_EPS_HUNDRED = Published(
    *("resnet34", _sgd("schedule=cosine"), 200, 128, 0.1, 1e-5),
    {"alpha": 0.03, "beta": 1, "m": 1e4},
    source="the program of its authors, for symmetric noise of 40 % on CIFAR-100",
    not_followed="gradients are not clipped at 5; what was set for human labels is not in the"
    " program",
)
_DISC = Published(
    *("resnet34", _steps(200, 80, 160, more=",momentum=0.0"), 200, 128, 0.1, 1e-3),
    {"warm_up": 15, "momentum": 0.99, "sigma": 0.5, "hard_weight": 1, "alpha": 5},
    not_followed="the strong view is candidly's",
)
_CORES2 = Published(
    *("resnet34", OWN_RATE, 100, 128, 0.1, 5e-4),
    {"beta": 2, "plain": 10, "growth": 30, "sieve": 30, "drop": 50},
)
_CORES_STAR = Published(
    *("resnet34", f"{OWN_RATE},strong=autoaugment", 1001, 128, 0.1, 5e-4),
    {"beta": 2, "consistency": 0.4, "sieving": 41},
    source="the program of its authors, for noise of 40 % that depends on instances",
    not_followed="its second phase is 1,600 epochs of the kept rows, which are as many rows as 960"
    " epochs of all; its rate there is 0.3, its batches have 320 kept rows and 160 others, and its"
    " momentum is Nesterov's",
)
_PEER = Published(
    *("resnet34", _sgd("schedule=constant,momentum=0.0"), 340, 128, 0.1, 1e-4),
    not_followed="the rate is divided by 1 + alpha, and not also by 10 every 40 epochs; there is no"
    " warm-up with cross-entropy alone but the 20 epochs with alpha 0",
)


PUBLISHED: Mapping[tuple[str, str], Published] = {
    ("ce", "cifar10n"): _CE,
    ("ce", "cifar100n"): _CE,
    ("gce", "cifar10n"): _GCE,
    ("gce", "cifar100n"): _GCE,
    ("label-smoothing", "cifar10n"): _POSITIVE,
    ("label-smoothing:negative", "cifar10n"): _NEGATIVE,
    ("label-smoothing:negative", "cifar100n"): _NEGATIVE,
    ("forward-t", "cifar10n"): _FORWARD_T,
    ("forward-t", "cifar100n"): _FORWARD_T,
    ("volminnet", "cifar10n"): _VOLMINNET,
    ("volminnet", "cifar100n"): Published(
        *(_VOLMINNET.net, _VOLMINNET.recipe, 80, 128, 0.01, 1e-4, {"lam": 1e-4}),
        not_followed=f"{_VOLMINNET.not_followed}; the matrix is moved by SGD, not by Adam",
    ),
    ("eps-softmax", "cifar10n"): _EPS_TEN,
    ("eps-softmax", "cifar100n"): _EPS_HUNDRED,
    ("peer:epochs", "cifar10n"): _PEER,
    ("peer:epochs", "cifar100n"): _PEER,
    ("cores2:epochs", "cifar10n"): _CORES2,
    ("cores2:epochs", "cifar100n"): _CORES2,
    ("cores*:epochs", "cifar10n"): _CORES_STAR,
    ("cal:epochs", "cifar10n"): _cal(2),
    ("cal:epochs", "cifar100n"): _cal(1),
    ("elr", "cifar10n"): _ELR_TEN,
    ("elr", "cifar100n"): _ELR_HUNDRED,
    ("elr+", "cifar10n"): _elr_plus(200, 150, 0.7, 3, 0),
    ("elr+:many-classes", "cifar100n"): _elr_plus(250, 200, 0.9, 7, 40_000),
    ("sop", "cifar10n"): _SOP_TEN,
    ("sop", "cifar100n"): _SOP_HUNDRED,
    ("sop+", "cifar10n"): _sop_plus(10),
    ("sop+", "cifar100n"): _sop_plus(1),
    ("co-teaching:epochs", "cifar10n"): _CO_TEACHING,
    ("co-teaching:epochs", "cifar100n"): Published(
        *("resnet34", "adam:views=weak", 200, 128, 1e-3, 0.0),
        {"noise_rate": 0.2, "ramp": 10, "decay_from": 100},
        not_followed=_CO_TEACHING.not_followed,
    ),
    ("co-teaching+", "cifar10n"): _CO_TEACHING_PLUS,
    ("co-teaching+", "cifar100n"): Published(
        *("resnet34", LINEAR, 200, 128, 1e-3, 0.0),
        {"noise_rate": 0.2, "ramp": 10, "warm_up": 5},
        not_followed=_CO_TEACHING_PLUS.not_followed,
    ),
    ("jocor", "cifar10n"): _JOCOR,
    ("dividemix:asymmetric", "cifar10n"): _dividemix(10),
    ("dividemix:asymmetric", "cifar100n"): _dividemix(30),
    ("promix", "cifar10n"): _promix(10, 0.99, 0.8),
    ("promix", "cifar100n"): _promix(30, 0.95, 0.5),
    ("disc", "cifar10n"): _DISC,
    ("disc", "cifar100n"): _DISC,
    ("pes-semi", "cifar10n"): _pes_semi(20, 5),
    ("pes-semi", "cifar100n"): _pes_semi(35, 75),
    ("sgd-ema", "cifar10n"): _EMA,
    ("sgd-ema", "cifar100n"): _EMA,
    **TEXTS,
}


def published(label: str, dataset: str) -> Published:
    """The published settings of an algorithm on a data set.

    Args:
        label: as a person writes the algorithm, ``elr`` or ``dividemix:asymmetric``.
        dataset: one of ``DATASETS``, or a label set of pictures, such as ``cifar10n-worst``.

    Raises:
        UnknownName (a KeyError): no such data set, or no settings of this algorithm on it; the
            message says of which there are.
    """
    known_sets = dict.fromkeys(DATASETS)
    base = named(dataset, "data set", DATASETS[0]).partition("-")[0]
    dataset = base if base in known_sets else dataset
    dataset, _ = lookup(known_sets, dataset, "data set with published settings")
    known = {name: one for (name, of), one in PUBLISHED.items() if of == dataset}
    if label in known:
        return known[label]
    same = [name for name in known if halves(name)[0] == halves(label)[0]]
    hint = f"; there are some of {' and '.join(same)}." if same else "."
    raise UnknownName(
        f"no published settings of {label} on {dataset} are known{hint} Choose from:"
        f" {', '.join(known)}."
    )


def of_algorithm(name: str) -> dict[tuple[str, str], Published]:
    """The published settings of an algorithm and its variants, by label and data set."""
    return {key: one for key, one in PUBLISHED.items() if halves(key[0])[0] == name}
