exec python detect.py "$@"
