"""Reads the files of users: tables, labels, probabilities, answers, pictures, texts and sounds."""
