"""The study of partial labels on pictures; `studies/images` is its command."""
