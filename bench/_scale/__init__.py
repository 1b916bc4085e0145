"""Planted errors at scale: what bench/scale.py runs."""
