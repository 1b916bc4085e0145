exec python el2n.py "$@"
