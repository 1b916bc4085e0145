"""What docs/crowd.md says of ways to a consensus."""
