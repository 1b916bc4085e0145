"""Do wrong keys turn the order of language models?"""
