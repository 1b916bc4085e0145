"""Cross-entropy on the labels as they are; the best model on noisy labels held out counts."""

from candidly import fit
from candidly.compare.challenge.entry import read_task

task = read_task()
learn, held = task.split()
best = task.best(held)
with task.timed():
    fit(
        learn,
        "ce",
        steps=task.steps(learn.n),
        every=task.epoch(learn.n),
        each=best,
        seed=task.seed,
        **task.training,
    )
print(f"best after {best.at} updates: {best.accuracy:.3f} of the noisy labels held out")
