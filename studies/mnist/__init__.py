"""What docs/studies/mnist.md says, and of which numbers."""
