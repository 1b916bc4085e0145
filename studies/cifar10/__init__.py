"""The generator of docs/cifar10-study.md; `bench/cifar10_study.py` is its command."""
