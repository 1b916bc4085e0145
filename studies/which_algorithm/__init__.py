"""Which algorithms docs/which-algorithm.md recommends, and by which rule."""
