"""CUDA graphs and torch.compile beside a plain loop, for one network."""

from __future__ import annotations

import copy
import shutil
import time
from collections.abc import Iterator

import torch

from _bench import Claim
from _gpu.loops import Buffered, Graphed, Loop
from _gpu.networks import made_batches
from _gpu.where import Where, what_fits
from _image_sides import make_module
from candidly.learn.engine.arithmetic import arithmetic

MODES = ("default", "reduce-overhead")


def measure(where: Where) -> Iterator[Claim | str]:
    """ms of an update of each way, seconds that compiling takes, and times faster."""
    net, batch = where.sized(("resnet32", 128), ("cnn", 4))
    label = f"{net}, batch {batch}"
    with arithmetic(torch.device(where.device)):
        module, batches = make_module(net).to(where.device), made_batches(where, batch)
        plain = Loop(where, copy.deepcopy(module), batches)
        if not where.cuda:
            yield "without CUDA there are no graphs: the step on buffers that stay is run."
        found: list[Claim | str] = []
        with what_fits("graph", found):
            kind = Graphed if where.cuda else Buffered
            found += compared(where, f"{label}: graph", plain, kind(where, module, batches))
        yield from found
        if not any(map(shutil.which, ("c++", "g++", "gcc", "clang"))):
            yield "torch.compile needs a C++ compiler, and there is none: it is left out."
            return
        for mode in where.sized(MODES, MODES[:1]):
            found = []
            with what_fits(f"torch.compile, {mode}", found):
                mine = copy.deepcopy(plain.module)
                # forward and backward are compiled; the optimiser's kernel is fused as it is
                backend = "aot_eager" if where.quick else "inductor"
                call = torch.compile(mine, mode=mode, backend=backend)
                loop, start = Loop(where, mine, batches, call), time.perf_counter()
                for _ in range(where.sized(3, 1)):
                    loop.update()
                where.wait()
                took = time.perf_counter() - start
                found.append(Claim(f"{label}: torch.compile, {mode}: seconds to compile", took))
                found += compared(where, f"{label}: torch.compile, {mode}", plain, loop)
            yield from found


def compared(where: Where, name: str, plain: Loop, other: Loop) -> Iterator[Claim]:
    """ms of an update of both, in turns."""
    seconds = where.medians({"plain": plain.update, "other": other.update}, 20, 5)
    yield Claim(f"{name}: plain loop in the same rounds, ms", 1e3 * seconds["plain"])
    yield Claim(f"{name}, ms", 1e3 * seconds["other"])
    yield Claim(f"{name}: times faster than the plain loop", seconds["plain"] / seconds["other"])
