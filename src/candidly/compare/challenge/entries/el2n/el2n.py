"""EL2N ranks rows by their error early in training; how many to flag, a vote of neighbours says."""

import numpy as np

from candidly.compare.challenge.entry import read_task
from candidly.errors.detectors import detect

task = read_task()
early = detect(
    task.data, "el2n", seed=task.seed, net=task.training["net"], recipe=task.training["recipe"]
)
count = int(detect(task.data, "knn-vote").flagged.sum())
flagged = np.zeros(task.data.n, bool)
flagged[np.argsort(-early.score, kind="stable")[:count]] = True
task.note(flagged=count)
task.detect(flagged, early.score)
