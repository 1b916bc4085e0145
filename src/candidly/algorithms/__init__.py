"""How to learn from imperfect labels: the table of algorithms, one page each."""

from __future__ import annotations

from .._names import UnknownName, lookup, nearest
from ._algorithm import Algorithm, Stage
from ._space import configuration
from .abs_gce import ABS_GCE
from .cavl import CAVL
from .cc import CC
from .ce import CE, SUPERVISED_ORACLE
from .forward import FORWARD
from .lws import LWS
from .proden import PRODEN

_PAGES = (PRODEN, CC, LWS, CAVL, ABS_GCE, FORWARD, CE, SUPERVISED_ORACLE)

ALGORITHMS: dict[str, Algorithm] = {page.name: page for page in _PAGES}
if len(ALGORITHMS) != len(_PAGES):
    raise RuntimeError("two algorithms share a name")

VARIANTS = ("fixed", "plench")  # every algorithm answers to these, whether they differ or not


def algorithm(name: str, variant: str = "fixed") -> Algorithm:
    """The algorithm a person names: ``"CAVL"``, or ``"CAVL:plench"`` for one of its variants.

    Args:
        name: a name of the table, in any case, with a variant after a colon if it is to overrule
            ``variant``.
        variant: ``fixed`` or ``plench``. Where ``plench`` does not differ, it is ``fixed``.

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


__all__ = ["ALGORITHMS", "VARIANTS", "Algorithm", "Stage", "algorithm", "configuration"]
