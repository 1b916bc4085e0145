"""The largest numbers that anybody can mean; options, settings and projects are held to them."""

from __future__ import annotations

MOST = 10**9  # of whatever is counted
MOST_SEED = 10**18  # below 2^63 by more than anybody counts on from it
MOST_TIMES = 10_000  # of what is done as a whole again: splits, seeds, repeats
MOST_CONFIGS = 100_000
MOST_RUNS = 1_000_000  # of a sweep; planning as many takes some minutes
MOST_RECORDS = 1_000_000  # of a run
MOST_EPOCHS = 1_000_000
MOST_LAYERS = 10_000  # of a network
MOST_DRAWS = 10_000_000  # of a bootstrap
MOST_ARTICLES = 1_000_000
MOST_WORKERS = 10_000
MOST_PEOPLE = 10_000
PORTS = 65_535
LARGE = 10**6  # of what is measured: gigabytes, and how often a time
PICTURE_SIDES = (16, 1024)  # pixels on a side, at which an encoder sees a picture
