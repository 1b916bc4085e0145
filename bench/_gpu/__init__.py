"""The parts of ``gpu.py``: each says what it measures, and yields claims as they are found."""
