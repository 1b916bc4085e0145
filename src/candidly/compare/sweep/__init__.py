"""Sweeps: plan, subtract what is done, pack into stacks, run, record."""
