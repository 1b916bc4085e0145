"""What build_study.py consists of."""
