exec python vote.py "$@"
