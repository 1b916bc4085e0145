"""Partial labels on pictures, and which takeaways of the benchmark hold at a small scale."""
