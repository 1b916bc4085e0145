"""The study of partial labels on pictures; `bench/image_study.py` is its command."""
