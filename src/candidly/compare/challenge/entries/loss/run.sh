exec python loss.py "$@"
