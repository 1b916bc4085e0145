"""Confident learning: as many of each pair of classes as out-of-sample probabilities say."""

from candidly.compare.challenge.entry import read_task
from candidly.errors.crossval import Network, cross_validate
from candidly.errors.detectors import detect

task = read_task()
rest = dict(task.training)
net, recipe, steps = rest.pop("net"), rest.pop("recipe"), task.steps(task.data.n)
network = Network("ce", steps, net=net, recipe=recipe, hyper=rest)
out_of_sample = cross_validate(network, task.data, folds=task.hyper["folds"], seed=task.seed)
found = detect(task.data, "cl-noise-rate", probs=out_of_sample.probs, seed=task.seed)
task.detect(found.flagged, found.score, found.ids)
