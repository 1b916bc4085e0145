exec python sop.py "$@"
