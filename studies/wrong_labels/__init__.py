"""How many labels are wrong: made-up sets with known errors, and real ones with verdicts."""
