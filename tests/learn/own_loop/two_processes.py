"""Two gloo processes, half a batch each: what each of some algorithms ends with, into a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from candidly.learn.algorithms import algorithm
from candidly.learn.engine.train import without_denormals
from candidly.learn.own_loop import attach
from learn.own_loop.loops import BATCH, NAMES, SIZE, UPDATES, Small, hyper_of, made

DATA = made(n=70)  # so that the last batch of an epoch is shorter: 6 rows, and 3 for each process


class Plain(nn.Module):
    """Without batch norm, whose statistics are those of a process's own rows."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(SIZE, 16)
        self.last = nn.Linear(16, SIZE)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


def run(
    name: str,
    rank: int = 0,
    world: int = 1,
    wrapped: bool = False,
    make: Callable[[], nn.Module] = Plain,
) -> dict[str, Any]:
    """A user's loop, in one process or as one of several; its losses and all that changed."""
    method = algorithm(name)
    torch.manual_seed(rank)  # each begins with numbers of its own; the first's are taken
    net: nn.Module = make().double()
    if rank or world == 1:
        torch.manual_seed(0)
        net = make().double() if world == 1 else net
    if wrapped:
        net = nn.parallel.DistributedDataParallel(net, find_unused_parameters=True)
    hyper = {key: value for key, value in hyper_of(method).items() if key != "batch_size"}
    labels = {NAMES[read]: DATA.labels[read] for read in method.reads}
    epochs = UPDATES // 5 + 1
    loop = attach(
        name,
        net,
        classes=SIZE,
        epochs=epochs,
        batch_size=BATCH,
        inputs=DATA.x,
        make=make,
        seed=3,
        **labels,
        **hyper,
    )
    optimizer = loop.drive(torch.optim.Adam(loop.groups(hyper["weight_decay"]), lr=hyper["lr"]))
    losses, chosen = [], loop.needs.sampler
    generator = torch.Generator().manual_seed(1)
    while not loop.done:
        order = torch.randperm(len(DATA.x), generator=generator).split(BATCH)
        batches = loop.batch_sampler() if chosen else [b.tensor_split(world)[rank] for b in order]
        for ids in batches:
            ids = torch.as_tensor(ids)
            loss = loop(DATA.x[ids], ids)
            loss.backward()
            with without_denormals():
                optimizer.step()
            optimizer.zero_grad()
            loop.step()
            losses.append(float(loss.detach()))
    tensors = {k: v.clone() for k, v in loop._stack.changing().items() if k != "loss_sum"}
    return {"losses": torch.tensor(losses, dtype=torch.float64), **tensors}


def work(rank: int, folder: str, names: list[str]) -> None:
    torch.set_num_threads(1)
    place = f"file://{folder}/meeting"
    dist.init_process_group("gloo", init_method=place, rank=rank, world_size=2)
    for name in names:
        if name == "normed":
            path = f"{folder}/normed {rank}.pt"
            torch.save(run("co-teaching", rank, 2, make=Small), path)
            continue
        wrapped = len(name) % 2 == 0  # with DistributedDataParallel, and without
        try:
            torch.save(run(name, rank, 2, wrapped), f"{folder}/{name} {rank}.pt")
        except Exception as error:
            torch.save(f"{type(error).__name__}: {error}", f"{folder}/{name} {rank}.pt")
            break
    dist.barrier()
    dist.destroy_process_group()
    os._exit(0)  # all is saved, and torch's threads may abort an interpreter that ends


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    torch.multiprocessing.spawn(work, (sys.argv[1], sys.argv[2:]), 2)
