"""The study of label errors in ten test sets: published numbers, ours, and the page of both."""
