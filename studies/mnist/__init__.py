"""The generator of docs/studies/mnist.md; `studies/mnist` is its command."""
