"""docs/studies/frozen-sets.md: candidate sets on what a frozen encoder sees."""
