"""Any torch module as a network: each trial's forward is the module's, on that trial's numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call

from ...data.inputs.tokens import Words
from ._cost import Counted
from ._net import Buffer, Net, Part
from ._refusals import (
    Seen,
    attempted,
    check_alike,
    check_leaves,
    equal,
    evaluated,
    made,
    refuse,
    tensors,
    watched,
)
from ._state import One, State, each, of_one

ROWS = 2  # in the batch that a module is tried on in training: batch norm needs two
TRIED = 12  # tokens of the longest text that a module is tried on
SEED = 0  # of the trial's inputs, of the numbers that the module starts from, and what it draws


def from_torch(
    make: Callable[[], nn.Module],
    shape: tuple[int, ...],
    classes: int,
    head: str | None = None,
    words: Words | None = None,
) -> Net:
    """The network of a torch module, each trial of which trains as the module would alone.

    The module is tried on a few random inputs; torch's generator is left as it was. What needs no
    gradient, buffers and frozen parameters, belongs to a trial like its parameters. A module whose
    attribute ``late`` is the dotted name of one of its parts, such as ``"layer4"``, has a part
    ``late``: the parameters from there on, and the head's.

    Args:
        make: () -> a new module at every call, float32 and on the CPU, whose random numbers are
            torch's. Its forward takes inputs (B, *shape) and returns logits (B, classes).
        shape: the shape of one input, ``(d,)`` or ``(C, H, W)``, or ``(L,)`` for texts of up to L
            tokens.
        head: dotted name of the part with which the forward ends, and which makes logits of
            features (B, width). By default the linear layer whose output the forward returns.
        words: the module takes texts: int64 (B, L) of token numbers, 0 behind each text's end. It
            never sees columns that are 0 in every row. Where it has the attribute ``embeds``, its
            ``forward(x, embed=True)`` gives ``Net.embed``, and it takes that in place of tokens.

    Raises:
        ValueError: the module cannot be carried; the message says why, and what to do.
    """
    shape = tuple(shape)
    with torch.random.fork_rng([]), torch.enable_grad():
        whole, cut = made(make, SEED), made(make, SEED)
        check_alike(whole, cut, same=True)
        torch.default_generator.manual_seed(SEED)
        x = _tried(shape, words)
        names = _names(whole)
        start = {name: tensor.detach().clone() for name, tensor in tensors(whole)}
        seen = watched(whole, start, x, classes, SEED)
        trunk, last = _parts(cut, names, _head(whole, seen, head))
        width, macs = _checked(whole, trunk, last, names, start, x, seen)
        embed = _embedded(whole, trunk, names, start, x) if _embeds(whole) else None
        _empty(whole)
    of_head = set(last.parameters.values())
    order = sorted(names.parameters, key=lambda name: name in of_head)  # the trunk's first
    shapes = {name: tuple(start[name].shape) for name in order}
    longer = max(1, round(shape[0] / x.shape[1])) if words is not None else 1
    parts = {
        "trunk": tuple(name for name in order if name not in of_head),
        "head": tuple(name for name in order if name in of_head),
        "late": _late(whole, order),
    }

    def init(rng: np.random.Generator) -> Mapping[str, np.ndarray]:
        module = made(make, int(rng.integers(2**63)))
        check_alike(whole, module, same=False)
        values = dict(tensors(module))
        return {name: values[name].detach().numpy() for name in (*order, *names.buffers)}

    return Net(
        shape=shape,
        width=width,
        shapes=shapes,
        init=init,
        trunk=each(trunk if words is None else _of_texts(trunk), width),
        heads={"head": each(last, classes)},
        parts={part: inside for part, inside in parts.items() if inside},
        buffers={
            name: Buffer(tuple(start[name].shape), start[name].dtype) for name in names.buffers
        },
        plain=tuple(name for name in order if len(shapes[name]) <= 1),
        random=seen.drew,
        macs=macs * longer,
        bytes=seen.bytes // ROWS * longer,
        together=False,
        words=words,
        embed=embed,
    )


def _tried(shape: tuple[int, ...], words: Words | None) -> Tensor:
    """Random inputs: of texts token numbers, the second text shorter than the first."""
    if words is None:
        return torch.randn(ROWS, *shape)
    x = torch.randint(1, words.size + 1, (ROWS, min(TRIED, shape[0])))
    if x.shape[1] > 1:
        x[1:, -1] = 0
    return x


def _of_texts(call: Callable[[One, Tensor], Tensor]) -> Callable[[One, Tensor], Tensor]:
    """Without the columns that are padding in every text of this trial, whatever others have."""

    def shorter(one: One, x: Tensor) -> Tensor:
        inside = ((x[..., -1] if x.is_floating_point() else x) > 0).any(0)
        length = int(inside.nonzero()[-1]) + 1 if inside.any() else 1
        return call(one, x[:, :length])

    return shorter


def _embeds(module: nn.Module) -> bool:
    return bool(getattr(module, "embeds", False))


def _embedded(
    whole: nn.Module, trunk: Piece, names: _Names, start: Mapping[str, Tensor], x: Tensor
) -> Part:
    """The part that gives embeddings, which the trunk has to take in place of tokens."""

    def call(one: One, x: Tensor) -> Tensor:
        return trunk(one, x, embed=True)

    one = One(
        {name: start[name].detach() for name in names.parameters},
        {name: start[name].clone() for name in names.buffers},
        training=False,
        moves=False,
    )
    with torch.no_grad():
        found = attempted(whole, "forward(x, embed=True)", lambda: call(one, x))
        if found.dim() != 3 or found.shape[:2] != x.shape:
            refuse(
                whole,
                f"forward(x, embed=True) gives {tuple(found.shape)} of tokens {tuple(x.shape)}; it "
                "has to be (B, L, e + 1), a 1 in the last place of each token.",
            )
        if not equal(found[..., -1], (x > 0).to(found.dtype)):
            refuse(whole, "the last place of forward(x, embed=True) is not 1 where a token is.")
        again = attempted(whole, "its forward of embeddings", lambda: trunk(one, found))
        direct = attempted(whole, "its forward", lambda: trunk(one, x))
    if not torch.allclose(again, direct, rtol=1e-4, atol=1e-5):
        refuse(whole, "its forward of embeddings is not that of the tokens they are of.")
    size = found.shape[2]

    def embed(state: State, tokens: Tensor) -> Tensor:
        outs = []
        for one, rows in zip(state.trials(), tokens, strict=True):
            none = torch.zeros((*rows.shape, size), dtype=state.dtype, device=rows.device)
            outs.append(none if one is None else of_one(call, one, rows))
        return torch.stack(outs)

    return embed


def _late(module: nn.Module, order: Sequence[str]) -> tuple[str, ...]:
    """The parameters from the part on that the module's ``late`` names; none without it."""
    late = getattr(module, "late", None)
    if not isinstance(late, str):
        return ()
    inside = [place for place, name in enumerate(order) if name.startswith(f"{late}.")]
    if not inside:
        refuse(module, f"late={late!r} is no part of it with parameters; name one that has some.")
    return tuple(order[inside[0] :])


@dataclass(frozen=True)
class _Names:
    """What a module's tensors are called; one with several names, by the first.

    Attributes:
        first: by every name, the first of the same tensor.
        parameters: what is trained.
        buffers: everything else.
    """

    first: Mapping[str, str]
    parameters: tuple[str, ...]
    buffers: tuple[str, ...]


def _names(module: nn.Module) -> _Names:
    by_tensor: dict[int, str] = {}
    first = {name: by_tensor.setdefault(id(tensor), name) for name, tensor in tensors(module)}
    trained = {name for name, tensor in module.named_parameters() if tensor.requires_grad}
    own = list(dict.fromkeys(first.values()))
    return _Names(
        first,
        tuple(name for name in own if name in trained),
        tuple(name for name in own if name not in trained),
    )


@dataclass(frozen=True)
class Piece:
    """A part of a module, computed on numbers that a trial gives it.

    Attributes:
        parameters, buffers: by the names that the part's have in it, those of the trial.
    """

    module: nn.Module
    parameters: Mapping[str, str]
    buffers: Mapping[str, str]

    def __call__(self, one: One, x: Tensor, **how: bool) -> Tensor:
        """Of inputs (B, ...); buffers are written where they lie."""
        if self.module.training != one.training:
            self.module.train(one.training)
        given = {name: one.parameters[own] for name, own in self.parameters.items()}
        given |= {name: one.buffers[own] for name, own in self.buffers.items()}
        out = functional_call(self.module, given, (x,), how, tie_weights=False)
        for name, own in self.buffers.items():
            if given[name] is not one.buffers[own]:  # the forward put another tensor there
                one.buffers[own].copy_(given[name].detach())
        return out


def _head(module: nn.Module, seen: Seen, asked: str | None) -> str:
    """The name of a module's head, or a refusal."""
    name = seen.last if asked is None else asked
    if name is None:
        refuse(
            module,
            "its forward does not return what a linear layer makes; name the part with which it "
            "ends, such as head='fc'.",
        )
    parts = dict(module.named_modules(remove_duplicate=False))
    if name not in parts:
        known = ", ".join(part for part, _ in module.named_children()) or "none"
        refuse(module, f"it has no part head={name!r}; its own parts: {known}.")
    if seen.calls.get(name, 0) != 1 or sum(part is parts[name] for part in parts.values()) > 1:
        refuse(module, f"its head {name!r} is used elsewhere, too; use it once, at the end.")
    return name


def _parts(module: nn.Module, names: _Names, head: str) -> tuple[Piece, Piece]:
    """Trunk and head of a module, which is cut in two and loses its numbers."""
    inside = f"{head}." if head else ""
    of_head = {name for name in names.first if name.startswith(inside)}
    shared = {names.first[name] for name in of_head} & {
        names.first[name] for name in names.first.keys() - of_head
    }
    if shared:
        refuse(module, f"its head {head!r} shares {min(shared)} with what is before it.")
    _empty(module)
    last, trunk = module.get_submodule(head), module
    if head:
        above, _, own = head.rpartition(".")
        setattr(module.get_submodule(above), own, nn.Identity())
    else:
        trunk = nn.Identity()

    def part(of: nn.Module, mine: set[str], cut: int) -> Piece:
        first = {name: names.first[name] for name in names.first if name in mine}
        return Piece(
            of,
            {name[cut:]: own for name, own in first.items() if own in names.parameters},
            {name[cut:]: own for name, own in first.items() if own in names.buffers},
        )

    return part(trunk, names.first.keys() - of_head, 0), part(last, of_head, len(inside))


def _empty(module: nn.Module) -> None:
    """Free a module's numbers; who still uses them makes NaN, and is found out by that."""
    for _, tensor in tensors(module):
        nothing = torch.nan if tensor.is_floating_point() else 0
        tensor.data = torch.full((), nothing, dtype=tensor.dtype).expand(tensor.shape)


def _checked(
    whole: nn.Module,
    trunk: Piece,
    head: Piece,
    names: _Names,
    start: Mapping[str, Tensor],
    x: Tensor,
    seen: Seen,
) -> tuple[int, int]:
    """Features of an input, and multiply-adds of its forward pass.

    Trunk and head, one after the other, have to be the whole module to the last bit.
    """

    def run(x: Tensor, training: bool, values: Mapping[str, Tensor]) -> tuple[One, Tensor, Tensor]:
        one = One(
            {name: values[name].detach().requires_grad_() for name in names.parameters},
            {name: values[name].clone() for name in names.buffers},
            training,
            moves=training,
        )
        torch.default_generator.manual_seed(SEED)
        features = attempted(whole, "without its head, its forward", lambda: trunk(one, x))
        if not isinstance(features, Tensor) or features.dim() != 2 or len(features) != len(x):
            of = tuple(features.shape) if isinstance(features, Tensor) else type(features).__name__
            refuse(
                whole,
                f"of {len(x)} inputs its head is given {of}, not features ({len(x)}, width); name "
                "another part by head=, or flatten before it.",
            )
        before = features.detach().clone()
        logits = attempted(whole, "its head", lambda: head(one, features))
        if not equal(features.detach(), before):
            refuse(whole, "its head writes into its inputs; leave out inplace=True there.")
        return one, features, logits.detach() if not training else logits

    one, features, logits = run(x, True, start)
    check_leaves(whole, logits, one.parameters)
    with Counted() as counted:
        again, _, others = run(x, True, start)
    if not equal(logits, others) or not _same(one.buffers, again.buffers):
        refuse(
            whole,
            "two training forwards of one batch differ where parameters, buffers and random "
            "numbers do not; keep what changes in buffers, and draw by torch.",
        )
    moved = {name: one.buffers[name] for name in names.buffers if name in seen.buffers}
    alike = equal(logits.detach(), seen.logits) and _same(moved, seen.buffers)
    if alike:
        with torch.no_grad():
            expected = evaluated(whole, x[:1], seen.logits.shape[1])
            alike = equal(run(x[:1], False, {**start, **seen.buffers})[2], expected)
    if not alike:
        refuse(
            whole,
            "what comes before its head, and then its head, do not make what its forward makes; "
            "name by head= the part with which the forward ends.",
        )
    return features.shape[1], counted.macs // len(x)


def _same(some: Mapping[str, Tensor], others: Mapping[str, Tensor]) -> bool:
    return all(equal(tensor, others[name]) for name, tensor in some.items())
