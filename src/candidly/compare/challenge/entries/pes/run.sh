exec python main.py "$@"
