"""What frozen_study.py is made of."""
