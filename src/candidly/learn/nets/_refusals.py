"""Why a torch module cannot be carried: what a few small forwards of it show, in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from ...ground.problem import said_of

OWN = frozenset(vars(nn.Module()))  # attributes that torch itself gives a module


def refuse(module: nn.Module, why: str) -> NoReturn:
    raise ValueError(f"{type(module).__name__} cannot be trained here: {why}")


def needs_pictures(name: str, shape: tuple[int, ...], smallest: int) -> None:
    """Raises ValueError unless ``shape`` is (C, H, W) with H, W >= ``smallest``."""
    if len(shape) != 3 or min(shape[1:]) < smallest:
        raise ValueError(
            f"{name} takes pictures (C, H, W) of at least {smallest} x {smallest}, and these inputs"
            f" are {tuple(shape)}; choose another network, such as mlp."
        )


def made(make: Callable[[], nn.Module], seed: int) -> nn.Module:
    """What ``make()`` returns with torch's generator seeded, which is then left as it was.

    Raises:
        ValueError: it fails, or returns no module whose numbers are there, on the CPU, float32.
    """
    with torch.random.fork_rng([]):
        torch.default_generator.manual_seed(seed)
        try:
            module = make()
        except Exception as error:
            if isinstance(error, MemoryError) or "allocate memory" in str(error):
                raise ValueError(
                    "the network needs more memory than there is. Take a smaller network."
                ) from error
            raise ValueError(
                f"make() failed: {said_of(error)}; it has to return a module."
            ) from error
        if torch.default_generator.initial_seed() != seed:
            raise ValueError("make() seeds torch; trials have seeds of their own, so leave it out.")
    if not isinstance(module, nn.Module):
        raise ValueError(f"make() returned a {type(module).__name__}; return a torch.nn.Module.")
    if isinstance(module, torch.jit.ScriptModule):
        refuse(module, "it is compiled; return the module that it was made of.")
    for name, tensor in tensors(module):
        if is_lazy(tensor):
            refuse(module, f"{name} is made at the first forward; give its layer the input size.")
        if isinstance(tensor, nn.Parameter) and tensor.dtype != torch.float32:
            refuse(module, f"its parameter {name} is {tensor.dtype}; make it torch.float32.")
        if tensor.dtype in (torch.bfloat16, torch.complex32):
            refuse(module, f"its buffer {name} is {tensor.dtype}; make it torch.float32.")
        if tensor.device.type != "cpu":
            refuse(module, f"{name} is on {tensor.device}; make() has to put it on the CPU.")
    return module


def tensors(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Parameters, then buffers, by every name that they have."""
    yield from module.named_parameters(remove_duplicate=False)
    yield from module.named_buffers(remove_duplicate=False)


def check_alike(first: nn.Module, second: nn.Module, same: bool) -> None:
    """Refuse what two calls of ``make`` returned, unless they made one network twice.

    Args:
        same: the numbers that they start from have to be the same, too.
    """
    one, other = dict(tensors(first)), dict(tensors(second))
    own = {_place(t) for t in one.values() if t.numel()}
    if first is second or any(t.numel() and _place(t) in own for t in other.values()):
        refuse(first, "make() returned it before; it has to make a new one at every call.")
    if {n: t.shape for n, t in one.items()} != {n: t.shape for n, t in other.items()}:
        refuse(first, "make() made other parameters before; it has to make the same every time.")
    if same and not all(equal(one[name], other[name]) for name in one):
        refuse(
            first,
            "it starts from random numbers that are not torch's; draw them by torch in make().",
        )


def _place(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def equal(one: Tensor, other: Tensor) -> bool:
    """Whether every number is the same, NaN being NaN."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return torch.equal(one, other) or bool(((one == other) | (one.isnan() & other.isnan())).all())


@dataclass(frozen=True)
class Seen:
    """What a training forward of a whole module showed.

    Attributes:
        logits: (B, classes).
        buffers: after it, by name.
        last: name of the linear layer that the logits come straight from; None: of none.
        calls: of each part of the module, by name.
        drew: torch's generator moved.
        bytes: kept for the backward pass, parameters and buffers left out.
    """

    logits: Tensor
    buffers: Mapping[str, Tensor]
    last: str | None
    calls: Mapping[str, int]
    drew: bool
    bytes: int


def watched(
    module: nn.Module, before: Mapping[str, Tensor], x: Tensor, classes: int, seed: int
) -> Seen:
    """Run a module forward in training, and refuse it for what it changes.

    Args:
        before: copies of its tensors, by name.
    """
    module.train()
    attributes, inputs = _attributes(module), x.clone()
    own = {_place(tensor) for _, tensor in tensors(module)}
    kept: dict[int, torch.UntypedStorage] = {}
    returned: list[tuple[str, Any]] = []

    def keep(tensor: Tensor) -> Tensor:
        if _place(tensor) not in own:
            kept[_place(tensor)] = tensor.untyped_storage()
        return tensor

    def returns(name: str) -> Callable[..., None]:
        return lambda part, given, out: returned.append((name, out))

    hooks = [part.register_forward_hook(returns(name)) for name, part in module.named_modules()]
    torch.default_generator.manual_seed(seed)
    start = torch.default_generator.get_state()
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        logits = forward(module, x, classes)
    drew = not torch.equal(start, torch.default_generator.get_state())
    for hook in hooks:
        hook.remove()
    if not torch.equal(x, inputs):
        refuse(module, "its forward writes into its inputs; work on a copy of them.")
    if not logits.requires_grad:
        refuse(module, "no gradient reaches its parameters; leave out no_grad and detach.")
    _check_unchanged(module, before)
    for name, value in _attributes(module).items():
        if name not in attributes or attributes[name] != value:
            refuse(
                module,
                f"its forward changes {name}, which is no buffer; register_buffer makes it one.",
            )
    calls: dict[str, int] = {}
    for name, _ in returned:
        calls[name] = calls.get(name, 0) + 1
    parts = dict(module.named_modules())
    last = [name for name, out in returned if out is logits and isinstance(parts[name], nn.Linear)]
    return Seen(
        logits.detach(),
        {name: buffer.clone() for name, buffer in module.named_buffers()},
        last[-1] if last else None,
        calls,
        drew,
        sum(storage.nbytes() for storage in kept.values()),
    )


def evaluated(module: nn.Module, x: Tensor, classes: int) -> Tensor:
    """Logits (B, classes) in evaluation, where nothing may be drawn."""
    module.eval()
    start = torch.default_generator.get_state()
    with torch.no_grad():
        logits = forward(module, x, classes)
    if not torch.equal(start, torch.default_generator.get_state()):
        refuse(module, "it draws random numbers in evaluation; draw in training alone.")
    return logits


def forward(module: nn.Module, x: Tensor, classes: int) -> Tensor:
    """Logits (B, classes) of a module, or a refusal."""
    logits = attempted(module, f"of inputs {tuple(x.shape)} its forward", lambda: module(x))
    if not isinstance(logits, Tensor):
        kind = type(logits).__name__
        refuse(module, f"its forward returns a {kind}; return logits (batch, {classes}) alone.")
    dtype = x.dtype if x.is_floating_point() else torch.float32
    if logits.shape != (len(x), classes) or logits.dtype != dtype:
        refuse(
            module,
            f"of inputs {tuple(x.shape)} it makes {logits.dtype} {tuple(logits.shape)}; return "
            f"logits ({len(x)}, {classes}), {dtype}.",
        )
    return logits


def attempted(module: nn.Module, what: str, call: Callable[[], Any]) -> Any:
    """What a call returns; a failure of it refuses the module."""
    try:
        return call()
    except Exception as error:
        refuse(module, f"{what} failed: {said_of(error)}.")


def _check_unchanged(module: nn.Module, before: Mapping[str, Tensor]) -> None:
    """Names, shapes, and the numbers of parameters have to be as before a forward."""
    after = dict(tensors(module))
    for name in before.keys() ^ after.keys():
        refuse(module, f"{name} is made or dropped in its forward; make all of it in make().")
    for name, tensor in after.items():
        old = before[name]
        if (tensor.shape, tensor.dtype) != (old.shape, old.dtype):
            refuse(module, f"its forward gives {name} another shape or dtype; keep them.")
        if isinstance(tensor, nn.Parameter) and not equal(tensor.detach(), old):
            refuse(
                module,
                f"its forward writes into its parameter {name}; compute with a copy, or make it a "
                "buffer.",
            )


def check_leaves(module: nn.Module, logits: Tensor, given: Mapping[str, Tensor]) -> None:
    """Refuse a module whose gradients reach other parameters than those it was given."""
    known, seen = {id(leaf) for leaf in given.values()}, set()
    left = [logits.grad_fn]
    while left:
        node = left.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None and id(leaf) not in known:
            refuse(
                module,
                f"it uses a parameter {tuple(leaf.shape)} that parameters() does not list, or that "
                "it keeps a second time; keep layers in a ModuleList, parameters as attributes.",
            )
        left += [following for following, _ in node.next_functions]


def _attributes(module: nn.Module) -> dict[str, object]:
    """What can be compared of each attribute, by dotted name."""
    return {
        f"{path}.{name}" if path else name: _sign(value, 3)
        for path, part in module.named_modules()
        for name, value in vars(part).items()
        if name not in OWN
    }


def _sign(value: Any, depth: int) -> object:
    """Something that differs once a value has changed."""
    if isinstance(value, Tensor):
        return id(value), value._version
    if isinstance(value, np.ndarray):
        return id(value), value.tobytes()
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    inside: object = None
    if depth and isinstance(value, Mapping):
        inside = [(str(key), _sign(item, depth - 1)) for key, item in value.items()]
    elif depth and isinstance(value, list | tuple | set | frozenset):
        inside = [_sign(item, depth - 1) for item in value]
    elif depth and not isinstance(value, nn.Module) and hasattr(value, "__dict__"):
        inside = _sign(vars(value), depth - 1)
    return id(value), inside
