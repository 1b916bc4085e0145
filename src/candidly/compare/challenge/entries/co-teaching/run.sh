exec python train.py "$@"
