"""Replaced inputs and wrong labels on real texts, every algorithm."""
