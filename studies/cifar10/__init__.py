"""What docs/studies/cifar10.md says, and of which numbers."""
