"""What the study of learning from noisy labels trains on, runs and writes."""
