"""The study of people's wrong labels on pictures; `bench/cifarn_study.py` is its command."""
