"""SOP: what a label has too much or too little is learned, a few numbers for each row."""

import numpy as np

from candidly import fit
from candidly.compare.challenge.entry import read_task

task = read_task()
training_rows, chosen_by = task.split()
options = dict(task.training)
options.update(lr_u=task.hyper["lr_u"], lr_v=task.hyper["lr_v"])
options.update(steps=task.steps(training_rows.n), every=task.epoch(training_rows.n))
model = fit(training_rows, "sop", seed=task.seed, each=task.best(chosen_by), **options)
suspicious = int(np.sum(model.suspicion > 0.5))
task.note(rows_whose_label_has_noise=suspicious)
