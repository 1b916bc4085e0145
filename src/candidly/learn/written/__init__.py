"""What a person writes as a network, a view or a policy, read without torch."""
