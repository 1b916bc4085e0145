"""The generator of docs/reproduction.md; `bench/reproduction.py` is its command."""
