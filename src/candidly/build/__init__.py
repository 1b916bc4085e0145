"""Building a noisy benchmark from articles: the NoisywikiHow way, for anyone's corpus."""
