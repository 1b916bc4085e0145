"""The generator of docs/studies/reproduction.md; `studies/reproduction` is its command."""
