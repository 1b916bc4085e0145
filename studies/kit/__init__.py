"""What studies share: pages and their words, rows of results, sweeps that are kept."""
