"""What docs/which-algorithm.md advises, on tables that had no part in the advice."""
