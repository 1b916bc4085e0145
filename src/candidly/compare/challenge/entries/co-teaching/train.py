"""Co-teaching: two networks hand each other the rows with small losses.

How many labels are wrong is nothing that a submission may know: the variant ``estimated`` finds it
out from the losses, and keeps everything until then.
"""

from candidly import fit
from candidly.compare.challenge.entry import read_task

task = read_task()
trained_on, chosen_on = task.split()
model = fit(
    trained_on,
    "co-teaching:estimated",
    steps=task.steps(trained_on.n),
    seed=task.seed,
    each=task.best(chosen_on),
    every=task.epoch(trained_on.n),
    ramp=task.hyper["ramp"],
    **task.training,
)
on_noisy = model.measure(chosen_on)
print(f"in the end right on {on_noisy['given accuracy']:.1%} of noisy labels held out")
