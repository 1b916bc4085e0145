"""How many bits an encoder calculates with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ...ground.names import lookup

if TYPE_CHECKING:
    import torch

Precision = Literal["float32", "bf16"]
PRECISIONS: dict[Precision, str] = {  # and what its vectors are kept under, besides the encoder
    "float32": "",
    "bf16": "-bf16",
}


def check_precision(precision: str) -> Precision:
    """The precision, by its own spelling.

    Raises:
        UnknownName (a KeyError), ValueError: there is none of that name; says which there are.
    """
    return lookup(PRECISIONS, precision, "precision")[0]  # type: ignore[arg-type,return-value]


def calculated_in(precision: Precision, device: str) -> torch.autocast:
    """In this context products are of numbers of so many bits; sums stay float32."""
    import torch

    kind = torch.device(device).type
    return torch.autocast(kind, torch.bfloat16, enabled=precision == "bf16")
