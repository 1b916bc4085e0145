"""The study of detectors: its data, its runner, and the page made from its results."""
