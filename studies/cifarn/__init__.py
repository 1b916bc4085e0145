"""The study of people's wrong labels on pictures; `studies/cifarn` is its command."""
