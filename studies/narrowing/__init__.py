"""Do methods for candidate sets gain where probabilities take unlikely candidates out?"""
