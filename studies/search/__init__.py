"""Does a search that learns beat random search?"""
