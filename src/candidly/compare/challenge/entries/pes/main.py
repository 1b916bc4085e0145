"""PES: learn for a while, begin the last layer again, and go on with the labels it confirms."""

from candidly import fit
from candidly.compare.challenge.entry import read_task


def main() -> None:
    task = read_task()
    learn, held = task.split()
    rows = learn.n
    fit(
        learn,
        "pes",
        steps=task.steps(rows),
        first=task.hyper["first"],
        refine=task.hyper["refine"],
        each=task.best(held),
        every=task.epoch(rows),
        seed=task.seed,
        **task.training,
    )
    print(f"{task.left:.0f} seconds were left")


main()
