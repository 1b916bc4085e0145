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
from candidly.engine.arithmetic import arithmetic

MODES = (None, "reduce-overhead")


def measure(where: Where) -> Iterator[Claim | str]:
    """ms of an update of each way, seconds that compiling takes, and times faster."""
    net, batch = where.sized(("resnet32", 128), ("cnn", 4))
    if not any(map(shutil.which, ("c++", "g++", "gcc", "clang"))):
        yield "torch.compile needs a C++ compiler, and there is none: it is left out."
        modes: tuple = ()
    else:
        modes = where.sized(MODES, (None,))
    with arithmetic(torch.device(where.device)):
        module, batches = make_module(net).to(where.device), made_batches(where, batch)
        loops = {"plain loop": Loop(where, copy.deepcopy(module), batches)}
        found: list[Claim | str] = []
        if not where.cuda:
            yield "without CUDA there are no graphs: the step on buffers that stay is run."
        with what_fits("graph", found):
            kind = Graphed if where.cuda else Buffered
            loops["graph"] = kind(where, copy.deepcopy(module), batches)
        for mode in modes:
            way = f"torch.compile, {mode or 'default'}"
            with what_fits(way, found):
                mine = copy.deepcopy(module)
                # an update compiles forward and backward; the optimiser's kernel is fused as it is
                backend = "inductor" if where.cuda or not where.quick else "aot_eager"
                call = torch.compile(mine, mode=mode, backend=backend)
                loop = Loop(where, mine, batches, call)
                start = time.perf_counter()
                for _ in range(where.sized(3, 1)):
                    loop.update()
                where.wait()
                found.append(Claim(f"{way}: seconds to compile", time.perf_counter() - start))
                loops[way] = loop
        yield from found
        seconds = where.medians({way: loop.update for way, loop in loops.items()}, 20, 5)
    for way, each in seconds.items():
        yield Claim(f"{net}, batch {batch}: {way}, ms", 1e3 * each)
    for way in seconds.keys() - {"plain loop"}:
        ratio = seconds["plain loop"] / seconds[way]
        yield Claim(f"{net}, batch {batch}: {way}, times faster than the plain loop", ratio)
