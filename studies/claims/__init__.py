"""docs/studies/claims.md: what four papers claim, and what the committed results say of it."""
