"""What docs/studies/reproduction.md says, and of which numbers."""
