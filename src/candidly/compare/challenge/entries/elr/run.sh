exec python learn.py "$@"
