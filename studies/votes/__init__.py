"""Learning from several annotators' answers, beside consensus and then training."""
