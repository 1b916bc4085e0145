"""The generator of docs/studies/cifar10.md; `studies/cifar10` is its command."""
