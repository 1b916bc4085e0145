"""What text_study.py consists of."""
