"""Training stacks of trials: their state, batches, optimisers, checkpoints and measures."""
