"""The generator of docs/mnist-study.md; `bench/mnist_study.py` is its command."""
