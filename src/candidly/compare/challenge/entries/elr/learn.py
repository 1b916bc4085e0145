"""Early-learning regularisation: predictions stay near what they were early in training."""

from candidly import fit
from candidly.compare.challenge.entry import read_task

task = read_task()
learn, held = task.split()
beta, lam = task.hyper["beta"], task.hyper["lam"]
keep = task.best(held)
fit(
    learn,
    "elr",
    steps=task.steps(learn.n),
    every=task.epoch(learn.n),
    each=keep,
    seed=task.seed,
    beta=beta,
    lam=lam,
    **task.training,
)
task.note(chosen_after=keep.at, noisy_accuracy=keep.accuracy)
