"""How a network sees inputs of a kind: what recipes, views and hyper-parameters go by."""

from __future__ import annotations

from .nets import of_tokens, read_net

TOKENS, LANGUAGE = "tokens", "language"


def seen_as(kind: str, net: str | None) -> str:
    """``tokens`` where the network takes those of texts, ``language`` where it is a language model.

    Otherwise the kind itself: networks for tables see texts as counts of words.

    Args:
        kind: the kind of the inputs; see ``Labelled``.
        net: as somebody wrote it; None: none was.
    """
    if kind != "texts" or net is None or not of_tokens(net):
        return kind
    return TOKENS if read_net(net).folder is None else LANGUAGE
