"""Noisy-label methods on what a frozen encoder sees of CIFAR-10N."""
