"""Sources of noise at equal local rates, and methods against them."""
