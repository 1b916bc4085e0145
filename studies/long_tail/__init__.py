"""Candidate sets whose classes are of unequal size."""
