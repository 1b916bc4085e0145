"""Parts of ``new_tables.py``."""
