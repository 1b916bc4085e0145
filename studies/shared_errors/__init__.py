"""What the opinion pool claims beside what is right, and how often it warns."""
